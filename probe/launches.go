package probe

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/atomtune/atomtune/relayout"
)

// callJobs plans suite call: what a call costs that does nothing, the clock, and
// the host's share of ss.
func callJobs(d Description, o Options) []Job {
	return []Job{
		benchJob(d, o, "call", "sm_clock", (*bench).clock),
		benchJob(d, o, "call", "empty_kernels", (*bench).emptyKernels),
		benchJob(d, o, "call", "clear_kernel", (*bench).clearKernel),
		benchJob(d, o, "call", "dependent_kernels", (*bench).dependentKernels),
		benchJob(d, o, "call", "host_relayout", func(b *bench) error { return b.hostRelayout(1 << 20) }),
	}
}

// clock measures the SM's clock under load: one warp on each SM waits, and compares
// the clock with the global timer.
func (b *bench) clock() error {
	k, err := b.kernel("launch", "spin")
	if err != nil {
		return err
	}
	spans, err := b.alloc(uint64(16 * b.sms()))
	if err != nil {
		return err
	}
	for range 5 { // an idle clock takes a while to rise
		if err := b.warmUp(); err != nil {
			return err
		}
	}
	mhz, err := b.repeat(func(int) (float64, error) {
		l := Launch{Blocks: b.sms(), Threads: warpLanes}
		if err := b.g.Launch(k.Kernel, l, b.cyclesOf(2500), spans); err != nil {
			return 0, err
		}
		return b.middleClock(spans)
	})
	if err == nil {
		b.note("sm_clock", "", mhz, "MHz", k)
	}
	return err
}

// middleClock is the median over the SMs of what kernel spin left.
func (b *bench) middleClock(spans Memory) (mhz float64, err error) {
	words := make([]uint64, 2*b.sms())
	if err := b.g.Download(bytesOf(words), spans); err != nil {
		return 0, err
	}
	clocks := make([]float64, b.sms())
	for i := range clocks {
		if words[2*i+1] == 0 {
			return 0, fmt.Errorf("%w: the global timer does not advance", ErrLaunch)
		}
		clocks[i] = 1e3 * float64(words[2*i]) / float64(words[2*i+1])
	}
	return median(clocks), nil
}

// smallest is the launch of a kernel that does nothing.
var smallest = Launch{Blocks: 1, Threads: warpLanes}

// medianCall is the median time of calls that follow each other. Calls of a few
// microseconds vary much one by one.
func (b *bench) medianCall(enqueue func() error) ([]float64, error) {
	calls := pick(b, 51, 21)
	return b.repeat(func(int) (float64, error) {
		us := make([]float64, calls)
		for i := range us {
			var err error
			if us[i], err = b.g.Time(enqueue); err != nil {
				return 0, err
			}
		}
		return median(us), nil
	})
}

func (b *bench) emptyKernels() error {
	k, err := b.kernel("launch", "empty")
	if err != nil {
		return err
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	for _, launches := range []int{1, 2, 3, 5, 8} {
		us, err := b.medianCall(func() error {
			for range launches {
				if err := b.g.Launch(k.Kernel, smallest); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.note("empty_kernels", fmt.Sprintf("launches=%d", launches), us, unitUS, k)
	}
	return nil
}

func (b *bench) clearKernel() error {
	k, err := b.kernel("launch", "empty")
	if err != nil {
		return err
	}
	sizes := powers(1<<10, min(1<<28, memoryLimit(b.device)), 4)
	m, err := b.alloc(sizes[len(sizes)-1])
	if err != nil {
		return err
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	for _, bytes := range sizes {
		us, err := b.medianCall(func() error {
			if err := b.g.Clear(m, bytes); err != nil {
				return err
			}
			return b.g.Launch(k.Kernel, smallest)
		})
		if err != nil {
			return err
		}
		b.note("clear_kernel", fmt.Sprintf("bytes=%d", bytes), us, unitUS, k)
	}
	return nil
}

// dependentKernels launches kernels that run so long that the host is ahead: what
// the sum of their own times leaves is what lies between two kernels.
func (b *bench) dependentKernels() error {
	const spinUS = 20
	k, err := b.kernel("launch", "spin")
	if err != nil {
		return err
	}
	counts := []int{1, 2, 3, 5}
	most := counts[len(counts)-1]
	spans, err := b.zeros(uint64(16 * most))
	if err != nil {
		return err
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	var own []float64
	for _, launches := range counts {
		us, err := b.medianCall(func() error {
			for i := range launches {
				span := Memory{Address: spans.Address + uint64(16*i), Bytes: 16}
				if err := b.g.Launch(k.Kernel, smallest, b.cyclesOf(spinUS), span); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.note("dependent_kernels", fmt.Sprintf("launches=%d", launches), us, unitUS, k)
		words := make([]uint64, 2*launches)
		if err := b.g.Download(bytesOf(words), spans); err != nil {
			return err
		}
		for i := range launches {
			own = append(own, float64(words[2*i+1])/1e3)
		}
	}
	b.note("dependent_kernel_spin", "", own, unitUS, k)
	return nil
}

// hostRelayout times the host's share of ss: the order of so many random updates and
// their move, from host memory to host memory.
func (b *bench) hostRelayout(updates int) error {
	indices, moved := make([]uint32, updates), make([]uint32, updates)
	for _, bins := range []uint64{256, 65536, 1 << 20} {
		rng := rand.New(rand.NewPCG(1, bins))
		for i := range indices {
			indices[i] = uint32(rng.Uint64N(bins))
		}
		ns, err := b.repeat(func(int) (float64, error) {
			var runs [3]float64
			for i := range runs {
				begin := time.Now()
				for place, update := range relayout.Order(indices, bins) {
					moved[place] = indices[update]
				}
				runs[i] = float64(time.Since(begin).Nanoseconds()) / float64(updates)
			}
			return median(runs[:]), nil
		})
		if err != nil {
			return err
		}
		b.note("host_relayout", fmt.Sprintf("bins=%d", bins), ns, "ns/update", benchKernel{})
	}
	return nil
}
