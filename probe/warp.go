package probe

import "fmt"

// warpJobs plans suite warp: instructions between the lanes of a warp, integer
// arithmetic, barriers.
func warpJobs(d Description, o Options) []Job {
	return []Job{
		benchJob(d, o, "warp", "latency", (*bench).warpLatencies),
		benchJob(d, o, "warp", "throughput", (*bench).warpThroughputs),
		benchJob(d, o, "warp", "barrier", (*bench).barriers),
		benchJob(d, o, "warp", "issue", (*bench).issue),
	}
}

// warpOperation is an instruction of a warp. Its time depends on how many
// different words the lanes hold where keys has more than one number.
type warpOperation struct {
	name, module string
	major        int // least compute capability
	keys         []uint32
}

var warpOperations = []warpOperation{
	{"alu_add", "warp", 0, []uint32{1}},
	{"shuffle", "warp", 0, []uint32{1}},
	{"ballot", "warp", 0, []uint32{1}},
	{"popc", "warp", 0, []uint32{1}},
	{"reduce_add", "warp_redux", 8, []uint32{1}},
	{"match_any", "warp_match", 7, []uint32{1, 2, 4, 8, 16, 32}},
}

// eachWarpOperation calls measure for each operation that the device has and each
// number of keys.
func (b *bench) eachWarpOperation(prefix string, measure func(k benchKernel, keys uint32, parameters string) error) error {
	for _, op := range warpOperations {
		if !b.capable(op.major, op.name) {
			continue
		}
		k, err := b.kernel(op.module, prefix+op.name)
		if err != nil {
			return err
		}
		for _, keys := range op.keys {
			if err := measure(k, keys, fmt.Sprintf("op=%s keys=%d", op.name, keys)); err != nil {
				return err
			}
		}
	}
	return nil
}

// warpLatencies measures one warp's chain of operations. A chain holds what makes
// its operations dependent: ballot a comparison, match_any a logical operation.
func (b *bench) warpLatencies() error {
	sink, err := b.alloc(4 * warpLanes)
	if err != nil {
		return err
	}
	return b.eachWarpOperation("warp_chain_", func(k benchKernel, keys uint32, parameters string) error {
		cycles, err := b.busy(k, smallest, chainLength, func(steps uint32, slot Memory) []any {
			return []any{keys, uint32(0), steps, sink, slot}
		})
		if err == nil {
			b.note("latency", parameters, cycles, unitCycle, k)
		}
		return err
	})
}

// warpThroughputs measures 32 warps of one SM with four chains each.
func (b *bench) warpThroughputs() error {
	const chains, warps = 4, blockThreads / warpLanes
	sink, err := b.alloc(4 * blockThreads)
	if err != nil {
		return err
	}
	return b.eachWarpOperation("warp_throughput_", func(k benchKernel, keys uint32, parameters string) error {
		cycles, err := b.busy(k, Launch{Blocks: 1, Threads: blockThreads}, chainLength, func(steps uint32, slot Memory) []any {
			return []any{keys, uint32(0), steps, sink, slot}
		})
		if err == nil {
			b.note("throughput", parameters, scaled(cycles, 1.0/(chains*warps)), unitCycle, k)
		}
		return err
	})
}

// scaled returns the values times a factor.
func scaled(values []float64, factor float64) []float64 {
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = factor * v
	}
	return all
}

func (b *bench) barriers() error {
	k, err := b.kernel("warp", "warp_barrier")
	if err != nil {
		return err
	}
	for _, threads := range powers(warpLanes, blockThreads, 2) {
		cycles, err := b.busy(k, Launch{Blocks: 1, Threads: int(threads)}, chainLength, func(steps uint32, slot Memory) []any {
			return []any{steps, slot}
		})
		if err != nil {
			return err
		}
		b.note("barrier", fmt.Sprintf("threads=%d", threads), cycles, unitCycle, k)
	}
	return nil
}

// issue measures at which rate an SM issues arithmetic, against its warps, each
// with eight independent chains. Additions go to two kinds of units in turn where
// the device has them, shifts to one kind.
func (b *bench) issue() error {
	for _, op := range []string{"alu_add", "alu_shift"} {
		k, err := b.kernel("warp", "warp_issue_"+op)
		if err != nil {
			return err
		}
		for _, warps := range powers(1, 64, 2) {
			cycles, err := b.issueRate(k, int(warps))
			if err != nil {
				return err
			}
			if cycles != nil {
				b.note("issue", fmt.Sprintf("op=%s warps=%d", op, warps), cycles, unitCycle, k)
			}
		}
	}
	return nil
}

// issueRate is the cycles of an SM with so many warps for one instruction. More
// warps than one block has come as two blocks on every SM, of which those count
// that got two; nil where the device does not hold them.
func (b *bench) issueRate(k benchKernel, warps int) ([]float64, error) {
	const chains, steps = 8, 4 * chainLength
	l := Launch{Blocks: 1, Threads: warpLanes * warps}
	if l.Threads > blockThreads {
		l = Launch{Blocks: 2 * b.sms(), Threads: l.Threads / 2}
		resident, err := b.g.Resident(k.Kernel, l.Threads, 0)
		if err != nil || resident < 2 {
			return nil, err
		}
	}
	all := l.Blocks * l.Threads / warpLanes
	sink, err := b.alloc(uint64(4 * l.Blocks * l.Threads))
	if err != nil {
		return nil, err
	}
	v, err := b.intervals(2*b.repeats, all)
	if err != nil {
		return nil, err
	}
	defer b.release(v.memory)
	for r := range 2 * b.repeats {
		n := uint32(steps)
		if r%2 == 1 {
			n *= 3
		}
		if err := b.g.Launch(k.Kernel, l, uint32(warpLanes), uint32(0), n, sink, v.slot(r)); err != nil {
			return nil, err
		}
	}
	read, err := v.read(b.g, all)
	if err != nil {
		return nil, err
	}
	cycles, err := b.repeat(func(r int) (float64, error) {
		return perStep(k, spanOfSM(read[2*r], warps), spanOfSM(read[2*r+1], warps), steps)
	})
	return scaled(cycles, 1/float64(chains*warps)), err
}

// spanOfSM is the median span of the SMs that had so many warps, or 0.
func spanOfSM(all []interval, warps int) float64 {
	bySM := map[uint64][]interval{}
	for _, i := range all {
		bySM[i.sm] = append(bySM[i.sm], i)
	}
	var spans []float64
	for _, on := range bySM {
		if len(on) == warps {
			spans = append(spans, span(on))
		}
	}
	if len(spans) == 0 {
		return 0
	}
	return median(spans)
}
