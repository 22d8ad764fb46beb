// Package recorded puts the recorded calls of an NVIDIA H200 together to questions: one
// stream and kind of call, with the measured time of each implementation.
package recorded

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/rivals"
	"github.com/atomtune/atomtune/variant"
)

// Question is one recorded stream and kind of call, with the measured
// time of each implementation.
type Question struct {
	rivals.Question
	Label string
	Part  recordings.Part
	US    map[variant.Variant]float64
}

// Best is the least measured time of an implementation that a choice ranks.
func (q *Question) Best() float64 { return Best(q.US) }

// Family is the stream's family, or the kind of file where it is one.
func (q *Question) Family() string {
	if !IsFile(q.Label) {
		family, _, _ := strings.Cut(q.Label, ":")
		return family
	}
	name, _, _ := strings.Cut(q.Label, "@") // which indices of the file are the targets
	return "files " + path.Ext(strings.TrimSuffix(name, ".gz"))
}

// Kind names the kind of call.
func (q *Question) Kind() string { return CallName(q.Call) }

func CallName(c device.Call) string { return fmt.Sprintf("%s %s", c.Type, c.Operand) }

// IsFile reports whether the label names a file and not a synthetic stream.
func IsFile(label string) bool { return !strings.Contains(label, ":") }

// Shaped reports whether the stream was among earlier recordings, from which
// the closed forms took their shape: the real files, and uniform targets.
func Shaped(label string) bool { return IsFile(label) || Shaping(label) }

// Questions are all recorded streams and kinds of call, in the order of
// the recording, read once; nobody changes them. Calls that return old values
// are left out: few implementations were measured with them.
var Questions = sync.OnceValues(readQuestions)

func readQuestions() ([]Question, error) {
	stats, err := Streams()
	if err != nil {
		return nil, err
	}
	return grouped(stats, Calls, recordings.Fit, recordings.HeldOut)
}

// SecondSet is what stands for the part of the second validation set's questions, of which none
// belongs to either half.
const SecondSet recordings.Part = "second"

// SecondQuestions are those of the second validation set, read once; nobody changes them. They
// are not among Questions, from which others learn.
var SecondQuestions = sync.OnceValues(func() ([]Question, error) {
	stats, err := h200.Second.Streams()
	if err != nil {
		return nil, err
	}
	return grouped(stats, func(recordings.Part) ([]recordings.Call, error) { return h200.Second.Calls() }, SecondSet)
})

// grouped puts the calls of parts together to questions.
func grouped(stats map[string]collision.Stats, of func(recordings.Part) ([]recordings.Call, error), parts ...recordings.Part) ([]Question, error) {
	gpu, err := device.Builtin("h200")
	if err != nil {
		return nil, err
	}
	g := grouping{gpu: gpu, stats: stats, place: map[CallKey]int{}}
	for _, part := range parts {
		calls, err := of(part)
		if err != nil {
			return nil, err
		}
		for _, c := range calls {
			if err := g.add(c, part); err != nil {
				return nil, err
			}
		}
	}
	if i := slices.IndexFunc(g.list, func(q Question) bool { return math.IsInf(q.Best(), 1) }); i >= 0 {
		return nil, fmt.Errorf("%w: %s: no implementation that a choice ranks", recordings.ErrRecording, g.list[i].Label)
	}
	return g.list, nil
}

// grouping puts calls on one stream and of one kind together.
type grouping struct {
	gpu   *device.Profile
	stats map[string]collision.Stats
	place map[CallKey]int // without an implementation
	list  []Question
}

func (g *grouping) add(c recordings.Call, part recordings.Part) error {
	if c.Call.Returns || c.Origin != recordings.Measured || !c.Correct {
		return nil
	}
	s, ok := g.stats[c.Label]
	if !ok {
		return fmt.Errorf("%w: no statistics of %s", recordings.ErrRecording, c.Label)
	}
	key := CallKey{Label: c.Label, Call: c.Call}
	i, ok := g.place[key]
	if !ok {
		i = len(g.list)
		g.place[key] = i
		g.list = append(g.list, Question{
			rivals.Question{Stats: &s, Device: g.gpu, Call: c.Call}, c.Label, part, map[variant.Variant]float64{},
		})
	}
	g.list[i].US[c.Implementation] = c.MedianUS
	return nil
}
