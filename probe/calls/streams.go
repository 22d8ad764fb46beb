package calls

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/synth"
)

const (
	leastUpdates    = 1 << 18 // in a stream of suite calls
	drawnStreams    = 204     // by synth.Sample, of a full run
	seedOfStreams   = 20131105
	seedOfDrawn     = 20140612
	seedOfPlanOrder = 20151202
)

// Streams lists the synthetic streams of suite calls: a dozen short ones, or
// for a full run every family over targets from 1 to 2^24, with 2^18 to 2^25
// updates. Half of the full list goes through the families step by step, the
// other half is drawn. The list is the same in every run. Long streams come
// first, so that streams of like length are prepared side by side; among those
// of one length the order is shuffled.
func Streams(quick bool) []synth.Spec {
	list := streamList{r: synth.NewRand(seedOfStreams), seen: map[string]bool{}}
	if quick {
		for _, text := range quickStreams {
			list.add(text)
		}
		return list.specs
	}
	for _, s := range sweeps {
		list.sweep(s.format, s.axes)
	}
	list.drawn(drawnStreams, seedOfDrawn, 1<<22-1)
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
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		spec, err := synth.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %w", ErrStream, path, i+1, err)
		}
		if !list.keep(spec) {
			return nil, fmt.Errorf("%w: %s:%d: %s stands twice", ErrStream, path, i+1, spec)
		}
	}
	if len(list.specs) == 0 {
		return nil, fmt.Errorf("%w: %s: no streams", ErrStream, path)
	}
	return list.inOrder(), nil
}

// inOrder shuffles the streams and sorts them by length.
func (l *streamList) inOrder() []synth.Spec {
	r := synth.NewRand(seedOfPlanOrder)
	for i := range l.specs {
		j := i + int(r.Below(uint64(len(l.specs)-i)))
		l.specs[i], l.specs[j] = l.specs[j], l.specs[i]
	}
	slices.SortStableFunc(l.specs, func(a, b synth.Spec) int { return cmp.Compare(b.N, a.N) })
	return l.specs
}

// quickStreams are one or two streams of each family that choices depend on.
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

// add parses and keeps a stream. A text that does not parse is a programmer's
// mistake.
func (l *streamList) add(text string) {
	s, err := synth.Parse(text)
	if err != nil {
		panic(err)
	}
	l.keep(s)
}

func (l *streamList) keep(s synth.Spec) bool {
	label := s.String()
	if l.seen[label] {
		return false
	}
	l.seen[label] = true
	l.specs = append(l.specs, s)
	return true
}

// length draws a number of updates from 2^18 to below 2^22: the power of two
// uniformly, and uniformly between it and the next.
func (l *streamList) length() int {
	power := uint64(leastUpdates) << l.r.Below(4)
	return int(power + l.r.Below(power))
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
