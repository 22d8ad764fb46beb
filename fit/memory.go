package fit

import "math"

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
	hit := b.middleOf("global.load_latency", within(load, 0, l2.value/2),
		"memory load_latency of half of l2_bytes").from("memory",
		"load_latency: median over half of l2_bytes and less")
	b.put("global.load_latency", hit)
	miss := b.middleOf("global.miss_latency", within(load, 4*l2.value, math.Inf(1)),
		"memory load_latency of four times l2_bytes")
	b.put("global.miss_latency", miss.less(1, hit).from("memory",
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

// beyond is how many times the size of L2 a footprint has of which little hits.
const beyond = 8

// atomicRate is the rate of loads and stores in a kernel with atomics, wherever
// they are served: the one of memory. In L2 the suite's kernel is faster, but it
// adds once in 4 loads of a warp, and what an update kernel does, once in 1 or 2,
// was not measured there.
func (b *builder) atomicRate(l2 float64, dram estimate) estimate {
	rows := within(b.rows.rows("memory", "atomic_kernel_bandwidth", ""), beyond*l2, math.Inf(1))
	if len(rows) == 0 {
		return assume(significant(dram.value), "assumed",
			"as dram_rate: kernels with atomics were not measured")
	}
	return middle("memory.atomic_kernel_rate", rows).from("memory",
		"atomic_kernel_bandwidth: median over eight times l2_bytes and more, taken for L2 as well")
}

// spill is the model of random adds to sectors of a footprint of F bytes: of
// them only l2 stay in the cache, and each request that misses moves so many
// bytes.
//
//	ns(F) = max(base, lanes·(1 - l2/F)·miss / dram_rate)
type spill struct {
	rows  []reading
	lanes float64
	rate  float64 // byte/s of the DRAM
	base  float64 // ns of a warp instruction in L2
}

func (s *spill) predict(bytes, l2, miss float64) float64 {
	return math.Max(s.base, s.lanes*math.Max(0, 1-l2/bytes)*miss/s.rate*1e9)
}

func (s *spill) loss(values []float64, l2, miss float64) float64 {
	sum := 0.0
	for i, r := range s.rows {
		e := math.Log(s.predict(r.number("bytes"), l2, miss) / values[i])
		sum += math.Min(e*e, 0.25)
	}
	return sum
}

// search finds the footprint that stays and the bytes of a miss to sixteenths of
// a power of two: on a grid of quarters first, and then about the best of it.
func (s *spill) search(values []float64) (l2, miss float64) {
	const quarter, sixteenth = 0.25, 1.0 / 16
	stayFrom, stayTo, missFrom, missTo := 19.0, 32.0, 4.0, 12.0
	for _, step := range []float64{quarter, sixteenth} {
		least, stay, bytes := math.Inf(1), 0.0, 0.0
		for l := stayFrom; l <= stayTo; l += step {
			for m := missFrom; m <= missTo; m += step {
				if loss := s.loss(values, math.Exp2(l), math.Exp2(m)); loss < least {
					least, stay, bytes = loss, l, m
				}
			}
		}
		l2, miss = math.Exp2(stay), math.Exp2(bytes)
		stayFrom, stayTo = stay-quarter, stay+quarter
		missFrom, missTo = bytes-quarter, bytes+quarter
	}
	return l2, miss
}

// footprint sets how many bytes of targets stay in L2 under atomics, and what a
// miss moves.
func (b *builder) footprint(l2, dram float64) {
	rows := b.rows.rows("global", "footprint", "op=u32_add")
	near, far := within(rows, 0, l2/4), within(rows, 2*l2, math.Inf(1))
	if len(near) == 0 || len(far) == 0 || dram <= 0 {
		b.put("memory.l2_atomic_bytes", assume(math.Round(l2/2), "assumed",
			"half of l2_bytes: adds beyond it were not measured"))
		b.put("memory.miss_bytes", assume(256, "assumed", "adds beyond L2 were not measured"))
		return
	}
	s := spill{rows: rows, lanes: b.p.Core.WarpLanes.Value, rate: dram}
	s.base = middle("global.footprint.near", near).value
	values := make([]float64, len(rows))
	for i, r := range rows {
		values[i] = r.Value
	}
	stay, miss := s.search(values)
	errs := make([]float64, len(rows))
	for i, r := range rows {
		errs[i] = s.predict(r.number("bytes"), stay, miss)/r.Value - 1
	}
	residuals := Summarise(errs)
	stayed, missed := s.redraw(values, errs)
	stay, miss = math.Round(stay), math.Round(miss)
	single := once(rows)
	const text = "footprint op=u32_add: max(time in L2, missing requests * miss_bytes / dram_rate), " +
		"of which L2 keeps l2_atomic_bytes"
	b.put("memory.l2_atomic_bytes", estimate{value: stay, exact: true,
		interval: percentiles(stayed, stay), residuals: &residuals, once: single}.from("global", text))
	b.put("memory.miss_bytes", estimate{value: miss, exact: true, interval: percentiles(missed, miss),
		residuals: &residuals, once: single}.from("global", text))
}

// redraw searches over readings drawn about their values.
func (s *spill) redraw(values, errs []float64) (stay, miss []float64) {
	scatter := 0.0
	for _, e := range errs {
		scatter += math.Min(e*e, 0.25)
	}
	scatter = math.Sqrt(scatter / math.Max(1, float64(len(errs)-2)))
	rng := seeded("global.footprint")
	redrawn := make([]float64, len(values))
	for range 60 {
		for i, r := range s.rows {
			redrawn[i] = values[i] * math.Max(0.01, 1+math.Hypot(scatter, r.relative())*rng.NormFloat64())
		}
		l, m := s.search(redrawn)
		stay, miss = append(stay, l), append(miss, m)
	}
	return stay, miss
}
