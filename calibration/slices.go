package calibration

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
)

// layout is how addresses are spread over the slices of the L2 cache: the chunks
// of an aligned region take turns on a number of slices.
type layout struct{ chunk, region, slices uint64 }

// fewTargets is the largest number of targets at which regions are taken to lie
// on different slices: with more of them the address hash lets some meet.
const fewTargets = 16

// layouts lists what is searched, in powers of two, the simplest first: of
// equally good ones the first is taken.
func layouts() []layout {
	var all []layout
	for count := uint64(1); count <= 16; count *= 2 {
		for chunk := uint64(32); chunk <= 8192; chunk *= 2 {
			for region := chunk * count; region <= 65536; region *= 2 {
				if count == 1 && region > chunk {
					break // a region on one slice is a chunk
				}
				all = append(all, layout{chunk, region, count})
			}
		}
	}
	return all
}

// slice is the slice of an address where each region has slices of its own.
func (l layout) slice(at uint64) uint64 { return at/l.region*l.slices + at/l.chunk%l.slices }

// modelled is the time of warps whose lanes all add to one of few targets, over the time read:
// the fullest slice serves them one by one. With all targets on one slice it is alone, in ns.
//
//	ns = lanes · pass · share of the fullest slice
func modelled(r reading, alone float64, sliceOf func(at uint64) uint64) float64 {
	targets, stride := uint64(r.number("targets")), uint64(r.number("stride"))
	load, most := map[uint64]int{}, 0
	for i := range targets {
		s := sliceOf(i * stride)
		load[s]++
		most = max(most, load[s])
	}
	return alone * (float64(most) / float64(targets)) / r.Value
}

// worstLoss bounds what one reading counts for: regions that happen to meet on
// a slice say nothing against a layout.
const worstLoss = 0.25

// layoutSearch returns a search for the layout with the least loss over readings that count so many
// times each.
func layoutSearch(rows []reading, alone float64) func(times []int) layout {
	all := layouts()
	losses := make([][]float64, len(all)) // of each layout, per reading
	for i, l := range all {
		for _, r := range rows {
			loss := math.Abs(math.Log(modelled(r, alone, l.slice)))
			losses[i] = append(losses[i], math.Min(worstLoss, loss))
		}
	}
	return func(times []int) layout {
		at, least := 0, math.Inf(1)
		for i := range all {
			sum := 0.0
			for k, loss := range losses[i] {
				sum += loss * float64(times[k])
			}
			if sum < least-1e-9 {
				at, least = i, sum
			}
		}
		return all[at]
	}
}

// chunks sets how addresses are spread over the slices.
func (b *builder) chunks(alone float64) layout {
	rows, strides := []reading(nil), map[string]bool{}
	for _, r := range b.everySM("op=u32_add spread=warp") {
		if n := r.number("targets"); n >= 2 && n <= fewTargets {
			rows = append(rows, r)
			strides[r.parameters["stride"]] = true
		}
	}
	if len(strides) < 3 || len(rows) < 6 || !(alone > 0) {
		assumed := layout{256, 256, 1}
		for i, value := range assumed.values() {
			b.put(layoutPlaces[i], assume(value, "assumed", "fewer than three strides were measured"))
		}
		return assumed
	}
	best := layoutSearch(rows, alone)
	times := slices.Repeat([]int{1}, len(rows))
	found := best(times)
	errs := make([]float64, len(rows))
	for i, r := range rows {
		errs[i] = modelled(r, alone, found.slice) - 1
	}
	residuals := Summarise(errs)
	rng := seeded("global.chunk_bytes")
	drawn := intervals(draws, found.values(), func() []float64 {
		clear(times)
		for range rows {
			times[rng.IntN(len(rows))]++
		}
		return best(times).values()
	})
	for i, value := range found.values() {
		b.put(layoutPlaces[i], estimate{value: value, exact: true, interval: drawn[i],
			residuals: &residuals}.from("global", "throughput op=u32_add spread=warp over up to %d "+
			"targets at %d strides: searched among powers of two", fewTargets, len(strides)))
	}
	return found
}

// layoutPlaces are the places of a layout's values in the profile.
var layoutPlaces = [...]string{"global.chunk_bytes", "global.region_bytes", "global.region_slices"}

func (l layout) values() []float64 {
	return []float64{float64(l.chunk), float64(l.region), float64(l.slices)}
}

// knownHash is the address hash that is tried on readings of throughput: one of many that say nearly
// the same, found by a random search, by single bits, over such readings of an H200.
var knownHash = device.SliceHash{
	Modulus: 5,
	Low:     []uint64{0xd011, 0x4c9d, 0x3da9, 0xd474},
	Fold:    []uint64{0x5793, 0x78e3, 0x9019},
	// An allocator's page, and where in it an array that shares its page with others
	// begins, if nothing but a piece of the least size lies before it.
	Page:      2 << 20,
	SmallBase: 512,
}

// hashedTargets is the range, in bytes, over which hashes are compared: what lies
// further apart takes part in few readings.
const hashedTargets = 1 << 22

// hash sets the address hash, where the known one meets the readings better than
// regions that take turns do.
func (b *builder) hash(alone float64, found layout) {
	h, count := knownHash, uint64(b.p.Global.Slices.Value)
	var rows []reading
	for _, r := range b.everySM("op=u32_add spread=warp") {
		stride := uint64(r.number("stride"))
		if r.number("targets") >= 1 && stride >= found.chunk && stride%found.chunk == 0 &&
			uint64(r.number("targets"))*stride <= hashedTargets {
			rows = append(rows, r)
		}
	}
	if len(rows) < 20 || !(alone > 0) || h.Slices() != count {
		return
	}
	// the root mean square of the logarithm of modelled over read time
	loss := func(sliceOf func(at uint64) uint64) float64 {
		sum := 0.0
		for _, r := range rows {
			d := math.Log(modelled(r, alone, sliceOf))
			sum += d * d
		}
		return math.Sqrt(sum / float64(len(rows)))
	}
	iterations := loss(func(at uint64) uint64 { return found.slice(at) % count })
	hashed := loss(func(at uint64) uint64 { return h.Slice(at / found.chunk) })
	if !(hashed < iterations) {
		return
	}
	own := estimate{}.from("global", "throughput op=u32_add spread=warp at strides of whole chunks "+
		"over up to %d bytes: the known hash whose fullest slice explains them best, "+
		"%.1f %% off in the root mean square (it was searched on such readings, these among them); "+
		"small_base and page are assumed: the allocator's second piece of %d "+
		"bytes", hashedTargets, 100*hashed, h.SmallBase)
	h.Source, h.Rationale = b.source("readings.csv", "suite "+own.source), own.rationale
	b.p.Global.Hash = &h
}
