package input

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ByteSize is a flag's number of bytes, with a unit or without.
type ByteSize struct {
	Bytes uint64
	Given bool
}

// sizeUnits are the units of a byteSize.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

func (s *ByteSize) String() string {
	if !s.Given {
		return ""
	}
	return strconv.FormatUint(s.Bytes, 10)
}

func (s *ByteSize) Type() string { return "size" }

// Set reads a number of bytes such as 4096, 64MiB or 1.5GB.
func (s *ByteSize) Set(text string) error {
	digits, unit := text, 1.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			digits, unit = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	bytes := n * unit
	if err != nil || !(bytes >= 0) || bytes >= 1<<63 || bytes != math.Trunc(bytes) {
		return fmt.Errorf("want a whole number of bytes, with a unit such as kB, MiB or GiB or without")
	}
	s.Bytes, s.Given = uint64(bytes), true
	return nil
}
