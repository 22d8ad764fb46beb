package calls

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/probe/job"
)

const leastUpdates = 1 << 18 // in a stream of suite calls

// Streams lists the synthetic streams of suite calls, the same in every run: a dozen
// short ones, or for a full run every family over targets from 1 to 2^24, with 2^18 to
// 2^25 updates. Half of the full list goes through the families step by step, the
// other half is drawn.
func Streams(quick bool) []synth.Spec {
	list := streamList{r: synth.NewRand(20131105), seen: map[string]bool{}}
	if quick {
		for _, text := range quickStreams {
			list.sweep(text, nil)
		}
		return list.specs
	}
	for _, s := range sweeps {
		list.sweep(s.format, s.axes)
	}
	list.drawn(204, 20140612, 1<<22-1)
	return list.inOrder()
}

// drawSpecs lists so many streams of all families that synth.Sample draws from a
// seed, with 2^18 to 2^23 updates: those of suite calls in place of Streams where
// recordings are to validate what others have fitted.
func drawSpecs(n int, seed uint64) []synth.Spec {
	list := streamList{seen: map[string]bool{}}
	list.drawn(n, seed, 1<<23)
	return list.inOrder()
}

// readSpecs reads specifications of streams, as synth.Parse takes them, one a line;
// empty lines and what follows a # count for nothing. Errors name the file and the
// line, and wrap ErrStream where the line is at fault.
func readSpecs(path string) ([]synth.Spec, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list := streamList{seen: map[string]bool{}}
	for i, line := range strings.Split(string(data), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		spec, err := synth.Parse(line)
		if err == nil && !list.keep(spec) {
			err = fmt.Errorf("%s stands twice", spec)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %w", ErrStream, path, i+1, err)
		}
	}
	if len(list.specs) == 0 {
		return nil, fmt.Errorf("%w: %s: no streams", ErrStream, path)
	}
	return list.inOrder(), nil
}

// inOrder shuffles the streams and puts long ones first, so that streams of like length
// are prepared side by side.
func (l *streamList) inOrder() []synth.Spec {
	r := synth.NewRand(20151202)
	for i := range l.specs {
		j := i + int(r.Below(uint64(len(l.specs)-i)))
		l.specs[i], l.specs[j] = l.specs[j], l.specs[i]
	}
	slices.SortStableFunc(l.specs, func(a, b synth.Spec) int { return cmp.Compare(b.N, a.N) })
	return l.specs
}

var quickStreams = []string{
	"uniform:n=262144,k=16,seed=1",
	"uniform:n=1048576,k=256,seed=1",
	"uniform:n=500009,k=4096,seed=1",
	"uniform:n=1048576,k=65536,seed=1",
	"uniform:n=1048576,k=1048576,seed=1",
	"zipf:n=700001,k=16384,seed=2,s=1.1,shuffle=1",
	"hotspot:n=524288,k=65536,seed=3,h=4,p=0.5",
	"runs:n=786433,k=65536,seed=4,len=8",
	"runs:n=400000,k=16384,seed=5,len=2,fixed=1",
	"cells:n=327680,k=32768,seed=6,ppc=10,shift=0",
	"cells:n=1000000,k=32768,seed=6,ppc=10,shift=0.5",
	"image:n=1048576,k=256,seed=7,scale=16,noise=0.1",
}

// streamList gathers streams; none stands twice.
type streamList struct {
	specs []synth.Spec
	seen  map[string]bool
	r     *synth.Rand
}

// keep tells whether the stream is a new one.
func (l *streamList) keep(s synth.Spec) bool {
	label := s.String()
	if l.seen[label] {
		return false
	}
	l.seen[label] = true
	l.specs = append(l.specs, s)
	return true
}

// drawn adds streams of up to most updates that synth.Sample draws, families with
// few parameters half as often as the others.
func (l *streamList) drawn(n int, seed uint64, most int) {
	rich := "cells,hotspot,image,markov,mixture,runs,sorted,uniform,window,zipf"
	families := strings.Split(rich+","+rich+",constant,permuted,sequential,stride", ",")
	r := synth.NewRand(seed)
	for kept := 0; kept < n; {
		s, err := synth.Sample(r, synth.Ranges{
			NMin: leastUpdates, NMax: most, KMax: 1 << 24, Families: families,
		})
		if err != nil {
			panic(err) // the ranges are constants
		}
		s.Seed &= math.MaxUint32 // as good, and easier to type
		if l.keep(s) {
			kept++
		}
	}
}

// axis is the values that one parameter of a sweep takes.
type axis = []any

// sweeps step through the families of synthetic streams. In a format %[1]d is a length
// that is drawn from 2^18 to below 2^22, %[2]v and further are the values of the axes, of
// which the last turns fastest, and the argument behind them is 0 and 1 in turn along the
// last axis.
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
	if strings.Contains(format, "%") {
		length := uint64(0)
		if strings.Contains(format, "%[1]d") {
			power := uint64(leastUpdates) << l.r.Below(4)
			length = power + l.r.Below(power)
		}
		format = fmt.Sprintf(format, append([]any{length}, values...)...)
	}
	s, err := synth.Parse(format)
	if err != nil {
		panic(err) // the formats are constants
	}
	l.keep(s)
}

// ErrStream reports an index stream that cannot be measured.
var ErrStream = errors.New("no stream to measure")

// source is a stream that is yet to be made or read.
type source struct {
	label   string
	place   string // in errors: the path, or the label of one that is made
	content string // hash of the file; empty for one that is made
	updates int    // job.UnknownUpdates before it is read
	load    func() (indices []uint32, bins uint64, err error)
}

func syntheticSource(spec synth.Spec) source {
	return source{spec.String(), spec.String(), "", spec.N, func() ([]uint32, uint64, error) {
		indices, err := synth.Generate(spec)
		return indices, uint64(spec.K), err
	}}
}

// appendFiles adds the streams of the files, by their names without their folders: one
// each, or of a matrix or an edge list one each axis, @row and @col.
func appendFiles(list []source, paths []string) ([]source, error) {
	seen := map[string]string{}
	for _, path := range paths {
		if path == "-" {
			return nil, fmt.Errorf("%w: standard input cannot be read again when a run is resumed: "+
				"name a file", ErrStream)
		}
		r, err := datasets.Open(path, datasets.Options{})
		if err == nil {
			err = r.Close()
		}
		if err != nil {
			return nil, err
		}
		base := filepath.Base(path)
		if before, ok := seen[base]; ok {
			return nil, fmt.Errorf("%w: %s and %s would both be called %s", ErrStream, before, path, base)
		}
		seen[base] = path
		content, err := contentOf(path)
		if err != nil {
			return nil, err
		}
		for _, axis := range r.Axes() {
			label := strings.TrimSuffix(base+"@"+axis, "@")
			load := func() ([]uint32, uint64, error) {
				return datasets.ReadAll(path, datasets.Options{Axis: axis})
			}
			list = append(list, source{label, path, content, job.UnknownUpdates, load})
		}
	}
	return list, nil
}

// mostBins is the most targets of a stream; the companion has the same bound.
const mostBins = 1 << 28

// contentOf is the SHA-256 of a file.
func contentOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
