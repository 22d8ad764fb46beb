package micro

import (
	"cmp"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
)

// interval is what one warp of a launch leaves: when it began and ended, by the clock of its SM, and
// which SM that is.
type interval struct{ start, stop, sm uint64 }

const intervalBytes = 3 * 8

// part is the i-th piece of so many bytes.
func part(m driver.Memory, i, bytes int) driver.Memory {
	return driver.Memory{Address: m.Address + uint64(i*bytes), Bytes: uint64(bytes)}
}

// span is the time in cycles from the first start to the last stop on one SM.
func span(all []interval) float64 {
	first, last := all[0].start, all[0].stop
	for _, i := range all {
		first, last = min(first, i.start), max(last, i.stop)
	}
	return float64(last - first)
}

// spans launches so many times, each with a slot for the intervals of its warps, and returns of each
// launch its time in cycles.
func (b *bench) spans(launches, warps int, of func([]interval) float64,
	launch func(number int, slot driver.Memory)) []float64 {
	defer b.Scope()()
	bytes := warps * intervalBytes
	memory := b.Zeros(uint64(launches * bytes))
	for i := range launches {
		launch(i, part(memory, i, bytes))
	}
	words := make([]uint64, launches*bytes/8)
	b.Read(driver.Bytes(words), memory)
	cycles := make([]float64, launches)
	for i := range cycles {
		var all []interval
		for w := range warps {
			at := words[(i*warps+w)*intervalBytes/8:]
			if at[1] <= at[0] {
				b.Fail(fmt.Errorf("%w: warp %d of launch %d ended at cycle %d, began at %d",
					driver.ErrLaunch, w, i, at[1], at[0]))
			}
			all = append(all, interval{at[0], at[1], at[2]})
		}
		cycles[i] = of(all)
	}
	return cycles
}

// arguments are those of a kernel that goes so many steps, in a launch of that number.
type arguments func(number int, steps uint32, slot driver.Memory) []any

// chain notes the cycles of one of the 64 operations of the chain of one block's warps: for each repeat the
// mean of so many launches.
func (b *bench) chain(reading string, k driver.Kernel, l device.Shape, launches int, args arguments) {
	warps := l.Threads / warpLanes
	cycles := b.spans(b.repeats*launches, warps, span, func(i int, slot driver.Memory) {
		b.Launch(k, l, args(i%launches, chainLength, slot)...)
	})
	b.note(reading, "cycle", k, l, b.Repeat(b.repeats, func(r int) (mean float64) {
		for _, c := range cycles[r*launches : (r+1)*launches] {
			mean += c / float64(launches*chainLength*warps)
		}
		return mean
	}))
}

// busy notes for each repeat the cycles of the SM for one of so many operations of a step: from the
// difference of launches with steps and with three times as many, which holds neither start nor end.
// of is the time of a launch in cycles.
func (b *bench) busy(reading string, k driver.Kernel, l device.Shape, operations int, steps uint32,
	of func([]interval) float64, args arguments) {
	cycles := b.spans(2*b.repeats, int(l.Blocks)*l.Threads/warpLanes, of, func(i int, slot driver.Memory) {
		b.Launch(k, l, args(i, steps+2*steps*uint32(i%2), slot)...)
	})
	b.note(reading, "cycle", k, l, b.Repeat(b.repeats, func(r int) float64 {
		return 1 / float64(operations) * b.perStep(k, cycles[2*r], cycles[2*r+1], steps)
	}))
}

// perStep is the time of a step, where so many took short and three times as many long.
func (b *bench) perStep(k driver.Kernel, short, long float64, steps uint32) float64 {
	if b.Err() == nil && !(long > short) {
		b.Fail(fmt.Errorf("%w: %s: %d steps took %g, three times as many %g",
			driver.ErrLaunch, k.Name(), steps, short, long))
	}
	return (long - short) / float64(2*steps)
}

// difference returns the microseconds by events that a step took: for each repeat, which is the number of its
// launches, from the times of steps and of three times as many, which removes the launch. steps is a multiple
// of unit that makes a launch long enough for an exact time.
func (b *bench) difference(k driver.Kernel, l device.Shape, unit uint32, args arguments) []float64 {
	time := func(repeat int, steps uint32) float64 {
		return b.Time(func() { b.Launch(k, l, args(repeat, steps, driver.Memory{})...) })
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

// nanoseconds notes those of the device for a step of one warp, of difference.
func (b *bench) nanoseconds(reading string, k driver.Kernel, l device.Shape, unit uint32, args arguments) {
	ns := b.difference(k, l, unit, args)
	for i := range ns {
		ns[i] *= 1e3 / float64(l.Blocks*uint64(l.Threads)/warpLanes)
	}
	b.note(reading, "ns", k, l, ns)
}

// warmUp keeps all SMs busy for some milliseconds, so that the clock rises.
func (b *bench) warmUp() {
	defer b.Scope()()
	spans := b.Alloc(uint64(16 * b.sms()))
	b.Launch(b.Kernel("launch", "spin"), b.warpEach(), b.cyclesOf(3000), spans)
	b.Wait()
}

// warpEach is a launch of one warp for each SM.
func (b *bench) warpEach() device.Shape {
	return device.Shape{Blocks: uint64(b.sms()), Threads: warpLanes}
}

// cyclesOf is about so many microseconds in cycles of the SM's clock at its highest.
func (b *bench) cyclesOf(us float64) uint64 {
	return uint64(us * cmp.Or(b.device.Attribute("sm_clock_max"), 2000))
}
