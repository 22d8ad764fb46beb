package micro

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl/relayout"
	"github.com/atomtune/atomtune/internal/quantile"
)

var smallest = device.Shape{Blocks: 1, Threads: warpLanes}

// clock measures the SM's clock under load: one warp on each SM waits, and compares
// the clock with the global timer.
func (b *bench) clock(string) {
	k := b.Kernel("launch", "spin")
	spans := b.Alloc(uint64(16 * b.sms()))
	for range 5 { // an idle clock takes a while to rise
		b.warmUp()
	}
	l := b.warpEach()
	words, clocks := make([]uint64, 2*b.sms()), make([]float64, b.sms())
	mhz := b.Repeat(b.repeats, func(int) float64 {
		b.Launch(k, l, b.cyclesOf(2500), spans)
		b.Read(driver.Bytes(words), spans)
		for i := range clocks {
			if words[2*i+1] == 0 {
				b.Fail(fmt.Errorf("%w: the global timer does not advance", driver.ErrLaunch))
			}
			clocks[i] = 1e3 * float64(words[2*i]) / float64(words[2*i+1])
		}
		return quantile.Of(clocks, 0.5)
	})
	b.note("sm_clock", "MHz", k, l, mhz)
}

// medianCall notes for each repeat the median time of calls that follow each other.
func (b *bench) medianCall(reading string, k driver.Kernel, enqueue func()) {
	us := make([]float64, pick(b, 51, 21))
	b.note(reading, "us", k, smallest, b.Repeat(b.repeats, func(int) float64 {
		for i := range us {
			us[i] = b.Time(enqueue)
		}
		return quantile.Of(us, 0.5)
	}))
}

func (b *bench) emptyKernels(string) {
	k := b.Kernel("launch", "empty")
	b.warmUp()
	for _, launches := range []int{1, 2, 3, 5, 8} {
		b.medianCall(fmt.Sprintf("empty_kernels launches=%d", launches), k, func() {
			for range launches {
				b.Launch(k, smallest)
			}
		})
	}
}

func (b *bench) clearKernel(string) {
	k := b.Kernel("launch", "empty")
	sizes := powers(1<<10, min(1<<28, b.memoryLimit()), 4)
	m := b.Alloc(sizes[len(sizes)-1])
	b.warmUp()
	for _, bytes := range sizes {
		b.medianCall(fmt.Sprintf("clear_kernel bytes=%d", bytes), k, func() {
			b.Clear(m, bytes)
			b.Launch(k, smallest)
		})
	}
}

// dependentKernels launches kernels that run so long that the host is ahead: what
// the sum of their own times leaves is what lies between two kernels.
func (b *bench) dependentKernels(string) {
	const spinUS, mostLaunches = 20, 5
	k := b.Kernel("launch", "spin")
	spans := b.Zeros(16 * mostLaunches)
	b.warmUp()
	var own []float64
	for _, launches := range []int{1, 2, 3, mostLaunches} {
		b.medianCall(fmt.Sprintf("dependent_kernels launches=%d", launches), k, func() {
			for i := range launches {
				b.Launch(k, smallest, b.cyclesOf(spinUS), part(spans, i, 16))
			}
		})
		words := make([]uint64, 2*launches)
		b.Read(driver.Bytes(words), spans)
		for i := range launches {
			own = append(own, float64(words[2*i+1])/1e3)
		}
	}
	b.note("dependent_kernel_spin", "us", k, smallest, own)
}

// hostRelayout times the host's share of ss: the order of so many random updates and
// their move, from host memory to host memory.
func (b *bench) hostRelayout(updates int) {
	indices, moved := make([]uint32, updates), make([]uint32, updates)
	for _, bins := range []uint64{256, 65536, 1 << 20} {
		rng := rand.New(rand.NewPCG(1, bins))
		for i := range indices {
			indices[i] = uint32(rng.Uint64N(bins))
		}
		ns := b.Repeat(b.repeats, func(int) float64 {
			var runs [3]float64
			for i := range runs {
				begin := time.Now()
				for place, update := range relayout.Order(indices, bins) {
					moved[place] = indices[update]
				}
				runs[i] = float64(time.Since(begin).Nanoseconds()) / float64(updates)
			}
			return quantile.Of(runs[:], 0.5)
		})
		b.note(fmt.Sprintf("host_relayout bins=%d", bins), "ns/update", nil, device.Shape{}, ns)
	}
}
