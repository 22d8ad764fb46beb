package calls

import "fmt"

// uniform steps through all powers of two of targets at one length, and
// through other numbers of targets at lengths that are drawn.
func (l *streamList) uniform() {
	for power := range 25 {
		l.add(fmt.Sprintf("uniform:n=%d,k=%d,seed=1", 1<<22, 1<<power))
	}
	for _, k := range []int{3, 5, 10, 24, 33, 100, 300, 1000, 3000, 10000, 50000, 100000, 1000000, 10000000} {
		l.add(fmt.Sprintf("uniform:n=%d,k=%d,seed=2", l.length(), k))
	}
}

// skewed steps through streams whose updates are independent and prefer some
// targets.
func (l *streamList) skewed() {
	for _, s := range []float64{0.5, 0.8, 1, 1.2, 1.5, 2} {
		for i, k := range []int{1 << 6, 1 << 10, 1 << 14, 1 << 18, 1 << 22} {
			l.add(fmt.Sprintf("zipf:n=%d,k=%d,seed=3,s=%v,shuffle=%d", l.length(), k, s, i%2))
		}
	}
	for _, hot := range []int{1, 8, 128} {
		for _, p := range []float64{0.1, 0.5, 0.9} {
			for i, k := range []int{1 << 10, 1 << 17, 1 << 23} {
				l.add(fmt.Sprintf("hotspot:n=%d,k=%d,seed=4,h=%d,p=%v,shuffle=%d", l.length(), k, hot, p, i%2))
			}
		}
	}
}

// local steps through streams whose neighbouring updates have equal or near
// targets. shift=0 and shift=0.5 are the sorted and the shifted particles of
// [westphal15].
func (l *streamList) local() {
	for _, length := range []int{2, 4, 8, 16, 32, 128} {
		for _, k := range []int{1 << 8, 1 << 14, 1 << 20} {
			l.add(fmt.Sprintf("runs:n=%d,k=%d,seed=5,len=%d", l.length(), k, length))
		}
	}
	for _, shift := range []float64{0, 0.1, 0.5} {
		for _, ppc := range []int{2, 10, 32} {
			for _, side := range []int{16, 32, 100, 128} {
				l.add(fmt.Sprintf("cells:n=%d,k=%d,seed=6,ppc=%d,shift=%v", l.length(), side*side*side, ppc, shift))
			}
		}
	}
	for _, k := range []int{1 << 6, 1 << 8, 1 << 12} {
		for _, scale := range []int{4, 32} {
			for _, noise := range []float64{0, 0.2} {
				l.add(fmt.Sprintf("image:n=%d,k=%d,seed=7,scale=%d,noise=%v", l.length(), k, scale, noise))
			}
		}
	}
	for _, k := range []int{1 << 10, 1 << 20} {
		for _, stay := range []float64{0, 0.5, 0.9} {
			l.add(fmt.Sprintf("markov:n=%d,k=%d,seed=8,stay=%v,jump=0.1,w=4", l.length(), k, stay))
		}
	}
}

// regular steps through streams in a fixed order, grouped streams, and mixtures.
func (l *streamList) regular() {
	for power := 4; power <= 24; power += 4 {
		l.add(fmt.Sprintf("sorted:n=%d,k=%d,seed=9", l.length(), 1<<power))
	}
	for _, k := range []int{1 << 12, 1 << 20} {
		for _, w := range []int{32, 1024} {
			l.add(fmt.Sprintf("window:n=%d,k=%d,seed=10,w=%d,hold=32", l.length(), k, w))
		}
	}
	for _, text := range []string{
		"constant:n=%d,k=1024,seed=0,at=77",
		"sequential:n=%d,k=32,seed=0", "sequential:n=%d,k=4096,seed=0", "sequential:n=%d,k=4194304,seed=0",
		"permuted:n=%d,k=65536,seed=11", "permuted:n=%d,k=4194304,seed=11",
		"stride:n=%d,k=65536,seed=0,step=32", "stride:n=%d,k=1048576,seed=0,step=32",
		"stride:n=%d,k=1048576,seed=0,step=33", "stride:n=%d,k=16777216,seed=0,step=1024",
		"mixture:n=%d,k=4096,seed=12,block=32,of=uniform+runs:len=32",
		"mixture:n=%d,k=65536,seed=12,block=0,of=uniform:share=3+constant:at=9",
		"mixture:n=%d,k=1048576,seed=12,block=256,of=zipf:s=1.2+sequential",
		"mixture:n=%d,k=256,seed=12,block=4096,of=image:scale=8+hotspot:h=2:p=0.9",
	} {
		l.add(fmt.Sprintf(text, l.length()))
	}
}

// pairs adds streams in which two lanes share a target: neighbours, and lanes
// of two interleaved streams of such pairs.
func (l *streamList) pairs() {
	for _, k := range []int{1 << 6, 1 << 10, 1 << 14, 1 << 18, 1 << 22} {
		l.add(fmt.Sprintf("runs:n=%d,k=%d,seed=13,len=2,fixed=1", l.length(), k))
	}
	for _, k := range []int{1 << 8, 1 << 14, 1 << 20} {
		l.add(fmt.Sprintf("mixture:n=%d,k=%d,seed=13,block=0,of=runs:len=2:fixed=1+runs:len=2:fixed=1", l.length(), k))
	}
}

// long adds twelve streams of 2^24 updates and four of 2^25.
func (l *streamList) long() {
	for _, text := range []string{
		"uniform:n=16777216,k=256,seed=14", "uniform:n=16777216,k=65536,seed=14",
		"uniform:n=16777216,k=1048576,seed=14", "uniform:n=16777216,k=16777216,seed=14",
		"zipf:n=16777216,k=1048576,seed=14,s=1,shuffle=1", "zipf:n=16777216,k=65536,seed=14,s=1.2,shuffle=0",
		"hotspot:n=16777216,k=4194304,seed=14,h=16,p=0.3,shuffle=1", "runs:n=16777216,k=1048576,seed=14,len=16",
		"cells:n=16777216,k=1000000,seed=14,ppc=17,shift=0", "cells:n=16777216,k=1000000,seed=14,ppc=16,shift=0.5",
		"image:n=16777216,k=256,seed=14,scale=32,noise=0.1", "sorted:n=16777216,k=1048576,seed=14",
		"uniform:n=33554432,k=4096,seed=15", "zipf:n=33554432,k=4194304,seed=15,s=0.8,shuffle=1",
		"cells:n=33554432,k=2097152,seed=15,ppc=16,shift=0.5",
		"mixture:n=33554432,k=262144,seed=15,block=1024,of=uniform+runs:len=8",
	} {
		l.add(text)
	}
}
