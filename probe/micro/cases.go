package micro

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/atomtune/atomtune/probe/gpu"
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
		return counterCase{
			name: "shared_" + name, module: "shared_throughput", kernel: "shared_throughput_" + op,
			place: place, value: value,
		}
	}
	global := func(name, spread string, targets, stride uint64) counterCase {
		return counterCase{
			name: "global_" + name, module: "global_throughput",
			kernel: "global_throughput_u32_add_" + spread, value: uint32(3), targets: targets,
			stride: stride,
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

// ErrCase reports a case of suite counters that there is not.
var ErrCase = errors.New("no such case")

// LaunchCase launches the kernel of a case once, waits for it and returns its name.
// A case that there is not wraps ErrCase.
func LaunchCase(g gpu.GPU, name string) (kernel string, err error) {
	for _, c := range counterCases() {
		if c.name == name {
			s := gpu.NewSession(context.Background(), g)
			defer s.Scope()()
			c.launch(s, g.Describe())
			s.Wait()
			return c.kernel, s.Err()
		}
	}
	return "", fmt.Errorf("%w: %q (there are %s)", ErrCase, name, strings.Join(CounterCases(), ", "))
}

// launch lets one block add to shared memory, each warp on words of its own, or fills
// the device with warps that add to random targets in global memory.
func (c *counterCase) launch(s *gpu.Session, d gpu.Description) {
	k, l := s.Kernel(c.module, c.kernel), c.shape(d)
	if c.place != nil {
		place := s.Upload(laneWords(func(lane int) int { return int(c.place(uint32(lane))) }))
		intervals := s.Alloc(uint64(l.Threads / warpLanes * intervalWords * 8))
		s.Launch(k, l, place, c.width(), c.value, uint32(counterSteps), intervals)
		return
	}
	base := s.Zeros(c.targets*c.stride + warpLanes*8)
	dropped := uint32(32 - bits.TrailingZeros64(c.targets))
	s.Launch(k, l, base, dropped, uint32(c.stride), c.value, uint32(counterSteps))
}

// width is the number of words of shared memory that a warp has.
func (c *counterCase) width() uint32 { return c.place(warpLanes-1) + warpLanes }

// shape is that of the case's launch: in global memory eight blocks for each SM.
func (c *counterCase) shape(d gpu.Description) gpu.Launch {
	if c.place == nil {
		return gpu.Launch{Blocks: 8 * int(d.Attribute("sm_count")), Threads: counterThreads}
	}
	bytes := uint64(counterThreads / warpLanes * c.width() * 4)
	return gpu.Launch{Blocks: 1, Threads: counterThreads, SharedBytes: bytes}
}

// operations is the number of warp operations of the case's launch.
func (c *counterCase) operations(d gpu.Description) int {
	each := counterSteps
	if c.place != nil {
		each += counterWarmUp
	}
	return each * c.shape(d).Blocks * counterThreads / warpLanes
}
