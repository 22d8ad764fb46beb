package speedup

import (
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup/elteir"
	"github.com/atomtune/atomtune/variant"
)

// Bundle is several implementations on one device for one kind of call, ready
// to price streams together: what they share is computed once for each stream.
// It is safe for concurrent use.
type Bundle struct {
	rates
	d    *device.Profile
	c    device.Call
	list []candidate

	spread      [ways]bool       // the adds that some warp spreads over copies
	extreme     bool             // updates are minima or maxima
	needsGlobal bool             // some implementation adds to the targets atomically
	contended   bool             // some implementation adds with a loop in hardware
	stepped     bool             // some implementation's copies can be in step with the stream
	coordinator elteir.Pipelined // the times of a coordinator, where it is in the list
	prices      [countOfReductions]prices

	voteSlope                 float64
	lanesPerWarp              uint64
	bankMask                  uint32
	turnInstructions          float64 // of a warp's turn, beside the adds
	barrierUS, flushedUS      float64 // waiting for a block, and for its last sum
	banks, bankAtRandom       float64
	directBlocks, directWarps float64 // resident on the device, per block
	sharedPerSM, maxWarps     float64
	smallBytes                float64 // up to so many bytes of copies, an SM holds mostSmall blocks of 256 threads
	fewSmall                  float64 // below so many blocks of 256 threads an SM is not full
	mostSmall, invWarpsSmall  float64 // of private blocks of 256 threads: per SM, 1 / per block
	mostLarge, invWarpsLarge  float64 // of those that replace them
	threadsLarge              float64
	invThreadsLarge           float64
	threadShapes              []threadShape

	least [families]least
	// Parts of lower bounds: of the microseconds per byte, of the turns of a resident
	// warp per turn of the stream, of the microseconds per turn and per target of
	// threadprivate.
	leastByte, leastTurns, leastThreadTurn, leastThreadSum float64
}

// candidate is one implementation of a bundle.
type candidate struct {
	v      variant.Variant
	family Family
	way    uint8   // how updates reach the targets: a warp reduction, byScatter or byParameters
	bins   uint64  // the most targets for which the device can run it
	perUS  float64 // microseconds per update on the host
	copies copies

	threshold, samples float64 // of sr and vr
}

// CompileAll prepares the prices of implementations on a device for one kind of
// call. Errors wrap device.ErrCannot where the device cannot run one of them for
// any number of targets, ErrReturns where it cannot give old values,
// variant.ErrName for one that does not exist and device.ErrType for an unknown
// type.
func CompileAll(list []variant.Variant, d *device.Profile, c device.Call) (*Bundle, error) {
	b := new(Bundle)
	if err := b.compile(list, d, c); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Bundle) compile(list []variant.Variant, d *device.Profile, c device.Call) error {
	if err := c.Validate(); err != nil { // of an empty list too
		return err
	}
	for _, v := range list {
		if err := Check(v, d, c); err != nil {
			return err
		}
	}
	b.d, b.c, b.rates, b.extreme = d, c, ratesOf(d, c), c.Op.Extreme()
	b.list = make([]candidate, len(list))
	for i, v := range list {
		b.list[i] = b.candidate(v)
	}
	b.lanesPerWarp = uint64(d.Core.WarpLanes.Value)
	b.voteSlope = 4 / b.lanes
	for r := range b.prices {
		b.prices[r] = recipes[r].prices(&b.rates)
		if c.Operand == device.One && c.Op == device.Add {
			b.prices[r].step = price{} // lanes are counted in a mask
		}
	}
	b.turnInstructions = loopInstructions + loadInstructions*b.loads
	b.setShapes()
	b.setLeast()
	return nil
}

// candidate prepares one implementation and notes what it needs.
func (b *Bundle) candidate(v variant.Variant) candidate {
	c := candidate{v: v, family: FamilyOf(v), way: uint8(v.Reduction), bins: mostBins}
	if v.Scatter {
		c.perUS = b.d.Host.Relayout.Value / 1e3
		if v.Reduction == variant.None {
			c.way = byScatter
		}
	}
	limit := uint64(b.d.Shared.BytesPerBlock.Value)
	if v.Threshold != 0 || v.Samples != 0 {
		c.way = byParameters
	}
	c.threshold, c.samples = float64(v.T(int(b.lanes))), float64(v.M())
	switch v.Base {
	case variant.Private:
		c.copies = copiesOf(v, b.d, b.c)
		c.copies.sumUS = (b.sharedLoad + c.copies.number*(b.words*b.passPort+b.alu) + flushInstructions*b.alu) * b.cycle
		b.spread[c.way] = b.spread[c.way] || c.copies.shared
		b.stepped = b.stepped || c.copies.cyclic && c.copies.number > 1
		b.contended = b.contended || c.copies.way == addByBank
		c.bins = limit/uint64(v.R()*b.c.Type.Bytes()) - uint64(v.Pad)
	case variant.Coordinator:
		b.coordinator, _ = elteir.NewPipelined(b.d) // Check has seen that there are two paths
	case variant.ThreadPrivate:
		b.threadShapes = threadShapes(b.d, b.c.Type)
		c.bins = uint64(b.threadShapes[len(b.threadShapes)-1].bins)
	}
	b.needsGlobal = b.needsGlobal || v.UsesAtomics()
	return c
}

// mostBins is the largest number of targets that statistics describe.
const mostBins = 1 << 32

// setShapes prepares device.Shape: how many blocks are resident.
func (b *Bundle) setShapes() {
	d := b.d
	lanes, banks := int(d.Core.WarpLanes.Value), d.Shared.Banks.Value
	warps := func(threads int) float64 { return float64((threads + lanes - 1) / lanes) }
	large := min(1024, int(d.Core.MaxThreadsPerBlock.Value))
	b.maxWarps, b.sharedPerSM = d.Core.MaxWarps.Value, d.Shared.BytesPerSM.Value
	b.mostSmall, b.invWarpsSmall = blocksPerSM(d, directThreads), 1/warps(directThreads)
	b.mostLarge, b.invWarpsLarge = blocksPerSM(d, large), 1/warps(large)
	b.threadsLarge, b.invThreadsLarge = float64(large), 1/float64(large)
	b.fewSmall = b.maxWarps * b.lanes / directThreads
	b.barrierUS, b.flushedUS = b.barrier*b.cycle, (2*b.barrier+b.atomic)*b.cycle
	b.smallBytes = b.sharedPerSM / larger(b.fewSmall, b.mostSmall)
	b.directBlocks, b.directWarps = b.mostSmall*b.sms, warps(directThreads)
	b.banks, b.bankMask = banks, uint32(banks)-1
	load := b.lanes / banks
	b.bankAtRandom = load + math.Sqrt(2*load*math.Log(banks))
}

// MostBins returns the largest number of targets for which the device can run the
// implementation at that place in the list of CompileAll.
func (b *Bundle) MostBins(place int) uint64 { return b.list[place].bins }

// US writes the predicted time of one call of each implementation in
// microseconds, in the order of CompileAll, without allocation; out must be as
// long as that list. Each is exactly the one that Model.US returns: +Inf where
// the implementation cannot run the stream.
func (b *Bundle) US(s *collision.Stats, out []float64) {
	var p Pricing
	b.Start(s, &p)
	for i := range b.list {
		out[i] = p.US(i)
	}
}
