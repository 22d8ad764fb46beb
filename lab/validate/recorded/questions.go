// Package recorded puts the recorded calls of an archive together to questions: one stream and
// kind of call, with the measured time of each implementation.
package recorded

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/model"
)

// Question is one recorded stream and kind of call.
type Question struct {
	Asked
	Label string
	Part  recordings.Part
	Calls []recordings.Call // one for each implementation, in the order of the recording
	US    map[impl.Spec]float64
}

// Again is a number of calls on the same indices in which what is prepared once counts for nothing. Recorded
// tables of frequent targets were told them.
const Again = 1 << 30

// Best is the least measured time of an implementation that a choice ranks.
func (q *Question) Best() float64 { return Best(q.US) }

// Best is the least time of an implementation that a choice ranks.
func Best(us map[impl.Spec]float64) float64 {
	least := math.Inf(1)
	for _, v := range onDevice() {
		if t, ok := us[v]; ok {
			least = min(least, t)
		}
	}
	return least
}

// OnDevice lists the candidates whose whole time passes on the device: all but those that the
// host re-lays the stream for. A scan of blocks and masks by a hash were not recorded.
func OnDevice() []impl.Spec { return slices.Clone(onDevice()) }

// onDevice is what OnDevice lists, which nobody changes.
var onDevice = sync.OnceValue(func() []impl.Spec {
	return slices.DeleteFunc(impl.Ranked(),
		func(v impl.Spec) bool {
			return v.OnHost() || v.Width > 0 || v.Scope != impl.WarpScope || v.Masks != impl.Ballots
		})
})

// Measured returns which of the implementations that a choice ranks have recorded times, and
// which have none though the device can run them: comparisons leave these out.
func Measured(questions []Question) (measured, missing []impl.Spec) {
	for _, v := range onDevice() {
		known := func(q Question) bool { return q.US[v] > 0 }
		runs := func(q Question) bool { return q.Device.CanRun(v, q.Call.Type, q.Stats.Bins) == nil }
		if slices.ContainsFunc(questions, known) {
			measured = append(measured, v)
		} else if slices.ContainsFunc(questions, runs) {
			missing = append(missing, v)
		}
	}
	return measured, missing
}

// Family is the stream's family, or the kind of file where it is one.
func (q *Question) Family() string {
	if family, _, spec := strings.Cut(q.Label, ":"); spec {
		return family
	}
	name, _, _ := strings.Cut(q.Label, "@") // which indices of the file are the targets
	return "files " + path.Ext(strings.TrimSuffix(name, ".gz"))
}

// Kind names the kind of call.
func (q *Question) Kind() string { return CallName(q.Call) }

// IsFile reports whether the label names a file and not a synthetic stream.
func IsFile(label string) bool { return !strings.Contains(label, ":") }

// Shaping reports whether the synthetic stream was among earlier recordings, from which the
// closed forms took their shape: it judges the simulator alone.
func Shaping(label string) bool {
	return strings.HasPrefix(label, "uniform:n=4194304,") && strings.HasSuffix(label, ",seed=1")
}

// Shaped reports whether the stream was among earlier recordings: the real files, and uniform
// targets.
func Shaped(label string) bool { return IsFile(label) || Shaping(label) }

// known are the questions of each archive and set that were asked for, which are read once.
var known sync.Map // of an archive.Set or *archive.Archive: func() ([]Question, error)

func once(of any, read func() ([]Question, error)) ([]Question, error) {
	questions, _ := known.LoadOrStore(of, sync.OnceValues(read))
	return questions.(func() ([]Question, error))()
}

// Questions are all recorded streams and kinds of call that are in no set, in the order of the
// recording; nobody changes them. Calls that return old values, keep their targets or have another
// launch than the rule's are left out.
func Questions(a *archive.Archive) ([]Question, error) {
	return once(a, func() ([]Question, error) {
		return grouped(a, a.Streams, a.Calls, recordings.Fit, recordings.HeldOut)
	})
}

// SetPart stands for the part of a set's questions, of which none belongs to either half.
func SetPart(s archive.Set) recordings.Part { return recordings.Part(s.Name()) }

// SetQuestions are those of a set; nobody changes them. They are not among Questions, from
// which others learn.
func SetQuestions(s archive.Set) ([]Question, error) {
	return once(s, func() ([]Question, error) {
		calls := func(recordings.Part) ([]recordings.Call, error) { return s.Calls() }
		return grouped(s.Archive(), s.Streams, calls, SetPart(s))
	})
}

// Archives are the recordings that choices are compared with, of one kind of GPU each.
var Archives = []*archive.Archive{h200.Archive, h100.Archive}

// Archive returns the recordings of the GPU whose profile has the name, nil if there are none.
func Archive(name string) *archive.Archive {
	for _, a := range Archives {
		if a.Name() == name {
			return a
		}
	}
	return nil
}

// Model returns the embedded model of the GPU whose profile has the name, nil if there is none:
// the closed forms stand alone.
func Model(name string) (*model.Model, error) {
	m, err := model.Embedded(name)
	if errors.Is(err, model.ErrNoModel) {
		return nil, nil
	}
	return m, err
}

// OfPart returns the questions of a part.
func OfPart(a *archive.Archive, part recordings.Part) ([]Question, error) {
	all, err := Questions(a)
	return slices.DeleteFunc(slices.Clone(all), func(q Question) bool { return q.Part != part }), err
}

// grouped puts the calls of parts together to questions.
func grouped(a *archive.Archive, streams func() (map[string]collision.Stats, error),
	of func(recordings.Part) ([]recordings.Call, error), parts ...recordings.Part,
) (list []Question, err error) {
	stats, err := streams()
	if err != nil {
		return nil, err
	}
	gpu, err := a.Profile()
	if err != nil {
		return nil, err
	}
	place := map[CallKey]int{} // without an implementation
	for _, part := range parts {
		calls, err := of(part)
		if err != nil {
			return nil, err
		}
		for _, c := range calls {
			if c.Call.Returns || c.Call.Keeps || c.Fixed || c.Origin != recordings.Measured || !c.Correct {
				continue
			}
			key := CallKey{Label: c.Label, Call: c.Call}
			i, ok := place[key]
			if !ok {
				s, known := stats[c.Label]
				if !known {
					return nil, fmt.Errorf("%w: no statistics of %s", recordings.ErrRecording, c.Label)
				}
				i, place[key] = len(list), len(list)
				list = append(list, Question{
					Asked: Asked{Stats: &s, Device: gpu, Call: c.Call},
					Label: c.Label, Part: part, US: map[impl.Spec]float64{},
				})
			}
			list[i].US[c.Implementation] = c.MedianUS
			list[i].Calls = append(list[i].Calls, c)
		}
	}
	for _, q := range list {
		if math.IsInf(q.Best(), 1) {
			return nil, fmt.Errorf("%w: %s: no implementation that a choice ranks",
				recordings.ErrRecording, q.Label)
		}
	}
	return list, nil
}

// ByCall makes a value once for each kind of call.
func ByCall[T any](build func(device.Call) (T, error)) func(device.Call) (T, error) {
	made := map[device.Call]T{}
	return func(c device.Call) (T, error) {
		v, ok := made[c]
		if ok {
			return v, nil
		}
		v, err := build(c)
		if err == nil {
			made[c] = v
		}
		return v, err
	}
}

// Slowed returns questions as they are, but for those of streams of a half, whose calls take three times
// as long. Tests find out by it what reads the half.
func Slowed(questions []Question, half recordings.Part) []Question {
	slowed := slices.Clone(questions)
	for i := range slowed {
		if q := &slowed[i]; recordings.Half(q.Label) == half {
			q.US = maps.Clone(q.US)
			for v := range q.US {
				q.US[v] *= 3
			}
		}
	}
	return slowed
}
