package calibration

import (
	"cmp"
	"math"
	"slices"
)

// memory sets the L2 cache, the DRAM behind it, and the latency of loads.
func (b *builder) memory() {
	l2 := b.attribute("l2_bytes")
	b.put("memory.l2_bytes", l2)
	read := b.rows.need("memory", "read_bandwidth", "")
	near, far := within(read, l2.value/8, 0.6*l2.value), within(read, beyond*l2.value, math.Inf(1))
	b.put("memory.l2_rate", b.middleOf("memory.l2_rate", near,
		"memory read_bandwidth of an eighth to 0.6 of l2_bytes").from("memory",
		"read_bandwidth: median over an eighth to 0.6 of l2_bytes"))
	dram := b.middleOf("memory.dram_rate", far,
		"memory read_bandwidth of eight times l2_bytes").from("memory", "read_bandwidth: median over "+
		"eight times l2_bytes and more, of which L2 keeps little")
	b.put("memory.dram_rate", dram)
	b.put("memory.atomic_kernel_rate", b.atomicRate(l2.value, dram))
	load := b.rows.need("memory", "load_latency", "")
	hit := b.middleOf("global.load_latency", within(load, 0, l2.value/2), "memory load_latency of "+
		"half of l2_bytes").from("memory", "load_latency: median over half of l2_bytes and less")
	b.put("global.load_latency", hit)
	miss := b.middleOf("global.miss_latency", within(load, 4*l2.value, math.Inf(1)),
		"memory load_latency of four times l2_bytes")
	b.put("global.miss_latency", miss.less(hit).from("memory",
		"load_latency: median over four times l2_bytes and more, less load_latency in L2"))
	b.footprint(l2.value, dram.value)
}

func within(rows []reading, least, most float64) []reading {
	return where(rows, func(r reading) bool {
		return r.number("bytes") >= least && r.number("bytes") <= most
	})
}

// middleOf is middle, or notes that there is no reading.
func (b *builder) middleOf(name string, rows []reading, what string) estimate {
	if len(rows) == 0 {
		b.rows.lack(what, "", "")
		return estimate{}
	}
	return middle(name, rows)
}

const beyond = 8 // how many times the size of L2 a footprint has of which little hits

// atomicRate is the rate of loads and stores in a kernel with atomics, wherever they are served:
// the one of memory. In L2 the suite's kernel is faster, but it adds once in 4 loads of a warp, and
// what an update kernel does, once in 1 or 2, was not measured there.
func (b *builder) atomicRate(l2 float64, dram estimate) estimate {
	rows := within(b.rows.rows("memory", "atomic_kernel_bandwidth", ""), beyond*l2, math.Inf(1))
	if len(rows) == 0 {
		return assume(significant(dram.value), "assumed",
			"as dram_rate: kernels with atomics were not measured")
	}
	return middle("memory.atomic_kernel_rate", rows).from("memory",
		"atomic_kernel_bandwidth: median over eight times l2_bytes and more, taken for L2 as well")
}

// spill is the model of random adds to sectors of a footprint of F bytes: of them only l2 stay in
// the cache, and each request that misses moves so many bytes.
//
//	ns(F) = max(base, lanes·(1 - l2/F)·miss / dram_rate)
type spill struct {
	footprints []float64
	lanes      float64
	rate       float64 // byte/s of the DRAM
	base       float64 // ns of a warp instruction in L2
}

func (s *spill) predict(bytes, l2, miss float64) float64 {
	return math.Max(s.base, s.lanes*math.Max(0, 1-l2/bytes)*miss/s.rate*1e9)
}

// search finds the footprint that stays and the bytes of a miss to sixteenths of
// a power of two: on a grid of quarters first, and then about the best of it.
func (s *spill) search(values []float64) (l2, miss float64) {
	stay, bytes := 25.5, 8.0 // the middles of what is searched
	stayOff, bytesOff := 6.5, 4.0
	for _, step := range []float64{1.0 / 4, 1.0 / 16} {
		least, fromStay, fromBytes := math.Inf(1), stay-stayOff, bytes-bytesOff
		toStay, toBytes := stay+stayOff, bytes+bytesOff
		for l := fromStay; l <= toStay; l += step {
			for m := fromBytes; m <= toBytes; m += step {
				l2, miss, loss := math.Exp2(l), math.Exp2(m), 0.0
				for i, footprint := range s.footprints {
					e := math.Log(s.predict(footprint, l2, miss) / values[i])
					loss += math.Min(e*e, 0.25)
				}
				if loss < least {
					least, stay, bytes = loss, l, m
				}
			}
		}
		stayOff, bytesOff = step, step
	}
	return math.Exp2(stay), math.Exp2(bytes)
}

// footprint sets how many bytes of targets stay in L2 under atomics, and what a miss moves.
func (b *builder) footprint(l2, dram float64) {
	rows := b.rows.rows("global", "footprint", "op=u32_add")
	near, far := within(rows, 0, l2/4), within(rows, 2*l2, math.Inf(1))
	if len(near) == 0 || len(far) == 0 || dram <= 0 {
		b.put("memory.l2_atomic_bytes", assume(math.Round(l2/2), "assumed",
			"half of l2_bytes: adds beyond it were not measured"))
		b.put("memory.miss_bytes", assume(256, "assumed", "adds beyond L2 were not measured"))
		return
	}
	s := spill{lanes: b.p.Core.WarpLanes.Value, rate: dram}
	s.base = middle("global.footprint.near", near).value
	for _, r := range rows {
		s.footprints = append(s.footprints, r.number("bytes"))
	}
	stay, miss := s.search(valuesOf(rows))
	errs, scatter := make([]float64, len(rows)), 0.0
	for i, r := range rows {
		errs[i] = s.predict(s.footprints[i], stay, miss)/r.Value - 1
		scatter += math.Min(errs[i]*errs[i], 0.25)
	}
	scatter = math.Sqrt(scatter / math.Max(1, float64(len(errs)-2)))
	rng := seeded("global.footprint")
	values := []float64{math.Round(stay), math.Round(miss)}
	drawn := intervals(60, values, func() []float64 {
		l, m := s.search(redrawn(rows, scatter, rng))
		return []float64{l, m}
	})
	residuals := Summarise(errs)
	for i, place := range []string{"memory.l2_atomic_bytes", "memory.miss_bytes"} {
		e := estimate{value: values[i], exact: true, interval: drawn[i], residuals: &residuals, once: once(rows)}
		b.put(place, e.from("global", "footprint op=u32_add: max(time in L2, missing requests * "+
			"miss_bytes / dram_rate), of which L2 keeps l2_atomic_bytes"))
	}
}

// launch sets what a call costs before its kernels do anything, and the host's re-layout.
func (b *builder) launch() {
	further := func(r reading) []float64 { return []float64{1, r.number("launches") - 1} }
	empty := b.regress(b.rows.need("call", "empty_kernels", ""), further,
		"call empty_kernels of two numbers of launches", "call.empty_kernels")
	first, next := empty.coefficient(0), empty.coefficient(1)
	b.put("launch.first", first.from("call", "empty_kernels over the number of launches: the first"))
	b.put("launch.next", next.from("call", "empty_kernels over the number of launches: each further one"))
	b.put("launch.gap", b.gap())
	b.put("launch.clear_free", b.clearFree(first.value, next.value))
	b.put("host.relayout", b.relayout())
}

// gap is what lies between dependent kernels that the host has enqueued long
// before: what each further one adds, less what it spins.
func (b *builder) gap() estimate {
	rows := b.rows.rows("call", "dependent_kernels", "")
	spin := b.rows.rows("call", "dependent_kernel_spin", "")
	if len(rows) < 2 || len(spin) == 0 {
		return assume(1, "assumed", "kernels behind each other were not measured")
	}
	l := b.regress(rows, over("launches"), "", "call.dependent_kernels")
	return l.coefficient(1).less(middle("call.dependent_kernel_spin", spin)).from("call",
		"dependent_kernels over their number: each further one, less dependent_kernel_spin")
}

// clearFree is the largest clear before an empty kernel that takes less than
// half a launch more than the kernel alone.
func (b *builder) clearFree(first, next float64) estimate {
	rows := slices.Clone(b.rows.rows("call", "clear_kernel", ""))
	if len(rows) == 0 {
		return assume(0, "assumed", "clears were not measured: each is taken to cost a launch")
	}
	bytes := func(r reading) float64 { return r.number("bytes") }
	slices.SortFunc(rows, func(x, y reading) int { return cmp.Compare(bytes(x), bytes(y)) })
	e := estimate{exact: true}
	for _, r := range rows {
		e.interval.High = r.number("bytes")
		if r.Value > first+next/2 {
			break
		}
		e.value, e.interval.Low = r.number("bytes"), r.number("bytes")
	}
	return e.from("call", "clear_kernel: the largest clear that takes less than half a launch; the "+
		"next one up to %.0f bytes takes more", e.interval.High)
}

// relayout is the host's part of ss: the geometric mean over numbers of targets.
func (b *builder) relayout() estimate {
	rows := b.rows.rows("call", "host_relayout", "")
	if len(rows) == 0 {
		return assume(17, "assumed", "the host was not measured; 17 ns an update on one x86-64 server "+
			"core")
	}
	mean := func(of func(reading) float64) float64 {
		sum := 0.0
		for _, r := range rows {
			sum += math.Log(of(r))
		}
		return math.Exp(sum / float64(len(rows)))
	}
	e := estimate{value: mean(func(r reading) float64 { return r.Value }), once: once(rows)}
	e.interval = Interval{mean(func(r reading) float64 { return r.Low }),
		mean(func(r reading) float64 { return r.High })}
	return e.from("call", "host_relayout: geometric mean over the numbers of targets")
}
