package probe

import (
	"fmt"
	"math/bits"
)

// memoryJobs plans suite memory: bandwidths and the latency of a load, against the
// bytes that are touched. All accesses pass L1 by.
func memoryJobs(d Description, o Options) []Job {
	return []Job{
		benchJob(d, o, "memory", "copy_bandwidth", (*bench).copyBandwidth),
		benchJob(d, o, "memory", "read_bandwidth", (*bench).readBandwidth),
		benchJob(d, o, "memory", "atomic_kernel_bandwidth", (*bench).atomicKernelBandwidth),
		benchJob(d, o, "memory", "load_latency", (*bench).loadLatency),
	}
}

const (
	itemBytes     = 16 // of one load of a lane
	loadsPerRound = 8  // of a lane
	lineBytes     = 128
)

// stream is a launch that walks over an array.
type stream struct {
	launch     Launch
	roundBytes uint64 // that the grid loads in one round
}

// stream fills the device with threads.
func (b *bench) stream() stream {
	const threads = 512
	perSM := max(1, int(b.device.Attribute("max_threads_per_sm"))/threads)
	blocks := b.sms() * perSM
	return stream{Launch{Blocks: blocks, Threads: threads}, uint64(blocks * threads * itemBytes * loadsPerRound)}
}

// streamSizes are those of the bandwidths: powers of two from 1 MiB on, or from an
// eighth of L2 where that is less, so that some lie well within L2.
func (b *bench) streamSizes() []uint64 {
	least, most := uint64(1<<20), min(1<<30, memoryLimit(b.device))
	if eighth := uint64(b.device.Attribute("l2_bytes")) / 8; eighth > 0 && eighth < least {
		least = 1 << (bits.Len64(eighth) - 1)
	}
	return powers(least, most, pick[uint64](b, 2, 4))
}

// bandwidth notes the bytes per second with which a kernel goes through arrays of
// each size. A byte that is loaded counts so many times.
func (b *bench) bandwidth(name, kernel string, times float64, args func(mask uint64, rounds uint32) []any) error {
	k, err := b.kernel("memory", kernel)
	if err != nil {
		return err
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	s := b.stream()
	for _, bytes := range b.streamSizes() {
		mask := bytes/itemBytes - 1
		us, err := b.difference(k, 1, b.launch(k, s.launch, func(_ int, rounds uint32) []any { return args(mask, rounds) }))
		if err != nil {
			return err
		}
		rates := make([]float64, len(us))
		for i := range us {
			rates[i] = times * float64(s.roundBytes) / (1e-6 * us[i])
		}
		b.note(name, fmt.Sprintf("bytes=%d", bytes), rates, unitRate, k)
	}
	return nil
}

// streamArray returns zeros of the greatest size.
func (b *bench) streamArray() (Memory, error) {
	sizes := b.streamSizes()
	return b.zeros(sizes[len(sizes)-1])
}

func (b *bench) copyBandwidth() error {
	from, err := b.streamArray()
	if err != nil {
		return err
	}
	to, err := b.streamArray()
	if err != nil {
		return err
	}
	return b.bandwidth("copy_bandwidth", "copy_words", 2, func(mask uint64, rounds uint32) []any {
		return []any{from, to, mask, rounds}
	})
}

func (b *bench) readBandwidth() error {
	from, err := b.streamArray()
	if err != nil {
		return err
	}
	sink, err := b.alloc(4)
	if err != nil {
		return err
	}
	return b.bandwidth("read_bandwidth", "read_words", 1, func(mask uint64, rounds uint32) []any {
		return []any{from, mask, rounds, sink}
	})
}

// atomicKernelBandwidth reads as a kernel does that adds beside: after every four
// loads of 512 bytes a warp adds to one of 32,768 lines at random.
func (b *bench) atomicKernelBandwidth() error {
	const lineBits = 15
	from, err := b.streamArray()
	if err != nil {
		return err
	}
	lines, err := b.zeros(lineBytes << lineBits)
	if err != nil {
		return err
	}
	sink, err := b.alloc(4)
	if err != nil {
		return err
	}
	return b.bandwidth("atomic_kernel_bandwidth", "read_and_add", 1, func(mask uint64, rounds uint32) []any {
		return []any{from, mask, rounds, lines, uint32(32 - lineBits), uint32(1), sink}
	})
}

// loadLatency lets one thread follow a cycle through all lines of arrays of each
// size, after the whole device has read the array: what L2 can hold is there.
func (b *bench) loadLatency() error {
	sizes := powers(64<<10, min(1<<30, memoryLimit(b.device)), 4)
	lines, err := b.alloc(sizes[len(sizes)-1])
	if err != nil {
		return err
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	for _, bytes := range sizes {
		if err := b.chase(lines, bytes); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) chase(lines Memory, bytes uint64) error {
	const threads = 256
	nodes := bytes / lineBytes
	if err := launchFlat(b.g, "memory", "link_lines", int((nodes+threads-1)/threads), lines, uint32(bits.Len64(nodes)-1)); err != nil {
		return err
	}
	read, err := b.kernel("memory", "read_words")
	if err != nil {
		return err
	}
	k, err := b.kernel("memory", "chase")
	if err != nil {
		return err
	}
	v, err := b.intervals(b.repeats, 1)
	if err != nil {
		return err
	}
	defer b.release(v.memory)
	end, err := b.alloc(4)
	if err != nil {
		return err
	}
	s, steps := b.stream(), pick[uint32](b, 4096, 1024)
	rounds := uint32((bytes + s.roundBytes - 1) / s.roundBytes)
	for r := range b.repeats {
		if err := b.g.Launch(read.Kernel, s.launch, lines, bytes/itemBytes-1, rounds, end); err != nil {
			return err
		}
		start := uint32(12345*(r+1)) & uint32(nodes-1)
		if err := b.g.Launch(k.Kernel, Launch{Blocks: 1, Threads: 1}, lines, start, steps, end, v.slot(r)); err != nil {
			return err
		}
	}
	all, err := v.read(b.g, 1)
	if err != nil {
		return err
	}
	cycles, err := b.repeat(func(r int) (float64, error) { return span(all[r]) / float64(steps), nil })
	if err == nil {
		b.note("load_latency", fmt.Sprintf("bytes=%d", bytes), cycles, unitCycle, k)
	}
	return err
}
