package probe

import "math"

// A launch whose time by events is to be exact takes at least so many
// microseconds.
const (
	longEnoughUS  = 500
	quickEnoughUS = 150
)

// launched tells how long a launch takes that depends on the steps, in
// microseconds by events. Repeats may go to different places.
type launched func(repeat int, steps uint32) (us float64, err error)

// most steps that a launch is tried with.
const mostSteps = 1 << 22

// enough returns how many steps, a multiple of unit, make a launch long enough.
func (b *bench) enough(unit uint32, time launched) (uint32, error) {
	steps, want := unit, pick[float64](b, longEnoughUS, quickEnoughUS)
	for {
		if err := b.ctx.Err(); err != nil {
			return 0, err
		}
		us, err := time(0, steps)
		if err != nil || us >= want || steps >= mostSteps {
			return steps, err
		}
		factor := math.Ceil(min(64, max(2, 1.25*want/us)))
		steps *= uint32(factor)
	}
}

// difference returns the microseconds that a step took: for each repeat from the
// times of steps and of three times as many, which removes the launch.
func (b *bench) difference(k benchKernel, unit uint32, time launched) ([]float64, error) {
	steps, err := b.enough(unit, time)
	if err != nil {
		return nil, err
	}
	return b.repeat(func(repeat int) (float64, error) {
		short, err := time(repeat, steps)
		if err != nil {
			return 0, err
		}
		long, err := time(repeat, 3*steps)
		if err != nil {
			return 0, err
		}
		return perStep(k, short, long, steps)
	})
}

// launch returns the time by events of a launch.
func (b *bench) launch(k benchKernel, l Launch, args func(repeat int, steps uint32) []any) launched {
	return func(repeat int, steps uint32) (float64, error) {
		return b.g.Time(func() error { return b.g.Launch(k.Kernel, l, args(repeat, steps)...) })
	}
}

// warmUp keeps all SMs busy for some milliseconds, so that the clock has risen
// when something is measured.
func (b *bench) warmUp() error {
	k, err := b.kernel("launch", "spin")
	if err != nil {
		return err
	}
	spans, err := b.alloc(uint64(16 * b.sms()))
	if err != nil {
		return err
	}
	defer b.release(spans)
	l := Launch{Blocks: b.sms(), Threads: warpLanes}
	if err := b.g.Launch(k.Kernel, l, b.cyclesOf(3000), spans); err != nil {
		return err
	}
	return b.g.Wait()
}

func (b *bench) sms() int { return int(b.device.Attribute("sm_count")) }

// cyclesOf is about so many microseconds in cycles of the SM's clock at its
// highest.
func (b *bench) cyclesOf(us float64) uint64 {
	mhz := b.device.Attribute("sm_clock_max")
	if mhz <= 0 {
		mhz = 2000
	}
	return uint64(us * mhz)
}

// memoryLimit is the most memory that a measurement takes on the device: an eighth
// of all.
func memoryLimit(d Description) uint64 {
	if all := d.Attribute("global_bytes"); all > 0 {
		return uint64(all) / 8
	}
	return math.MaxUint64
}

// blocksAlone is a launch whose blocks have an SM each to themselves: a block takes
// all the shared memory that it can get.
func (b *bench) blocksAlone(blocks, threads int) Launch {
	return Launch{Blocks: blocks, Threads: threads, SharedBytes: b.sharedLimit()}
}

func (b *bench) sharedLimit() uint64 { return uint64(b.device.Attribute("shared_bytes_per_block")) }
