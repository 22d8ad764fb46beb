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
	name, op string
	lanes    conflict // in shared memory
	// targets in global memory, a power of two, stride bytes apart; 0 for shared memory.
	targets, stride uint64
}

const (
	counterThreads = 256 // of a block
	counterSteps   = 256 // operations of a warp
	counterWarmUp  = 8   // and so many before, in shared memory
)

var counterCases = []counterCase{
	{"shared_u32_none", "u32_add", conflict{"none", 1}, 0, 0},
	{"shared_u32_position", "u32_add", conflict{"position", 32}, 0, 0},
	{"shared_u32_bank", "u32_add", conflict{"bank", 32}, 0, 0},
	{"shared_u32_one_unused_position", "u32_add_one_unused", conflict{"position", 32}, 0, 0},
	{"shared_f32_none", "f32_add", conflict{"none", 1}, 0, 0},
	{"shared_f32_position", "f32_add", conflict{"position", 32}, 0, 0},
	{"shared_f32_bank", "f32_add", conflict{"bank", 32}, 0, 0},
	{"global_one_address", "u32_add_warp", conflict{}, 1, 4},
	{"global_lanes", "u32_add_lanes", conflict{}, 32 << 20 / 32, 32},
	{"global_line", "u32_add_line", conflict{}, 32 << 20 / 128, 128},
	{"global_lanes_256_mib", "u32_add_lanes", conflict{}, 256 << 20 / 32, 32},
}

func (c *counterCase) shared() bool { return c.targets == 0 }

func (c *counterCase) module() string {
	if c.shared() {
		return "shared_throughput"
	}
	return "global_throughput"
}

func (c *counterCase) kernel() string { return c.module() + "_" + c.op }

// CounterCases returns the names of the cases of suite counters.
func CounterCases() []string {
	var names []string
	for _, c := range counterCases {
		names = append(names, c.name)
	}
	return names
}

// ErrCase reports a case of suite counters that there is not.
var ErrCase = errors.New("no such case")

// LaunchCase launches the kernel of a case once, waits for it and returns its name.
// A case that there is not wraps ErrCase.
func LaunchCase(g gpu.GPU, name string) (kernel string, err error) {
	for _, c := range counterCases {
		if c.name == name {
			s := gpu.NewSession(context.Background(), g)
			defer s.Scope()()
			c.launch(s, g.Describe())
			s.Wait()
			return c.kernel(), s.Err()
		}
	}
	return "", fmt.Errorf("%w: %q (there are %s)", ErrCase, name, strings.Join(CounterCases(), ", "))
}

// launch lets one block add to shared memory, each warp on words of its own, or fills
// the device with warps that add to random targets in global memory.
func (c *counterCase) launch(s *gpu.Session, d gpu.Description) {
	k, l := s.Kernel(c.module(), c.kernel()), c.shape(d)
	const steps = uint32(counterSteps)
	if c.shared() {
		place := s.Upload(laneWords(c.lanes.word))
		intervals := s.Alloc(uint64(l.Threads / warpLanes * intervalWords * 8))
		s.Launch(k, l, place, c.width(), operand(c.op, 3), steps, intervals)
		return
	}
	base := s.Zeros(c.targets*c.stride + warpLanes*8)
	dropped := uint32(32 - bits.TrailingZeros64(c.targets))
	s.Launch(k, l, base, dropped, uint32(c.stride), operand(c.op, 3), steps)
}

// width is the number of words of shared memory that a warp has.
func (c *counterCase) width() uint32 { return uint32(c.lanes.word(warpLanes-1) + warpLanes) }

// shape is that of the case's launch: in global memory eight blocks for each SM.
func (c *counterCase) shape(d gpu.Description) gpu.Launch {
	if !c.shared() {
		return gpu.Launch{Blocks: 8 * int(d.Attribute("sm_count")), Threads: counterThreads}
	}
	bytes := uint64(counterThreads / warpLanes * c.width() * 4)
	return gpu.Launch{Blocks: 1, Threads: counterThreads, SharedBytes: bytes}
}

// operations is the number of warp operations of the case's launch.
func (c *counterCase) operations(d gpu.Description) int {
	each := counterSteps
	if c.shared() {
		each += counterWarmUp
	}
	return each * c.shape(d).Blocks * counterThreads / warpLanes
}
