package fit

import (
	"math"

	"github.com/atomtune/atomtune/internal/portable"
)

// memory sets the L2 cache, the DRAM behind it, and the latency of loads.
func (b *builder) memory() error {
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
	return nil
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
				l2, miss, loss := portable.Exp2(l), portable.Exp2(m), 0.0
				for i, footprint := range s.footprints {
					e := portable.Log(s.predict(footprint, l2, miss) / values[i])
					loss += math.Min(e*e, 0.25)
				}
				if loss < least {
					least, stay, bytes = loss, l, m
				}
			}
		}
		stayOff, bytesOff = step, step
	}
	return portable.Exp2(stay), portable.Exp2(bytes)
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
	var stayed, missed []float64
	rng := seeded("global.footprint")
	for range 60 {
		l, m := s.search(redrawn(rows, scatter, rng))
		stayed, missed = append(stayed, l), append(missed, m)
	}
	residuals := Summarise(errs)
	for _, q := range []struct {
		place string
		value float64
		drawn []float64
	}{{"memory.l2_atomic_bytes", stay, stayed}, {"memory.miss_bytes", miss, missed}} {
		value := math.Round(q.value)
		e := estimate{value: value, exact: true, interval: percentiles(q.drawn, value),
			residuals: &residuals, once: once(rows)}
		b.put(q.place, e.from("global", "footprint op=u32_add: max(time in L2, missing requests * "+
			"miss_bytes / dram_rate), of which L2 keeps l2_atomic_bytes"))
	}
}
