package training_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// TestFitReproducible: shuffled rows give the same bytes.
func TestFitReproducible(t *testing.T) {
	rows, m := tunertest.Trained()
	shuffled := slices.Clone(rows)
	slices.Reverse(shuffled)
	other, err := training.Fit(t.Context(), tunertest.Profile(t, "h200"), tunertest.Sweep(), shuffled)
	tunertest.Must(t, err)
	if !bytes.Equal(tunertest.MustEncode(t, m), tunertest.MustEncode(t, other)) {
		t.Error("the same rows in another order give another model")
	}
	if shuffled[0].Point != rows[len(rows)-1].Point {
		t.Error("Fit reordered its rows")
	}
}

// TestFitLearns: the tree finds the factors of the simulator where they apply, and choices on families held out
// lose less than those of closed forms alone.
func TestFitLearns(t *testing.T) {
	rows, m := tunertest.Trained()
	e := m.Evaluation
	if e.Tree.Points != len(rows) || e.ClosedForm.Points != len(rows) || e.Naive.Points == 0 ||
		m.Sweep != tunertest.Sweep() || m.Simulations < 10*len(rows) {
		t.Errorf("%d simulations, evaluation over too few points: %+v", m.Simulations, e)
	}
	if e.Tree.GeometricMean >= e.ClosedForm.GeometricMean {
		t.Errorf("loss of families held out %+v, closed forms %+v", e.Tree, e.ClosedForm)
	}
	points := 0
	for i, f := range e.Families {
		points += f.Points
		if of := e.ClosedForms[i]; of.Family != f.Family || of.Points != f.Points {
			t.Errorf("%+v beside %+v", f, of)
		}
	}
	if len(e.Families) != len(synth.Families()) || points != len(rows) {
		t.Errorf("%d points of %d families", points, len(e.Families))
	}
	exact := slices.Index(m.Tree.Implementations, "sort")
	var sum, count [2]float64 // of corrections of private copies, where they take longer than priced and where not
	private := slices.Index(m.Tree.Implementations, "private")
	var reached [3]int
	for _, r := range rows {
		p, err := training.PointOf(m.Sweep, r)
		tunertest.Must(t, err)
		var x model.Vector
		x.Fill(&r.Stats, p.Call)
		leaf := m.Tree.Leaves[m.Tree.Find(&x)]
		as := 0
		if tunertest.TrueFactor(impl.Spec{Algorithm: impl.Private, Replicas: 1}, &r.Stats, p.Call) == 1 {
			as = 1
		}
		sum[as] += float64(leaf.Corrections[private]) * model.Step
		count[as]++
		if c := leaf.Corrections[exact]; max(c, -c) > 10 {
			t.Errorf("leaf %+v corrects sort, whose closed form is exact", leaf)
		}
	}
	if slow, right := sum[0]/count[0], sum[1]/count[1]; slow < 0.3 || right > slow/2 || min(count[0], count[1]) < 10 {
		t.Errorf("private copies are corrected by %v on %v points where they are slow, by %v on %v others", slow,
			count[0], right, count[1])
	}
	for _, leaf := range m.Tree.Leaves {
		for class, n := range leaf.Streams {
			reached[class] += n
		}
	}
	if reached[0]+reached[1]+reached[2] != len(rows) {
		t.Errorf("%v streams of %d", reached, len(rows))
	}
}

// TestFitWithoutSome: an implementation that ran on few streams, or on none, is corrected elsewhere as above.
func TestFitWithoutSome(t *testing.T) {
	rows, _ := tunertest.Trained()
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].US = maps.Clone(rows[i].US)
		delete(rows[i].US, "sort")
		if i > 3 {
			delete(rows[i].US, "peers")
		}
	}
	m, err := training.Fit(t.Context(), tunertest.Profile(t, "h200"), tunertest.Sweep(), rows)
	tunertest.Must(t, err)
	for _, implementation := range []string{"sort", "peers"} {
		at := slices.Index(m.Tree.Implementations, implementation)
		for _, leaf := range m.Tree.Leaves {
			if leaf.Corrections[at] != 0 {
				t.Errorf("%s is corrected by %d", implementation, leaf.Corrections[at])
			}
		}
	}
}

func TestFitErrors(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	rows, _ := tunertest.Trained()
	spoil := func(change func(r []training.Row)) []training.Row {
		copied := slices.Clone(rows)
		copied[0].US = maps.Clone(copied[0].US)
		change(copied)
		return copied
	}
	for name, c := range map[string]struct {
		rows []training.Row
		want string
	}{
		"missing":  {rows[1:], ": 0"},
		"repeated": {append(slices.Clone(rows), rows[5]), "point 5"},
		"stranger": {spoil(func(r []training.Row) { r[0].US["magic"] = 1 }), "point 0"},
		"swapped":  {spoil(func(r []training.Row) { r[0].Stats = r[1].Stats }), "point 0"},
		"zero":     {spoil(func(r []training.Row) { r[0].US["sort"] = 0 }), "sort"},
		"NaN":      {spoil(func(r []training.Row) { r[0].US["sort"] = math.NaN() }), "NaN"},
		"nothing":  {spoil(func(r []training.Row) { r[0].US = nil }), "point 0"},
	} {
		_, err := training.Fit(t.Context(), d, tunertest.Sweep(), c.rows)
		if !errors.Is(err, model.ErrRows) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	few := model.Sweep{Points: 3, Seed: 1, MinUpdates: 256, MaxUpdates: 300, MaxBins: 100}
	_, short := tunertest.Train(d, few, tunertest.Fake())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, stopped := training.Fit(ctx, d, tunertest.Sweep(), rows)
	if !errors.Is(short, model.ErrRows) || !errors.Is(stopped, context.Canceled) {
		t.Errorf("3 points: %v; cancelled: %v", short, stopped)
	}
}

// TestOtherDevices trains on devices without match and with other warps.
func TestOtherDevices(t *testing.T) {
	small := model.Sweep{Points: 2 * len(synth.Families()), Seed: 1, MinUpdates: 256, MaxUpdates: 512,
		MaxBins: 256}
	for _, name := range []string{"c2075", "hd5870"} {
		d := tunertest.Profile(t, name)
		m, err := tunertest.Train(d, small, tunertest.Fake())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := tuner.New(d, tuner.Options{Model: m,
			Call: device.Call{Type: device.I32}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLearnt: the rows of a sweep, and the model that is fitted to them, with tree and evaluation, are what testdata/learnt.txt holds.
func TestLearnt(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	var lines []string
	for _, s := range []model.Sweep{tunertest.Sweep(), {Points: 60, Seed: 9, MinUpdates: 64, MaxUpdates: 4096,
		MaxBins: 1 << 14, Line: 4, Screen: 8}} {
		rows, err := training.Collect(t.Context(), d, s, tunertest.Fake(), training.CollectOptions{})
		tunertest.Must(t, err)
		h := training.Header{Format: "atomtune-journal", Version: 2, Device: d.Name, ProfileHash: model.ProfileHash(d),
			Sweep: s.Normal(), Shard: training.Shard{Of: 1}}
		text, err := training.EncodeCheckpoint(h, rows)
		tunertest.Must(t, err)
		lines = append(lines, fmt.Sprintf("altered: %s", golden.Altered(text, 200, func(altered []byte) error {
			_, _, err := training.DecodeCheckpoint("journal", altered)
			return tunertest.Refused(err)
		})))
		var sum golden.Digest
		sum.JSON(t, rows)
		lines = append(lines, fmt.Sprintf("rows of %+v: %s", s, &sum))
		m, err := training.Fit(t.Context(), d, s, rows)
		tunertest.Must(t, err)
		sum = golden.Digest{}
		sum.JSON(t, m)
		lines = append(lines, fmt.Sprintf("model: %s", &sum))
	}
	golden.Compare(t, "testdata/learnt.txt", lines)
}
