package fit

import (
	"cmp"
	"fmt"
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

// fullest is the share of the fullest slice where so many targets lie so many
// bytes apart. Regions are taken to lie on different slices.
func (l layout) fullest(targets, stride uint64) float64 {
	return fullestShare(targets, func(i uint64) uint64 {
		return i*stride/l.region*l.slices + i*stride/l.chunk%l.slices
	})
}

// fullestShare is the share of the targets that lie on the fullest slice.
func fullestShare(targets uint64, sliceOf func(target uint64) uint64) float64 {
	load, most := map[uint64]int{}, 0
	for i := range targets {
		s := sliceOf(i)
		load[s]++
		most = max(most, load[s])
	}
	return float64(most) / float64(targets)
}

// slicing is a search for a layout in readings of warps whose lanes all add to
// one of few targets: the fullest slice serves them one by one.
//
//	ns = lanes · pass · share of the fullest slice
type slicing struct {
	all    []layout
	losses [][]float64 // of each layout, per reading
}

// worstLoss bounds what one reading counts for: regions that happen to meet on
// a slice say nothing against a layout.
const worstLoss = 0.25

// newSlicing takes the time that all targets on one slice need, in ns.
func newSlicing(rows []reading, alone float64) *slicing {
	s := &slicing{all: layouts()}
	for _, l := range s.all {
		losses := make([]float64, len(rows))
		for i, r := range rows {
			losses[i] = math.Min(worstLoss, math.Abs(math.Log(l.served(alone, r)/r.Value)))
		}
		s.losses = append(s.losses, losses)
	}
	return s
}

func (l layout) served(alone float64, r reading) float64 {
	return alone * l.fullest(uint64(r.number("targets")), uint64(r.number("stride")))
}

// best is the layout with the least loss over readings drawn so many times.
func (s *slicing) best(times []int) layout {
	at, least := 0, math.Inf(1)
	for i, losses := range s.losses {
		sum := 0.0
		for k, loss := range losses {
			sum += loss * float64(times[k])
		}
		if sum < least-1e-9 {
			at, least = i, sum
		}
	}
	return s.all[at]
}

// chunks sets how addresses are spread over the slices.
func (b *builder) chunks(alone float64) layout {
	var rows []reading
	strides := map[string]bool{}
	for _, r := range b.everySM("u32_add", "warp") {
		if n := r.number("targets"); n >= 2 && n <= fewTargets {
			rows = append(rows, r)
			strides[r.parameters["stride"]] = true
		}
	}
	if len(strides) < 3 || len(rows) < 6 || !(alone > 0) {
		assumed := layout{256, 256, 1}
		for _, f := range assumed.fields() {
			b.put(f.place, assume(f.value, "assumed", "fewer than three strides were measured"))
		}
		return assumed
	}
	s := newSlicing(rows, alone)
	times := slices.Repeat([]int{1}, len(rows))
	found := s.best(times)
	errs := make([]float64, len(rows))
	for i, r := range rows {
		errs[i] = found.served(alone, r)/r.Value - 1
	}
	residuals := Summarise(errs)
	rng := seeded("global.chunk_bytes")
	drawn := map[string][]float64{}
	for range draws {
		clear(times)
		for range rows {
			times[rng.IntN(len(rows))]++
		}
		for _, f := range s.best(times).fields() {
			drawn[f.place] = append(drawn[f.place], f.value)
		}
	}
	for _, f := range found.fields() {
		b.put(f.place, estimate{value: f.value, exact: true,
			interval: percentiles(drawn[f.place], f.value), residuals: &residuals}.from("global",
			"throughput op=u32_add spread=warp over up to %d targets at %d strides: searched among powers "+
				"of two", fewTargets, len(strides)))
	}
	return found
}

type field struct {
	place string
	value float64
}

func (l layout) fields() []field {
	return []field{{"global.chunk_bytes", float64(l.chunk)},
		{"global.region_bytes", float64(l.region)}, {"global.region_slices", float64(l.slices)}}
}

func (b *builder) everySM(op, spread string) []reading {
	return b.rows.rows("global", "throughput",
		fmt.Sprintf("op=%s spread=%s sms=%.0f", op, spread, b.p.Core.SMs.Value))
}

// spreadOut returns the fastest reading of all SMs at that stride; if there is
// none, at any. Few targets wait for each other on their slices, and the targets
// of many leave L2: between them every slice has as much to do.
func (b *builder) spreadOut(op, spread string, stride float64) []reading {
	all := b.everySM(op, spread)
	some := where(all, func(r reading) bool { return r.number("stride") == stride })
	if len(some) == 0 {
		some = all
	}
	if len(some) == 0 {
		return nil
	}
	return []reading{slices.MinFunc(some,
		func(a, b reading) int { return cmp.Compare(a.Value, b.Value) })}
}

// sectorPasses is how many passes over a sector a warp's add needs at least:
// one a lane where each has its own sector, or all share a target; one a sector
// of a line.
func (b *builder) sectorPasses(t device.Type, spread string) float64 {
	lanes := b.p.Core.WarpLanes.Value
	if spread == "line" {
		return lanes * float64(t.Bytes()) / b.p.Global.SectorBytes.Value
	}
	return lanes
}

// knownHashes are the address hashes that are tried on readings of throughput.
// The one of 80 slices was found by a random search, by single bits, over such
// readings of an H200; it is one of many that say nearly the same.
func knownHashes() []device.SliceHash {
	return []device.SliceHash{{
		Modulus: 5,
		Low:     []uint64{0xd011, 0x4c9d, 0x3da9, 0xd474},
		Fold:    []uint64{0x5793, 0x78e3, 0x9019},
	}}
}

// An allocator's page, and where in it an array that shares its page with others
// begins, if nothing but a piece of the least size lies before it.
const (
	allocationPage  = 2 << 20
	allocationPiece = 512
)

// hashedTargets is the range, in bytes, over which hashes are compared: what lies
// further apart takes part in few readings.
const hashedTargets = 1 << 22

// hash sets the address hash, where a known one meets the readings better than
// regions that take turns do.
func (b *builder) hash(alone float64, found layout) {
	var rows []reading
	for _, r := range b.everySM("u32_add", "warp") {
		stride := uint64(r.number("stride"))
		if r.number("targets") >= 1 && stride >= found.chunk && stride%found.chunk == 0 &&
			uint64(r.number("targets"))*stride <= hashedTargets {
			rows = append(rows, r)
		}
	}
	if len(rows) < 20 || !(alone > 0) {
		return
	}
	turns := func(chunk uint64) uint64 {
		return found.slice(chunk*found.chunk,
			uint64(b.p.Global.Slices.Value))
	}
	least := hashLoss(rows, alone, found.chunk, turns)
	for _, h := range knownHashes() {
		if float64(h.Slices()) != b.p.Global.Slices.Value {
			continue
		}
		loss := hashLoss(rows, alone, found.chunk, h.Slice)
		if !(loss < least) {
			continue
		}
		least = loss
		h.SmallBase, h.Page = allocationPiece, allocationPage
		own := estimate{}.from("global", "throughput op=u32_add spread=warp at strides of whole chunks "+
			"over up to %d bytes: the known hash whose fullest slice explains them best, "+
			"%.1f %% off in the root mean square (it was searched on such readings, these among them); "+
			"small_base and page are assumed: the allocator's second piece of %d "+
			"bytes", hashedTargets, 100*loss, allocationPiece)
		h.Source, h.Rationale = b.source("readings.csv", "suite "+own.source), own.rationale
		b.p.Global.Hash = &h
	}
}

// slice is the slice of an address where regions take turns.
func (l layout) slice(at, slices uint64) uint64 {
	return at/l.region%(slices/l.slices)*l.slices + at/l.chunk%l.slices
}

// hashLoss is the root mean square of the logarithm of modelled over read time,
// where the fullest slice serves its targets one by one.
func hashLoss(
	rows []reading, alone float64, chunk uint64, sliceOf func(chunk uint64) uint64,
) float64 {
	sum := 0.0
	for _, r := range rows {
		step := uint64(r.number("stride")) / chunk
		share := fullestShare(uint64(r.number("targets")),
			func(i uint64) uint64 { return sliceOf(i * step) })
		d := math.Log(alone * share / r.Value)
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(rows)))
}
