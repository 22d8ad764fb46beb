package probe

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/atomtune/atomtune/cuda/ptx"
)

// counterCase is one launch whose hardware counters are read: operations of which
// one knows how many requests, passes and sectors they should take.
type counterCase struct {
	name, module, kernel string
	// place is the word of a lane in shared memory; nil for global memory.
	place func(lane uint32) uint32
	value any // that is added
	// targets in global memory, a power of two, stride bytes apart.
	targets, stride uint64
}

const (
	counterThreads = 256 // of a block
	counterSteps   = 256 // operations of a warp
	counterWarmUp  = 8   // and so many before, in shared memory
)

// counterCases returns the cases.
func counterCases() []counterCase {
	own := func(lane uint32) uint32 { return lane }
	one := func(uint32) uint32 { return 0 }
	bank := func(lane uint32) uint32 { return lane * warpLanes }
	const bytes32M, bytes256M = 32 << 20, 256 << 20
	shared := func(name, op string, place func(uint32) uint32, value any) counterCase {
		return counterCase{name: "shared_" + name, module: "shared_throughput", kernel: "shared_throughput_" + op, place: place, value: value}
	}
	global := func(name, spread string, targets, stride uint64) counterCase {
		return counterCase{
			name: "global_" + name, module: "global_throughput", kernel: "global_throughput_u32_add_" + spread,
			value: uint32(3), targets: targets, stride: stride,
		}
	}
	return []counterCase{
		shared("u32_none", "u32_add", own, uint32(3)),
		shared("u32_position", "u32_add", one, uint32(3)),
		shared("u32_bank", "u32_add", bank, uint32(3)),
		shared("u32_one_unused_position", "u32_add_one_unused", one, uint32(3)),
		shared("f32_none", "f32_add", own, float32(3)),
		shared("f32_position", "f32_add", one, float32(3)),
		shared("f32_bank", "f32_add", bank, float32(3)),
		global("one_address", "warp", 1, 4),
		global("lanes", "lanes", bytes32M/32, 32),
		global("line", "line", bytes32M/128, 128),
		global("lanes_256_mib", "lanes", bytes256M/32, 32),
	}
}

// CounterCases returns the names of the cases of suite counters.
func CounterCases() []string {
	var names []string
	for _, c := range counterCases() {
		names = append(names, c.name)
	}
	return names
}

// LaunchCase launches the kernel of a case once, waits for it and returns its
// name. A case that there is not wraps ErrOptions.
func LaunchCase(g GPU, name string) (kernel string, err error) {
	for _, c := range counterCases() {
		if c.name == name {
			return c.kernel, c.launch(g)
		}
	}
	return "", fmt.Errorf("%w: no case %q (there are %s)", ErrOptions, name, strings.Join(CounterCases(), ", "))
}

func (c *counterCase) launch(g GPU) error {
	k, err := g.Kernel(c.module, c.kernel)
	if err != nil {
		return err
	}
	memory := pool{g: g}
	defer memory.free()
	if c.place != nil {
		err = c.launchShared(&memory, k)
	} else {
		err = c.launchGlobal(&memory, k)
	}
	if err != nil {
		return err
	}
	return g.Wait()
}

// launchShared lets one block add, each warp on words of its own.
func (c *counterCase) launchShared(memory *pool, k Kernel) error {
	const warps = counterThreads / warpLanes
	words := make([]uint32, warpLanes)
	for lane := range words {
		words[lane] = c.place(uint32(lane))
	}
	place, err := memory.alloc(warpLanes * 4)
	if err != nil {
		return err
	}
	if err := memory.g.Upload(place, bytesOf(words)); err != nil {
		return err
	}
	intervals, err := memory.alloc(warps * intervalWords * 8)
	if err != nil {
		return err
	}
	return memory.g.Launch(k, c.shape(memory.g.Describe()), place, c.width(), c.value, uint32(counterSteps), intervals)
}

// width is the number of words of shared memory that a warp has.
func (c *counterCase) width() uint32 { return c.place(warpLanes-1) + warpLanes }

// launchGlobal fills the device with warps that add to random targets.
func (c *counterCase) launchGlobal(memory *pool, k Kernel) error {
	base, err := memory.alloc(c.targets*c.stride + warpLanes*8)
	if err != nil {
		return err
	}
	if err := memory.g.Clear(base, base.Bytes); err != nil {
		return err
	}
	dropped := uint32(32 - bits.TrailingZeros64(c.targets))
	return memory.g.Launch(k, c.shape(memory.g.Describe()), base, dropped, uint32(c.stride), c.value, uint32(counterSteps))
}

// blocks is the number of blocks of the case's launch: eight for each SM.
func (c *counterCase) blocks(d Description) int {
	if c.place != nil {
		return 1
	}
	return 8 * int(d.Attribute("sm_count"))
}

// shape is that of the case's launch.
func (c *counterCase) shape(d Description) Launch {
	l := Launch{Blocks: c.blocks(d), Threads: counterThreads}
	if c.place != nil {
		l.SharedBytes = uint64(counterThreads / warpLanes * c.width() * 4)
	}
	return l
}

// operations is the number of warp operations of the case's launch.
func (c *counterCase) operations(d Description) int {
	each := counterSteps
	if c.place != nil {
		each += counterWarmUp
	}
	return each * c.blocks(d) * counterThreads / warpLanes
}

// instruction is that of the case's kernel.
func (c *counterCase) instruction() string { return ptx.Atomics(c.module, c.kernel) }
