package fit

import (
	"fmt"
	"strconv"
	"strings"
)

// capability is a compute capability.
type capability struct{ major, minor int }

func parseCapability(text string) (capability, error) {
	major, minor, ok := strings.Cut(text, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if !ok || errA != nil || errB != nil || a < 1 || b < 0 || a > 99 || b > 9 {
		return capability{}, fmt.Errorf("%w: compute capability %q, want one such as 9.0", ErrData, text)
	}
	return capability{a, b}, nil
}

func (c capability) String() string { return fmt.Sprintf("%d.%d", c.major, c.minor) }

// least reports whether the capability is at least that one.
func (c capability) least(major, minor int) bool {
	return c.major > major || c.major == major && c.minor >= minor
}

// architecture is the name of the architecture with the compute capability.
func (c capability) architecture() string {
	switch {
	case c.major == 8 && c.minor == 9:
		return "Ada Lovelace"
	case c.major == 7 && c.minor >= 5:
		return "Turing"
	}
	names := map[int]string{1: "Tesla", 2: "Fermi", 3: "Kepler", 5: "Maxwell", 6: "Pascal", 7: "Volta", 8: "Ampere", 9: "Hopper", 10: "Blackwell", 12: "Blackwell"}
	if name, ok := names[c.major]; ok {
		return name
	}
	return "compute capability " + c.String()
}

// schedulers is the number of warp schedulers of an SM.
func (c capability) schedulers() float64 {
	if c.major < 3 || c == (capability{6, 0}) {
		return 2
	}
	return 4
}

// guide is the source of what follows from the compute capability alone.
const guide = "NVIDIA CUDA C++ Programming Guide, compute capabilities"
