package micro

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
)

const (
	itemBytes     = 16 // of one load of a lane
	loadsPerRound = 8  // of a lane
	lineBytes     = 128
)

// stream fills the device with threads that walk over an array. In one round the
// grid loads so many bytes.
func (b *bench) stream() (l device.Shape, roundBytes uint64) {
	const threads = 512
	blocks := b.sms() * max(1, int(b.device.Attribute("max_threads_per_sm"))/threads)
	return device.Shape{Blocks: uint64(blocks), Threads: threads},
		uint64(blocks * threads * itemBytes * loadsPerRound)
}

// streamSizes are those of the bandwidths: powers of two from 1 MiB on, or from an
// eighth of L2 where that is less, so that some lie well within L2.
func (b *bench) streamSizes() []uint64 {
	least := uint64(1 << 20)
	if eighth := uint64(b.device.Attribute("l2_bytes")) / 8; eighth > 0 && eighth < least {
		least = 1 << (bits.Len64(eighth) - 1)
	}
	return powers(least, min(1<<30, b.memoryLimit()), pick[uint64](b, 2, 4))
}

// bandwidth notes the bytes per second with which a kernel goes through arrays of each
// size; a copy counts each byte twice. The atomic kernel adds beside: after every four
// loads of 512 bytes a warp adds to one of 32,768 lines at random.
func (b *bench) bandwidth(name string) {
	const lineBits = 15
	kernel, times, sizes := "read_words", 1.0, b.streamSizes()
	arrays, others := []any{b.Zeros(sizes[len(sizes)-1])}, []any{}
	switch name {
	case "copy_bandwidth":
		kernel, times = "copy_words", 2
		arrays = append(arrays, b.Zeros(sizes[len(sizes)-1]))
	case "atomic_kernel_bandwidth":
		kernel = "read_and_add"
		others = []any{b.Zeros(lineBytes << lineBits), uint32(32 - lineBits), uint32(1), b.Alloc(4)}
	default:
		others = []any{b.Alloc(4)}
	}
	k := b.Kernel("memory", kernel)
	b.warmUp()
	l, roundBytes := b.stream()
	for _, bytes := range sizes {
		rates := b.difference(k, l, 1, func(_ int, rounds uint32, _ driver.Memory) []any {
			return slices.Concat(arrays, []any{bytes/itemBytes - 1, rounds}, others)
		})
		for i, us := range rates {
			rates[i] = times * float64(roundBytes) / (1e-6 * us)
		}
		b.note(fmt.Sprintf("%s bytes=%d", name, bytes), "byte/s", k, l, rates)
	}
}

// loadLatency lets one thread follow a cycle through all lines of arrays of each
// size, after the whole device has read the array: what L2 can hold is there.
func (b *bench) loadLatency(string) {
	sizes := powers(64<<10, min(1<<30, b.memoryLimit()), 4)
	lines := b.Alloc(sizes[len(sizes)-1])
	b.warmUp()
	for _, bytes := range sizes {
		b.chase(lines, bytes)
	}
}

func (b *bench) chase(lines driver.Memory, bytes uint64) {
	defer b.Scope()()
	nodes := bytes / lineBytes
	blocks := int((nodes + driver.FlatThreads - 1) / driver.FlatThreads)
	b.LaunchFlat("memory", "link_lines", blocks, lines, uint32(bits.Len64(nodes)-1))
	read, k := b.Kernel("memory", "read_words"), b.Kernel("memory", "chase")
	end := b.Alloc(4)
	l, roundBytes := b.stream()
	rounds, steps := uint32((bytes+roundBytes-1)/roundBytes), pick[uint32](b, 4096, 1024)
	one := device.Shape{Blocks: 1, Threads: 1}
	cycles := b.spans(b.repeats, 1, span, func(r int, slot driver.Memory) {
		b.Launch(read, l, lines, bytes/itemBytes-1, rounds, end)
		b.Launch(k, one, lines, uint32(12345*(r+1))&uint32(nodes-1), steps, end, slot)
	})
	for i := range cycles {
		cycles[i] /= float64(steps)
	}
	b.note(fmt.Sprintf("load_latency bytes=%d", bytes), "cycle", k, one, cycles)
}
