// Package decisions shows what the tree of each built-in device decides, and what it is worth beside the
// closed forms alone:
//
//  1. The same streams are drawn for every device; its tree has seen none of them.
//  2. The tuner chooses for each, by the device's model and by closed forms alone.
//  3. Where the choices differ, both implementations are simulated.
//  4. What the model says of families held out, and what its choices lose on recorded calls, stand beside
//     the losses of the closed forms.
package decisions

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// The streams: how many, of how many updates and targets. Sweeps of a training have seed 1.
const (
	drawn        = 200
	seed         = 2
	least, most  = 1 << 10, 1 << 20
	mostTargets  = 1 << 22
	shareOfClass = 0.95 // of a leaf's training streams, that chose the class which it names
)

// Types are those of the streams' elements, in turn.
var types = [...]device.Type{device.U32, device.F32, device.U64, device.F64}

// A Device is what its tree decides.
type Device struct {
	Name    string         `json:"name"`
	Leaves  int            `json:"leaves"`
	Points  int            `json:"points"` // of the sweep that it was trained on
	Streams int            `json:"streams"`
	Named   int            `json:"named"`   // streams whose leaf names one class
	Reached map[string]int `json:"reached"` // streams by the class of the choice
	Choices Differing      `json:"choices"`
	Classes Differing      `json:"classes"` // of these the choices of another class
	// What choices lose on simulated streams of families that the tree had not seen, and on recorded calls.
	Evaluation      model.Evaluation `json:"evaluation"`
	Recorded        []Part           `json:"recorded"`
	Implementations []Implementation `json:"forms"` // by the calls of the held-out half
}

// Differing counts the streams for which the tree chooses otherwise than the least closed form.
type Differing struct {
	Streams int `json:"streams"`
	Right   int `json:"right"` // where the tree's choice takes less simulated time
	// Ratio is the geometric mean of the simulated time of the tree's choice over that of the other one.
	Ratio float64 `json:"ratio"`
}

// simulate is a simulator of one call, in microseconds.
type simulate func(v impl.Spec, d *device.Profile, c device.Call, indices []uint32, bins uint64) (float64, error)

// simulated is the simulator that trees are trained by.
func simulated(v impl.Spec, d *device.Profile, c device.Call, indices []uint32, bins uint64) (us float64, err error) {
	us, err = hwsim.Estimate(hwsim.Config{Device: d, Call: c, Implementation: v, Coarse: true}, indices, bins)
	return us + d.Launch.LaterStart.Value, err // of which the simulator knows nothing
}

// Judge judges the embedded models of these devices, leaving out those without. progress is called after each stream and device, never
// from two goroutines at once. Errors wrap validate.ErrValidate.
func Judge(ctx context.Context, names []string, progress func(done, total int)) (Report, error) {
	return judge{drawn, model.Embedded, simulated, progress}.devices(ctx, names)
}

type judge struct {
	streams  int
	model    func(name string) (*model.Model, error)
	simulate simulate // nil: differing choices are counted alone
	progress func(done, total int)
}

func (j judge) devices(ctx context.Context, names []string) (list Report, err error) {
	defer validate.Wrap(&err)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := j.model(name)
		return errors.Is(err, model.ErrNoModel)
	})
	for place, name := range names {
		d, err := device.Builtin(name)
		if err != nil {
			return nil, err
		}
		m, err := j.model(name)
		if err != nil {
			return nil, err
		}
		made := Device{Name: name, Leaves: len(m.Tree.Leaves), Points: m.Sweep.Points, Streams: j.streams,
			Reached: map[string]int{}, Evaluation: m.Evaluation}
		done := place * j.streams
		err = j.decide(ctx, &made, d, m, func() {
			if done++; j.progress != nil {
				j.progress(done, len(names)*j.streams)
			}
		})
		if err == nil {
			err = made.recorded(d, m)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, made)
	}
	return list, nil
}

// decide fills in what the tree decides on the streams.
func (j judge) decide(ctx context.Context, made *Device, d *device.Profile, m *model.Model, tick func()) error {
	alone := model.New()
	alone.Device, alone.ProfileHash, alone.ClosedForms = m.Device, m.ProfileHash, m.ClosedForms
	var choosers [len(types)][2]*tuner.Chooser // by the tree, by closed forms
	for i, t := range types {
		for k, by := range []*model.Model{m, alone} {
			var err error
			if choosers[i][k], err = tuner.New(d, tuner.Options{Call: device.Call{Type: t},
				Model: by}); err != nil {
				return err
			}
		}
	}
	specs := make([]synth.Spec, j.streams)
	r := synth.NewRand(seed)
	for i := range specs {
		var err error
		if specs[i], err = synth.Sample(r, synth.Ranges{NMin: least, NMax: most, KMax: mostTargets}); err != nil {
			return err
		}
	}
	var mu sync.Mutex
	outcomes := make([]outcome, j.streams)
	err := training.Parallel(ctx, j.streams, 0, func(i int) (err error) {
		call := device.Call{Type: types[i%len(types)]}
		if outcomes[i], err = j.outcome(specs[i], d, call, m, choosers[i%len(types)]); err != nil {
			return fmt.Errorf("%s, %s: %w", specs[i], call.Type, err)
		}
		mu.Lock()
		defer mu.Unlock()
		tick()
		return nil
	})
	var choices, classes []float64
	for _, o := range outcomes {
		made.Reached[o.tree.Class().String()]++
		if o.named {
			made.Named++
		}
		if o.tree != o.closed {
			choices = append(choices, o.ratio)
		}
		if o.tree.Class() != o.closed.Class() {
			classes = append(classes, o.ratio)
		}
	}
	made.Choices, made.Classes = differing(choices), differing(classes)
	return err
}

// An outcome is what tree and closed forms choose for a stream.
type outcome struct {
	named        bool // the leaf names one class
	tree, closed impl.Spec
	ratio        float64 // simulated time of the tree's choice over that of the other
}

func (j judge) outcome(spec synth.Spec, d *device.Profile, c device.Call, m *model.Model,
	by [2]*tuner.Chooser) (o outcome, err error) {
	indices, err := synth.Generate(spec)
	if err != nil {
		return o, err
	}
	s, err := collision.Analyze(indices, collision.Options{Bins: uint64(spec.K), Workers: 1,
		WarpSize: int(d.Core.WarpLanes.Value)})
	if err != nil {
		return o, err
	}
	var x model.Vector
	x.Fill(&s, c)
	o = outcome{named: namesClass(&m.Tree.Leaves[m.Tree.Find(&x)]), ratio: 1}
	for k, into := range []*impl.Spec{&o.tree, &o.closed} {
		picked, err := by[k].Pick(&s)
		if err != nil {
			return o, err
		}
		*into = picked.Implementation
	}
	if o.tree == o.closed || j.simulate == nil {
		return o, nil
	}
	var us [2]float64
	for k, v := range []impl.Spec{o.tree, o.closed} {
		if us[k], err = j.simulate(v, d, c, indices, uint64(spec.K)); err != nil {
			return o, fmt.Errorf("%s: %w", v, err)
		}
	}
	o.ratio = us[0] / us[1]
	return o, nil
}

// namesClass reports whether a leaf names one class.
func namesClass(l *model.Leaf) bool {
	all, most := l.Streams[0]+l.Streams[1]+l.Streams[2], slices.Max(l.Streams[:])
	return most > 0 && float64(most) >= shareOfClass*float64(all)
}

// differing sums up ratios of simulated times.
func differing(ratios []float64) Differing {
	made := Differing{Streams: len(ratios), Ratio: 1}
	sum := 0.0
	for _, r := range ratios {
		if r < 1 {
			made.Right++
		}
		sum += math.Log(r)
	}
	if len(ratios) > 0 {
		made.Ratio = math.Exp(sum / float64(len(ratios)))
	}
	return made
}
