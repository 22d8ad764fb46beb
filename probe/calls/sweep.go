package calls

import (
	"fmt"
	"strings"
)

// axis is the values that one parameter of a sweep takes.
type axis []any

// sweeps step through the families of synthetic streams. In a format %[1]d is a length
// that is drawn, %[2]v and further are the values of the axes, of which the last turns
// fastest, and the argument behind them is 0 and 1 in turn along the last axis.
var sweeps = []struct {
	format string
	axes   []axis
}{
	// All powers of two of targets at one length, and other numbers of targets.
	{"uniform:n=4194304,k=%[2]d,seed=1", []axis{powersOfTwo(0, 24, 1)}},
	{"uniform:n=%[1]d,k=%[2]d,seed=2", []axis{
		{3, 5, 10, 24, 33, 100, 300, 1000, 3000, 10000, 50000, 100000, 1000000, 10000000},
	}},

	// Independent updates that prefer some targets.
	{"zipf:n=%[1]d,k=%[3]d,seed=3,s=%[2]v,shuffle=%[4]d",
		[]axis{{0.5, 0.8, 1, 1.2, 1.5, 2}, powersOfTwo(6, 22, 4)}},
	{"hotspot:n=%[1]d,k=%[4]d,seed=4,h=%[2]d,p=%[3]v,shuffle=%[5]d",
		[]axis{{1, 8, 128}, {0.1, 0.5, 0.9}, {1 << 10, 1 << 17, 1 << 23}}},

	// Neighbouring updates have equal or near targets. shift=0 and shift=0.5 are the
	// sorted and the shifted particles of [westphal15], in cubes of cells.
	{"runs:n=%[1]d,k=%[3]d,seed=5,len=%[2]d",
		[]axis{{2, 4, 8, 16, 32, 128}, {1 << 8, 1 << 14, 1 << 20}}},
	{"cells:n=%[1]d,k=%[4]d,seed=6,ppc=%[3]d,shift=%[2]v",
		[]axis{{0, 0.1, 0.5}, {2, 10, 32},
			{16 * 16 * 16, 32 * 32 * 32, 100 * 100 * 100, 128 * 128 * 128}}},
	{"image:n=%[1]d,k=%[2]d,seed=7,scale=%[3]d,noise=%[4]v",
		[]axis{{1 << 6, 1 << 8, 1 << 12}, {4, 32}, {0, 0.2}}},
	{"markov:n=%[1]d,k=%[2]d,seed=8,stay=%[3]v,jump=0.1,w=4",
		[]axis{{1 << 10, 1 << 20}, {0, 0.5, 0.9}}},

	// A fixed order, grouped streams, and mixtures.
	{"sorted:n=%[1]d,k=%[2]d,seed=9", []axis{powersOfTwo(4, 24, 4)}},
	{"window:n=%[1]d,k=%[2]d,seed=10,w=%[3]d,hold=32", []axis{{1 << 12, 1 << 20}, {32, 1024}}},
	{"constant:n=%[1]d,k=1024,seed=0,at=77", nil},
	{"sequential:n=%[1]d,k=%[2]d,seed=0", []axis{{32, 4096, 4194304}}},
	{"permuted:n=%[1]d,k=%[2]d,seed=11", []axis{{65536, 4194304}}},
	{"stride:n=%[1]d,k=%[2]d,seed=0,step=32", []axis{{65536, 1048576}}},
	{"stride:n=%[1]d,k=1048576,seed=0,step=33", nil},
	{"stride:n=%[1]d,k=16777216,seed=0,step=1024", nil},
	{"mixture:n=%[1]d,k=4096,seed=12,block=32,of=uniform+runs:len=32", nil},
	{"mixture:n=%[1]d,k=65536,seed=12,block=0,of=uniform:share=3+constant:at=9", nil},
	{"mixture:n=%[1]d,k=1048576,seed=12,block=256,of=zipf:s=1.2+sequential", nil},
	{"mixture:n=%[1]d,k=256,seed=12,block=4096,of=image:scale=8+hotspot:h=2:p=0.9", nil},

	// Two lanes share a target: neighbours, and lanes of two interleaved streams of
	// such pairs.
	{"runs:n=%[1]d,k=%[2]d,seed=13,len=2,fixed=1", []axis{powersOfTwo(6, 22, 4)}},
	{"mixture:n=%[1]d,k=%[2]d,seed=13,block=0,of=runs:len=2:fixed=1+runs:len=2:fixed=1",
		[]axis{{1 << 8, 1 << 14, 1 << 20}}},

	// Twelve streams of 2^24 updates and four of 2^25.
	{"uniform:n=16777216,k=%[2]d,seed=14", []axis{{256, 65536, 1048576, 16777216}}},
	{"zipf:n=16777216,k=1048576,seed=14,s=1,shuffle=1", nil},
	{"zipf:n=16777216,k=65536,seed=14,s=1.2,shuffle=0", nil},
	{"hotspot:n=16777216,k=4194304,seed=14,h=16,p=0.3,shuffle=1", nil},
	{"runs:n=16777216,k=1048576,seed=14,len=16", nil},
	{"cells:n=16777216,k=1000000,seed=14,ppc=17,shift=0", nil},
	{"cells:n=16777216,k=1000000,seed=14,ppc=16,shift=0.5", nil},
	{"image:n=16777216,k=256,seed=14,scale=32,noise=0.1", nil},
	{"sorted:n=16777216,k=1048576,seed=14", nil},
	{"uniform:n=33554432,k=4096,seed=15", nil},
	{"zipf:n=33554432,k=4194304,seed=15,s=0.8,shuffle=1", nil},
	{"cells:n=33554432,k=2097152,seed=15,ppc=16,shift=0.5", nil},
	{"mixture:n=33554432,k=262144,seed=15,block=1024,of=uniform+runs:len=8", nil},
}

// powersOfTwo are those of every step-th exponent from one to another.
func powersOfTwo(from, to, step int) (all axis) {
	for power := from; power <= to; power += step {
		all = append(all, 1<<power)
	}
	return all
}

// sweep adds the streams of a format over all combinations of the axes. values are
// those of the axes before.
func (l *streamList) sweep(format string, axes []axis, values ...any) {
	if len(axes) > 0 {
		for i, v := range axes[0] {
			next := append(values[:len(values):len(values)], v)
			if len(axes) == 1 {
				next = append(next, i%2)
			}
			l.sweep(format, axes[1:], next...)
		}
		return
	}
	length := 0
	if strings.Contains(format, "%[1]d") {
		length = l.length()
	}
	if strings.Contains(format, "%") {
		format = fmt.Sprintf(format, append([]any{length}, values...)...)
	}
	l.add(format)
}
