package device

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/impl"
)

// ErrLaunch reports an invalid launch.
var ErrLaunch = errors.New("no such launch")

// The bounds of a Launch: CUDA numbers the blocks of a grid in 31 bits, and the kernels are
// written for at most so many iterations at once.
const (
	MaxBlocks = 1<<31 - 1
	MaxUnroll = 8
)

// Launch is what a caller fixes of the launch of an implementation's main kernel. A field that is
// zero is left to the rule of Limits.Shape.
type Launch struct {
	Blocks  uint64 // of the grid; more than are resident at once run in waves
	Threads int    // of a block
	// Unroll is the number of iterations of a thread whose indices and values are loaded before the
	// adds of the first: 1, 2, 4 or 8. The iterations stay a grid apart.
	Unroll int
}

// String returns BxT, blocks and threads of a block, or BxTxU with the iterations at once.
func (l Launch) String() string {
	text := fmt.Sprintf("%dx%d", l.Blocks, l.Threads)
	if l.Unroll != 0 {
		text += fmt.Sprintf("x%d", l.Unroll)
	}
	return text
}

// ParseLaunch reads BxT or BxTxU, of which none is 0. Errors wrap ErrLaunch.
func ParseLaunch(text string) (Launch, error) {
	list, err := ParseLaunches(text)
	if err != nil {
		return Launch{}, err
	}
	if strings.Contains(text, "-") {
		return Launch{}, fmt.Errorf("%w: %q is a range of launches, where one is wanted", ErrLaunch, text)
	}
	return list[0], nil
}

// ParseLaunches reads BxT or BxTxU, each part a number or a range N-M, which stands for N, twice N
// and so on, and M. The launches stand by blocks, then by threads, then by turns at once. Errors
// wrap ErrLaunch.
func ParseLaunches(text string) (list []Launch, err error) {
	parts := strings.Split(text, "x")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, fmt.Errorf("%w: %q is neither BLOCKSxTHREADS nor BLOCKSxTHREADSxUNROLL",
			ErrLaunch, text)
	}
	numbers := [3][]uint64{2: {0}}
	for i, part := range parts {
		if numbers[i], err = doubling(part); err != nil {
			return nil, fmt.Errorf("%w: %q: %v", ErrLaunch, text, err)
		}
	}
	for _, blocks := range numbers[0] {
		for _, threads := range numbers[1] {
			for _, unroll := range numbers[2] {
				l := Launch{blocks, int(threads), int(unroll)}
				if err := l.Validate(); err != nil {
					return nil, err
				}
				list = append(list, l)
			}
		}
	}
	return list, nil
}

// doubling reads a number, or a range that doubles from its first number to its last.
func doubling(text string) (list []uint64, err error) {
	first, last, ranges := strings.Cut(text, "-")
	if !ranges {
		last = first
	}
	var ends [2]uint64
	for i, end := range []string{first, last} {
		if ends[i], err = strconv.ParseUint(end, 10, 31); err != nil || end[0] == '0' {
			return nil, fmt.Errorf("%q is neither a number from 1 nor a range of numbers", text)
		}
	}
	if ends[0] > ends[1] {
		return nil, fmt.Errorf("the range %s ends before it begins", text)
	}
	for n := ends[0]; n < ends[1]; n *= 2 {
		list = append(list, n)
	}
	return append(list, ends[1]), nil
}

// Validate returns an error that wraps ErrLaunch for numbers that no launch on any device has.
func (l Launch) Validate() error {
	switch {
	case l.Blocks > MaxBlocks:
		return fmt.Errorf("%w: %d blocks, a grid has at most %d", ErrLaunch, l.Blocks, MaxBlocks)
	case l.Threads < 0:
		return fmt.Errorf("%w: %d threads of a block", ErrLaunch, l.Threads)
	case l.Unroll < 0 || l.Unroll > MaxUnroll || bits.OnesCount(uint(l.Unroll)) > 1:
		return fmt.Errorf("%w: unroll %d, want 1, 2, 4 or %d", ErrLaunch, l.Unroll, MaxUnroll)
	}
	return nil
}

// CanLaunch returns nil if the device can launch an implementation that it can run so. Errors wrap
// ErrLaunch, and ErrCannot too where the launch is one, and say why.
func (p *Profile) CanLaunch(v impl.Spec, t Type, bins uint64, l Launch) error {
	if err := l.Validate(); err != nil {
		return err
	}
	if why := p.Limits().Lacks(v, t, bins, l); why != "" {
		return fmt.Errorf("%w: %s on %s: %w: %s", ErrCannot, v, p.Name, ErrLaunch, why)
	}
	return nil
}

// Lacks returns the reason for which a device cannot launch so an implementation that it can run,
// "" if it can.
func (l Limits) Lacks(v impl.Spec, t Type, bins uint64, fixed Launch) string {
	threads := cmp.Or(fixed.Threads, l.WarpLanes)
	switch {
	case fixed == Launch{}:
	case v.SeveralKernels():
		return "it launches several kernels, whose grids follow from the stream"
	case fixed.Blocks > 0 && fixed.Blocks < uint64(v.G()):
		return fmt.Sprintf("each of %d ranges of targets takes a block", v.G())
	case fixed.Unroll > 1 && (v.Site() == impl.PerThread || v.Scope == impl.BlockScope):
		return "it runs one iteration at a time"
	case threads > l.MaxThreadsPerBlock:
		return fmt.Sprintf("a block has at most %d threads, not %d", l.MaxThreadsPerBlock, threads)
	case v.Scope == impl.BlockScope && impl.WarpRecords*threads > impl.Records*l.WarpLanes:
		return fmt.Sprintf("a warp reduces the sums of %d warps at most", impl.Records/impl.WarpRecords)
	case threads%l.WarpLanes != 0:
		return fmt.Sprintf("%d threads are not whole warps of %d", threads, l.WarpLanes)
	case l.Shape(v, Call{Type: t}, bins, 1, fixed).SharedBytes > l.SharedBytes:
		return fmt.Sprintf("the copies of %d threads take %d bytes of shared memory, a block has %d",
			threads, l.Shape(v, Call{Type: t}, bins, 1, fixed).SharedBytes, l.SharedBytes)
	}
	return ""
}

// Launches lists launches to search among: 1, 2, 4 and 8 blocks of 256, 512 and 1,024 threads for
// each SM, as far as an SM holds so many, with 1, 2, 4 and 8 iterations at once. It does not ask what
// registers and shared memory hold.
func (l Limits) Launches() (list []Launch) {
	for _, threads := range []int{256, 512, 1024} {
		for perSM := 1; perSM <= min(8, l.MaxBlocks); perSM *= 2 {
			if threads > l.MaxThreadsPerBlock || perSM*threads > l.MaxWarps*l.WarpLanes {
				continue
			}
			for unroll := 1; unroll <= MaxUnroll; unroll *= 2 {
				list = append(list, Launch{uint64(perSM * l.SMs), threads, unroll})
			}
		}
	}
	return list
}

// Searched lists the launches that a choice searches beside the rule's: half of an SM's threads in
// blocks of up to 1,024, 512 and 256 with four updates in flight; those in blocks of 512 and as
// many as fit in blocks of 256 with one. On the fit half of the NVIDIA H200's calls in Launches
// closed forms choose better among these few than among all.
func (l Limits) Searched() (list []Launch) {
	for _, c := range [][3]int{{2, 1024, 4}, {2, 512, 4}, {2, 256, 4}, {2, 512, 1}, {1, 256, 1}} {
		share, threads, unroll := c[0], min(c[1], l.MaxThreadsPerBlock), c[2]
		perSM := min(max(1, l.MaxWarps*l.WarpLanes/share/threads), l.MaxBlocks)
		if launch := (Launch{uint64(perSM * l.SMs), threads, unroll}); !slices.Contains(list, launch) {
			list = append(list, launch)
		}
	}
	return list
}
