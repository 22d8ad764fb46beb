package probe

import "fmt"

var sharedOperations = []string{
	"u32_load", "u32_store", "u32_add", "u32_add_one_unused", "u32_min",
	"f32_add", "u64_add", "f64_add", "u32_casloop",
}

var contendedOperations = []string{"u32_add", "f32_add", "f64_add", "u32_casloop"}

// sharedJobs plans suite shared: operations on shared memory by all warps of an SM,
// on words of their own and on words that they share.
func sharedJobs(d Description, o Options) []Job {
	var jobs []Job
	for _, op := range sharedOperations {
		jobs = append(jobs, benchJob(d, o, "shared", "throughput "+op, func(b *bench) error { return b.sharedThroughput(op) }))
	}
	for _, op := range contendedOperations {
		jobs = append(jobs, benchJob(d, o, "shared", "contention "+op, func(b *bench) error { return b.sharedContention(op) }))
	}
	return jobs
}

// sharedThroughput measures an operation against the warps of the SM and the
// conflicts of their lanes. Each warp has words of its own; where they have no room
// together, there is no reading.
func (b *bench) sharedThroughput(op string) error {
	k, err := b.kernel("shared_throughput", "shared_throughput_"+op)
	if err != nil {
		return err
	}
	lanes, err := b.alloc(4 * warpLanes)
	if err != nil {
		return err
	}
	for _, c := range conflicts(pick(b, []int{1, 2, 4, 8, 16, 32}, []int{1, 2, 8, 32})) {
		if err := b.g.Upload(lanes, bytesOf(c.laneWords())); err != nil {
			return err
		}
		for _, warps := range pick(b, []int{1, 2, 4, 8, 16, 32}, []int{1, 2, 4, 32}) {
			if uint64(warps*c.words())*elementBytes(op) > b.sharedLimit() {
				continue
			}
			cycles, err := b.sharedBusy(k, op, c, warps, lanes)
			if err != nil {
				return err
			}
			b.note("throughput", fmt.Sprintf("op=%s %v warps=%d", op, c, warps), cycles, unitCycle, k)
		}
	}
	return nil
}

func (c conflict) laneWords() []uint32 {
	words := make([]uint32, warpLanes)
	for lane := range words {
		words[lane] = uint32(c.word(lane))
	}
	return words
}

// sharedBusy returns the cycles of the SM for one warp's operation.
func (b *bench) sharedBusy(k benchKernel, op string, c conflict, warps int, lanes Memory) ([]float64, error) {
	const steps = 64
	l := Launch{Blocks: 1, Threads: warps * warpLanes, SharedBytes: uint64(warps*c.words()) * elementBytes(op)}
	cycles, err := b.busy(k, l, steps, func(steps uint32, slot Memory) []any {
		return []any{lanes, uint32(c.words()), operand(op, 1), steps, slot}
	})
	return scaled(cycles, 1/float64(warps)), err
}

// contention is how the warps of a block meet: the first lanes of the first warps
// use words that these warps share, lane by lane; all others use words of their
// own warp. degree neighbouring lanes share a word.
type contention struct{ warps, collidingWarps, collidingLanes, degree int }

func (c contention) String() string {
	return fmt.Sprintf("warps=%d colliding_warps=%d colliding_lanes=%d degree=%d", c.warps, c.collidingWarps, c.collidingLanes, c.degree)
}

// contentions lists what is measured.
func contentions(quick bool) []contention {
	warps, together := []int{1, 2, 4, 8, 16, 32}, []int{0, 1, 2, 4, 8, 16, 32}
	lanes, degrees := []int{1, 2, 8, 16, 32}, []int{1, 2, 8, 32}
	if quick {
		warps, together = []int{1, 2, 8, 32}, []int{0, 1, 2, 8, 32}
		lanes, degrees = []int{1, 8, 32}, []int{1, 8, 32}
	}
	var all []contention
	for _, w := range warps {
		for _, t := range together {
			for _, l := range lanes {
				for _, d := range degrees {
					if t <= w && (t > 0 || l == 1) {
						all = append(all, contention{w, t, l, d})
					}
				}
			}
		}
	}
	return all
}

// sharedContention measures additions to words that warps share. The loop around
// the operation is not unrolled.
func (b *bench) sharedContention(op string) error {
	k, err := b.kernel("shared_contention", "shared_contention_"+op)
	if err != nil {
		return err
	}
	sink, err := b.alloc(blockThreads * elementBytes(op))
	if err != nil {
		return err
	}
	for _, c := range contentions(b.quick) {
		words := uint64((1+c.warps)*warpLanes + 1)
		l := Launch{Blocks: 1, Threads: c.warps * warpLanes, SharedBytes: words * elementBytes(op)}
		cycles, err := b.chain(k, l, func(slot Memory) []any {
			return []any{operand(op, 1), uint32(c.collidingWarps), uint32(c.collidingLanes), uint32(c.degree), uint32(chainLength), sink, slot}
		})
		if err != nil {
			return err
		}
		b.note("contention", fmt.Sprintf("op=%s %v", op, c), scaled(cycles, 1/float64(c.warps)), unitCycle, k)
	}
	return nil
}
