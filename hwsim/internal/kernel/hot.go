package kernel

import (
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// `hot` keeps frequent targets in a table of S slots, a tag and R sums for each, in the shared
// memory of each block. A target has one slot, and each slot one target.

// bufTags holds the target of each slot, or EmptyKey.
const bufTags = bufScratch

// counterFactor is the multiplier, an odd one, of the hash of the counter with which a sample counts a target.
const counterFactor = 2246822519

// leastSeen is how often a sample has to hit a target for it to be hot.
const leastSeen = 2

// hash returns the highest bits of index·factor modulo 2^32 that number one of size places, a power
// of two. The product is in the upper half of a register, which wraps by itself.
func hash(b *machine.Builder, index operand, factor, size uint64) operand {
	return b.Shr(b.Mul(index, imm(factor<<32)), imm(64-uint64(bits.TrailingZeros64(size))))
}

func (s *Session) stream() []uint32 {
	if s.Whole != nil {
		return s.Whole
	}
	return s.Machine.Buffers[BufIndex].Words
}

// placeTable places the tags: known targets, or room for those that a sample will find.
func (s *Session) placeTable() {
	if s.Implementation.Sample > 0 {
		s.Buffer(machine.Counters(uint64(s.Implementation.Slots)))
		return
	}
	counts := make([]uint32, s.Bins)
	for _, x := range s.stream() {
		counts[x]++
	}
	s.Buffer(&machine.Buffer{Words: impl.Tags(counts, s.Implementation.Slots)})
}

// loopTable launches the loop over the stream, behind the sampler if hot targets are not known.
func (s *Session) loopTable() {
	if s.Implementation.Sample > 0 && s.Err == nil {
		s.sampleTable()
	}
	s.loop()
}

// sumsAt is the element of shared memory at which the copies begin, behind the tags.
func (u *Updater) sumsAt() uint64 {
	return uint64((4*u.Implementation.Slots + 7) &^ 7 / u.call.Type.Bytes())
}

func (u *Updater) tableCopies() copies {
	return copies{imm(uint64(u.Implementation.Slots)), imm(uint64(u.Implementation.SlotStep())), u.sumsAt(),
		func(k operand) operand { return u.LoadShared(false, k) }}
}

func (u *Updater) openTable() {
	u.Scoped(func() {
		threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
		u.Each(u.Tid(), imm(uint64(u.Implementation.Slots)), threads, func(k operand) {
			u.StoreShared(false, k, u.Load(bufTags, k))
		})
	})
	u.CopyAt = u.clearCopies(u.tableCopies().step, u.sumsAt())
}

// lookUp returns the slot of a target, and whether the target stands there.
func (u *Updater) lookUp(target operand) (slot, hit operand) {
	slot = hash(u.Builder, target, splitmix.Knuth, uint64(u.Implementation.Slots))
	return slot, u.Equal(u.LoadShared(false, slot), target)
}

// addHot adds to the thread's copy of the target's slot, and where that has another target, or
// none, to the target itself. While hits are counted, all have a slot.
func (u *Updater) addHot(index, value operand) {
	if u.counting {
		u.addShared(index, value)
		return
	}
	slot, hit := u.lookUp(index)
	u.WhenElse(hit, func() { u.addShared(slot, value) }, func() { u.addGlobal(index, value) })
}

// sampleTable launches the kernel that looks for hot targets in a sample: blocks that share the
// slots read all of its updates each. It runs on a machine whose update is what a thread offers.
func (s *Session) sampleTable() {
	stream, slots := s.stream(), uint64(s.Implementation.Slots)
	shape := s.Device.Limits().SampleShape(s.Implementation)
	p := newSampler(s.Machine.Lanes, slots, slots/shape.Blocks)
	p.first = p.Mul(machine.BlockID, imm(p.own))
	s.sample(p, shape, s.keys(stream), s.Machine.Stream,
		sampleArgs(s.Implementation.Sample, uint64(len(stream))))
}

func (s *Session) sample(p *sampler, shape device.Shape, stream *machine.Buffer, beyond bool, args []uint64) {
	other := NewSession(s.Device, device.Offer(), s.Implementation, s.Seed)
	m := other.Machine
	m.Buffers = slices.Clone(s.Machine.Buffers)
	stream.Base = m.Buffers[BufIndex].Base
	m.Buffers[BufIndex], m.Stream = stream, beyond
	other.Launch(p.kernel(), shape, args...)
	s.Times, s.Err = append(s.Times, other.Times...), other.Err
	s.Machine.Instrs, s.Machine.Events = s.Machine.Instrs+m.Instrs, s.Machine.Events+m.Events
	s.Machine.Issued, s.Machine.Completed = s.Machine.Issued+m.Issued, s.Machine.Completed+m.Completed
}

func sampleArgs(samples int, updates uint64) []uint64 {
	if updates <= uint64(samples) {
		return []uint64{updates, 1, 0} // each update once
	}
	return []uint64{uint64(samples), updates, uint64(bits.TrailingZeros(uint(samples)))}
}

// goldenRatio is the golden ratio's fraction in units of 2^-32.
const goldenRatio = 2654435769

// sampler assembles the kernel that looks for hot targets. Sample j is update
// floor((j + f) · argFactor / 2^argBits), with the fraction f of j times the golden ratio: one of
// each stretch, at another place in it, so that no period of the stream meets that of the sample.
type sampler struct {
	blockwise
	slots, own, counters uint64 // slots of the table and of a block, whose counters
	first                operand
}

// noSample is the number of no sample, in the lower half of an offer.
const noSample = 1<<32 - 1

const (
	argSamples = iota
	argFactor
	argBits
	samplerArgs
)

// together is how many samples of a thread are loaded before the first of them is used.
const together = 4

const Sample = "sample"

// newSampler begins the kernel of a block with own of the slots, of which the caller sets the first.
func newSampler(lanes int, slots, own uint64) *sampler {
	return &sampler{blockwise: newBlockwise(Sample, samplerArgs, lanes), slots: slots, own: own}
}

// kernel assembles it: count the samples of the block's slots, let each offer its number with
// its target's count to its slot, unless a better offer stands there, and store for each slot the
// target of the highest count, of equal ones that of the earliest sample. Counts of different
// targets may share a counter.
func (p *sampler) kernel() *machine.Program {
	p.counters = uint64(device.SampleCounters(int(p.own)))
	counters := p.counters
	p.Each(p.thread, imm(counters), p.threads, func(k operand) { p.StoreShared(false, k, imm(0)) })
	p.eachSlot(func(_, best operand) { p.StoreShared(true, best, imm(leastSeen<<32-1)) })
	p.Barrier()
	one := p.Spread(imm(1))
	p.eachSample(func(_, _, counter operand) { p.CountShared(false, true, counter, one) })
	p.Barrier()
	p.eachSample(func(j, best, counter operand) {
		count := p.Shl(p.LoadShared(false, counter), imm(32))
		offer := p.Or(count, p.Xor(j, imm(noSample)))
		p.When(p.Less(p.LoadShared(true, best), offer), func() { p.AtomicShared(true, best, offer) })
	})
	p.Barrier()
	p.eachSlot(func(k, best operand) {
		offer, tag := p.LoadShared(true, best), p.Spread(imm(machine.EmptyKey))
		p.When(p.AtLeast(offer, imm(leastSeen<<32)), func() {
			j := p.Xor(p.And(offer, imm(noSample)), imm(noSample))
			p.GatherTo(tag, BufIndex, p.placeOf(j))
		})
		p.Store(bufTags, p.Add(k, p.first), tag)
	})
	return p.Done()
}

func (p *sampler) eachSlot(body func(k, best operand)) {
	p.Each(p.thread, imm(p.own), p.threads, func(k operand) { body(k, p.bestAt(k)) })
}

// bestAt is where the best offer to a slot stands, behind the counters.
func (p *sampler) bestAt(slot operand) operand { return p.Add(slot, imm(p.counters/2)) }

func (p *sampler) placeOf(j operand) operand {
	fraction := p.And(p.Mul(j, imm(goldenRatio)), imm(1<<32-1))
	within := p.Shr(p.Mul(fraction, p.Arg(argFactor)), imm(32))
	return p.Shr(p.Add(p.Mul(j, p.Arg(argFactor)), within), p.Arg(argBits))
}

func (p *sampler) eachSample(body func(j, best, counter operand)) {
	samples := p.Arg(argSamples)
	p.Each(p.thread, samples, p.Mul(p.threads, imm(together)), func(first operand) {
		var j, target, inside [together]operand
		for i := range together {
			j[i] = p.Add(first, p.Mul(p.threads, imm(uint64(i))))
			inside[i] = p.Less(j[i], samples)
			p.Keep(inside[i], func() { target[i] = p.GatherTo(p.Vec(), BufIndex, p.placeOf(j[i])) })
		}
		for i := range together {
			p.When(inside[i], func() { p.useSample(j[i], target[i], body) })
		}
	})
}

func (p *sampler) useSample(j, target operand, body func(j, best, counter operand)) {
	slot := p.Sub(hash(p.Builder, target, splitmix.Knuth, p.slots), p.first)
	p.When(p.Less(slot, imm(p.own)), func() {
		body(j, p.bestAt(slot), hash(p.Builder, target, counterFactor, p.counters))
	})
}
