package emit

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/synth"
)

// Stream is what a program makes where it is given no file.
type Stream struct {
	Name    string      // of the file or the synthetic stream
	Updates uint64      //
	Synth   *synth.Spec // nil for a file, which the program resembles
	Run     float64     // mean number of neighbouring updates of one target
	// Frequent are the targets that stand out, at most mostFrequent.
	Frequent []Frequent
}

type Frequent struct {
	Target uint32
	Share  float64
}

const mostFrequent = 32

// Describe finds what stands out in the indices, which are below bins: runs, and targets with a
// thousandth of the updates and four times what each target has on average.
func (s *Stream) Describe(indices []uint32, bins uint64) {
	count, heads := candidates(indices), 0
	for u, i := range indices {
		if _, ok := count[i]; ok {
			count[i]++
		}
		if u == 0 || indices[u-1] != i {
			heads++
		}
	}
	n := float64(len(indices))
	s.Updates, s.Run = uint64(len(indices)), n/math.Max(1, float64(heads))
	for _, target := range slices.Sorted(maps.Keys(count)) {
		if share := float64(count[target]) / n; share >= 1e-3 && share >= 4/float64(bins) {
			s.Frequent = append(s.Frequent, Frequent{target, share})
		}
	}
	slices.SortStableFunc(s.Frequent, func(a, b Frequent) int {
		return int(math.Copysign(1, b.Share-a.Share))
	})
	s.Frequent = s.Frequent[:min(mostFrequent, len(s.Frequent))]
}

// candidates returns targets, each with 0, all with a thousandth of the updates among them: those left
// over of 1,000 counters, from all of which a target without one takes an update (J. Misra, D. Gries.
// Finding Repeated Elements. Science of Computer Programming 2, 1982).
func candidates(indices []uint32) map[uint32]uint32 {
	const counters = 1000
	left := make(map[uint32]uint32, counters)
	for _, i := range indices {
		if left[i] > 0 || len(left) < counters {
			left[i]++
			continue
		}
		for target := range left {
			if left[target]--; left[target] == 0 {
				delete(left, target)
			}
		}
	}
	for target := range left {
		left[target] = 0
	}
	return left
}

// Exact reports whether the program makes the very stream, and not one that resembles it.
func (s *Stream) Exact() bool { return s.Synth != nil && s.Synth.Parts == nil }

// drawn is the mean length of the runs to draw of which Run comes: neighbours that happen to be of
// one target make one run.
func (s *Stream) drawn(bins uint64) float64 {
	rest, same := 1.0, 0.0
	for _, f := range s.Frequent {
		rest, same = rest-f.Share, same+f.Share*f.Share
	}
	return math.Max(1, s.Run*(1-same-rest*rest/float64(bins)))
}

// generator is the call of streams.h that makes the stream.
func (s *Stream) generator(bins uint64) (string, error) {
	if !s.Exact() {
		var list []string
		for _, f := range s.Frequent {
			list = append(list, fmt.Sprintf("{%d, %.4g}", f.Target, f.Share))
		}
		return fmt.Sprintf("resembling(%d, %d, %.4g, {%s})", s.Updates, bins, s.drawn(bins),
			strings.Join(list, ", ")), nil
	}
	text := fmt.Sprintf("%s(%d, %d, %d", s.Synth.Family, s.Synth.N, s.Synth.K, s.Synth.Seed)
	for _, f := range synth.Families() {
		if f.Name != s.Synth.Family {
			continue
		}
		for _, p := range f.Params {
			text += fmt.Sprintf(", %v", s.Synth.Params[p.Name])
		}
		return text + ")", nil
	}
	return "", fmt.Errorf("family %q: %w", s.Synth.Family, synth.ErrFamily)
}
