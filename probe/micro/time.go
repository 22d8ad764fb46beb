package micro

import (
	"cmp"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/driver"
)

// intervals is device memory in which each warp of a launch leaves when it began
// and ended, by the clock of its SM, and which SM that is. There is one slot for
// each launch that is read together with others.
type intervals struct {
	memory       driver.Memory
	slots, warps int
}

const intervalWords = 3

func (b *bench) intervals(slots, warps int) intervals {
	return intervals{b.Zeros(uint64(slots * warps * intervalWords * 8)), slots, warps}
}

func (v *intervals) slot(i int) driver.Memory { return part(v.memory, i, v.warps*intervalWords*8) }

// part is the i-th piece of so many bytes.
func part(m driver.Memory, i, bytes int) driver.Memory {
	return driver.Memory{Address: m.Address + uint64(i*bytes), Bytes: uint64(bytes)}
}

// interval is what one warp left.
type interval struct{ start, stop, sm uint64 }

func (b *bench) read(v intervals) [][]interval {
	words := make([]uint64, v.slots*v.warps*intervalWords)
	b.Read(driver.Bytes(words), v.memory)
	all := make([][]interval, v.slots)
	for s := range all {
		for w := range v.warps {
			i := words[(s*v.warps+w)*intervalWords:]
			if i[1] <= i[0] {
				b.Fail(fmt.Errorf("%w: warp %d of launch %d ended at cycle %d, began at %d",
					driver.ErrLaunch, w, s, i[1], i[0]))
			}
			all[s] = append(all[s], interval{i[0], i[1], i[2]})
		}
	}
	return all
}

// span is the time in cycles from the first start to the last stop on one SM.
func span(all []interval) float64 {
	first, last := all[0].start, all[0].stop
	for _, i := range all {
		first, last = min(first, i.start), max(last, i.stop)
	}
	return float64(last - first)
}

// arguments are those of a kernel that goes so many steps.
type arguments func(steps uint32, slot driver.Memory) []any

// chain launches one block once for each repeat and returns the cycles of one of
// the 64 operations of its chain.
func (b *bench) chain(k driver.Kernel, l device.Shape, args arguments) []float64 {
	defer b.Scope()()
	v := b.intervals(b.repeats, l.Threads/warpLanes)
	for r := range b.repeats {
		b.Launch(k, l, args(chainLength, v.slot(r))...)
	}
	spans := b.read(v)
	return b.Repeat(b.repeats, func(r int) float64 { return span(spans[r]) / chainLength })
}

// busy returns for each repeat the cycles of the SM that a step took: from the difference
// of launches with steps and with three times as many, which holds neither start nor end.
// of is the time of a launch in cycles.
func (b *bench) busy(k driver.Kernel, l device.Shape, steps uint32, args arguments,
	of func([]interval) float64) []float64 {
	defer b.Scope()()
	v := b.intervals(2*b.repeats, int(l.Blocks)*l.Threads/warpLanes)
	for r := range b.repeats {
		for i, n := range []uint32{steps, 3 * steps} {
			b.Launch(k, l, args(n, v.slot(2*r+i))...)
		}
	}
	spans := b.read(v)
	return b.Repeat(b.repeats, func(r int) float64 {
		return b.perStep(k, of(spans[2*r]), of(spans[2*r+1]), steps)
	})
}

// perStep is the time of a step, where so many took short and three times as many long.
func (b *bench) perStep(k driver.Kernel, short, long float64, steps uint32) float64 {
	if b.Err() == nil && !(long > short) {
		b.Fail(fmt.Errorf("%w: %s: %d steps took %g, three times as many %g",
			driver.ErrLaunch, k.Name(), steps, short, long))
	}
	return (long - short) / float64(2*steps)
}

// difference returns the microseconds by events that a step took: for each repeat from the times of
// steps and of three times as many, which removes the launch. steps is a multiple of unit that
// makes a launch long enough for an exact time. Repeats may go to different places.
func (b *bench) difference(k driver.Kernel, l device.Shape, unit uint32,
	args func(repeat int, steps uint32) []any) []float64 {
	time := func(repeat int, steps uint32) float64 {
		return b.Time(func() { b.Launch(k, l, args(repeat, steps)...) })
	}
	const most = 1 << 22
	steps, want := unit, pick(b, 500.0, 150)
	for b.OK() {
		us := time(0, steps)
		if us >= want || steps >= most {
			break
		}
		steps *= uint32(math.Ceil(min(64, max(2, 1.25*want/us))))
	}
	return b.Repeat(b.repeats, func(repeat int) float64 {
		short := time(repeat, steps)
		return b.perStep(k, short, time(repeat, 3*steps), steps)
	})
}

// warmUp keeps all SMs busy for some milliseconds, so that the clock rises.
func (b *bench) warmUp() {
	defer b.Scope()()
	spans := b.Alloc(uint64(16 * b.sms()))
	l := device.Shape{Blocks: uint64(b.sms()), Threads: warpLanes}
	b.Launch(b.Kernel("launch", "spin"), l, b.cyclesOf(3000), spans)
	b.Wait()
}

// cyclesOf is about so many microseconds in cycles of the SM's clock at its highest.
func (b *bench) cyclesOf(us float64) uint64 {
	return uint64(us * cmp.Or(b.device.Attribute("sm_clock_max"), 2000))
}
