package device

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrCapability reports a device whose compute capability is not known.
var ErrCapability = errors.New("unknown compute capability")

// capabilities are the compute capabilities of the profiles' architectures, of the data-centre GPU
// of each where there are several. Source: NVIDIA CUDA C++ Programming Guide.
var capabilities = map[string][2]int{
	"Fermi": {2, 0}, "Kepler": {3, 0}, "Maxwell": {5, 2}, "Pascal": {6, 0}, "Volta": {7, 0},
	"Turing": {7, 5}, "Ampere": {8, 0}, "Ada": {8, 9}, "Hopper": {9, 0}, "Blackwell": {10, 0},
}

// ComputeCapability returns the compute capability of an NVIDIA GPU's architecture. Errors wrap
// ErrCapability.
func (p *Profile) ComputeCapability() (major, minor int, err error) {
	c, ok := capabilities[p.Architecture]
	if !ok {
		return 0, 0, fmt.Errorf("%w: architecture %q of %s, known are %s", ErrCapability,
			p.Architecture, p.Name, strings.Join(slices.Sorted(maps.Keys(capabilities)), ", "))
	}
	return c[0], c[1], nil
}
