package apps

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// sumThreads is the largest block of a summation, as in the CUDA SDK.
const sumThreads = 256

// runSummation adds up as many elements as there are keys, drawn from the seed.
// Both forms read them alike, two per iteration of a loop with the grid's stride. The
// original adds up each block's threads in shared memory and writes one sum per
// block, the input of the next launch, until one sum is left. The atomic form
// lets each thread add its own sum to one of Bins sums, threads in turn; if
// there are more than one, these are summed as in the original.
func runSummation(cfg AppConfig, in AppInput) (AppResult, error) {
	s := newAppSession(cfg, cfg.Type)
	call := device.Call{Type: cfg.Type}
	elements := arith.Values(call, cfg.Seed, len(in.Keys))
	total, err := kernel.BufTarget, error(nil)
	if cfg.Original {
		err = s.sumByBlocks(elements)
	} else {
		total, err = s.sumByAtomics(cfg, elements, in.Bins)
	}
	if err != nil {
		return AppResult{}, err
	}
	one := make([]uint32, len(elements))
	return s.finish(arith.Correct(call, cfg.Seed, one, 1, s.Output(total)))
}

// sumLevel is one launch of a summation: blocks sums of n elements.
type sumLevel struct {
	in, out   int // buffers
	n, blocks uint64
	threads   uint64
}

// levelOf shapes a launch over n elements, two per thread at least: the blocks
// of the SDK's reduction, but as many as the device holds at once where the SDK
// has 64 of them.
func (s *appSession) levelOf(in int, n uint64) (sumLevel, error) {
	l := sumLevel{in: in, n: n, threads: sumThreads}
	if n < 2*sumThreads {
		l.threads = max(s.lanes, 1<<bits.Len64((n+1)/2-1))
	}
	perSM, err := residentBlocks(s.Device, int(l.threads), s.treeBytes(l.threads))
	l.blocks = min((n+2*l.threads-1)/(2*l.threads), uint64(perSM*s.Machine.SMs))
	return l, err
}

func (s *appSession) treeBytes(threads uint64) uint64 {
	return treeElements(threads, s.lanes) * uint64(s.Call.Type.Bytes())
}

// levels plans the launches that leave one sum of n elements in a buffer, and
// places what lies between.
func (s *appSession) levels(in, out int, n uint64) ([]sumLevel, error) {
	var plan []sumLevel
	for {
		l, err := s.levelOf(in, n)
		if err != nil {
			return nil, err
		}
		l.out = out
		if l.blocks > 1 {
			l.out = s.elements(l.blocks)
		}
		plan = append(plan, l)
		if l.blocks == 1 {
			return plan, nil
		}
		in, n = l.out, l.blocks
	}
}

func (s *appSession) sumLevels(plan []sumLevel) error {
	for _, l := range plan {
		p := reduceKernel(l, s.Call.Type.Bytes() == 8, s.lanes)
		s.runBlocks(p, l.blocks, int(l.threads), s.treeBytes(l.threads), l.n)
	}
	return s.Err
}

// sumByBlocks is the original.
func (s *appSession) sumByBlocks(elements []uint64) error {
	s.elements(1)
	in := s.filled(elements)
	plan, err := s.levels(in, kernel.BufTarget, uint64(len(elements)))
	if err != nil {
		return err
	}
	return s.sumLevels(plan)
}

// sumByAtomics adds to a compacted array of sums. It returns the buffer of the
// sum of these.
func (s *appSession) sumByAtomics(cfg AppConfig, elements []uint64, sums uint64) (int, error) {
	s.elements(sums)
	in, n, total := s.filled(elements), uint64(len(elements)), kernel.BufTarget
	var rest []sumLevel
	if sums > 1 {
		total = s.elements(1)
		var err error
		if rest, err = s.levels(kernel.BufTarget, total, sums); err != nil {
			return 0, err
		}
	}
	l, err := s.levelOf(in, n)
	if threads := l.blocks * l.threads; err == nil && threads > moduloLimit {
		err = fmt.Errorf("%w: %d threads on %s, at most %d", device.ErrCannot, threads, cfg.Device.Name,
			moduloLimit)
	}
	if err := cmp.Or(err, s.Clear(kernel.BufTarget)); err != nil {
		return 0, err
	}
	p := sumAtomicKernel(l, cfg.Method, s.Call, s.lanes, sums)
	s.runBlocks(p, l.blocks, int(l.threads), 0, n, 0, cfg.Seed)
	return total, s.sumLevels(rest)
}

// reduceKernel writes the sum of each block's elements, reduce6 of the CUDA
// SDK's reduction (M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA
// 2007).
func reduceKernel(l sumLevel, wide bool, lanes uint64) *machine.Program {
	b := machine.NewBuilder("reduce", kernel.UpdateArgs)
	thread := b.Tid()
	total := gridSum(b, l, thread)
	treeReduce(b, wide, thread, total, l.threads, lanes)
	b.When(b.Equal(thread, imm(0)), func() { b.Store(l.out, b.Spread(machine.BlockID), total) })
	return b.Done()
}

// gridSum adds up the thread's elements, two per iteration.
func gridSum(b *machine.Builder, l sumLevel, thread operand) operand {
	total := b.Spread(imm(0))
	at := b.Add(thread, b.Mul(machine.BlockID, imm(2*l.threads)))
	b.For(at, b.Arg(kernel.ArgUpdates), imm(2*l.threads*l.blocks), func() {
		first, second := b.Load(l.in, at), b.Vec()
		b.Mov(second, imm(0))
		next := b.Add(at, imm(l.threads))
		b.When(b.Less(next, b.Arg(kernel.ArgUpdates)), func() { b.LoadTo(second, l.in, next) })
		b.To(total, machine.OpAddT, total, first)
		b.To(total, machine.OpAddT, total, second)
	})
	return total
}

// sumAtomicKernel adds each thread's sum to sum number thread mod sums, by the
// method. Threads without elements add nothing.
func sumAtomicKernel(l sumLevel, method impl.Spec, call device.Call, lanes,
	sums uint64) *machine.Program {
	u := kernel.NewUpdater("sum."+method.String(), kernel.UpdateArgs, method, call, int(lanes))
	u.Masks()
	thread := u.Tid()
	total := gridSum(u.Builder, l, thread)
	u.Draw(u.GridWarps)
	first := u.Add(thread, u.Mul(machine.BlockID, imm(2*l.threads)))
	inside := u.Less(first, u.Arg(kernel.ArgUpdates))
	u.When(inside, func() {
		u.Inside = inside
		number := u.Add(thread, u.Mul(machine.BlockID, imm(l.threads)))
		u.ReduceAndAdd(modulo(u.Builder, number, l.blocks*l.threads, sums), total)
	})
	return u.Done()
}

// moduloLimit bounds what modulo takes.
const moduloLimit = 1 << 20

// modulo computes a mod n for a below the limit, of at most moduloLimit:
// nothing where n is no smaller, a mask where it is a power of two, and
// otherwise by the reciprocal in 44 bits. Its error e = n·(2^44 div n + 1) - 2^44
// is at most n, so that a·e stays below 2^44 and the quotient is exact.
func modulo(b *machine.Builder, a operand, limit, n uint64) operand {
	switch {
	case n >= limit:
		return a
	case n&(n-1) == 0:
		return b.And(a, imm(n-1))
	}
	quotient := b.Shr(b.Mul(a, imm((1<<44)/n+1)), imm(44))
	return b.Sub(a, b.Mul(quotient, imm(n)))
}

// treeElements returns how many elements of shared memory treeReduce uses:
// lanes of the first warp whose sums do not matter read beyond the threads'.
func treeElements(threads, lanes uint64) uint64 { return threads + lanes/2 }

// treeReduce adds up one element per thread of the block, as the reduction of
// the CUDA SDK does: in shared memory from element 0 on, each iteration with half as
// many threads, with barriers while more than one warp takes part. The sum ends
// up in thread 0. The block has a power of two of threads, one warp at least.
func treeReduce(b *machine.Builder, wide bool, thread, total operand, threads, lanes uint64) {
	fold := func(distance uint64) {
		b.Scoped(func() {
			b.To(total, machine.OpAddT, total, b.LoadShared(wide, b.Add(thread, imm(distance))))
			b.StoreShared(wide, thread, total)
		})
	}
	b.StoreShared(wide, thread, total)
	b.Barrier()
	distance := threads / 2
	for ; distance > lanes; distance /= 2 {
		b.When(b.Less(thread, imm(distance)), func() { fold(distance) })
		b.Barrier()
	}
	b.When(b.Equal(machine.WarpID, imm(0)), func() {
		for ; distance >= 1; distance /= 2 {
			fold(distance)
		}
	})
}
