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
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// TestFitReproducible: shuffled rows give the same bytes.
func TestFitReproducible(t *testing.T) {
	rows, _ := tunertest.Trained()
	shuffled := slices.Clone(rows)
	slices.Reverse(shuffled)
	var models [2][]byte
	for i, rows := range [][]training.Row{rows, shuffled} {
		m, err := training.Fit(t.Context(), tunertest.Profile(t, "h200"), tunertest.Sweep(), rows,
			model.FitOptions{Bags: 2})
		tunertest.Must(t, err)
		models[i] = tunertest.MustEncode(t, m)
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the same rows in another order give another model")
	}
	if shuffled[0].Point != rows[len(rows)-1].Point {
		t.Error("Fit reordered its rows")
	}
}

// TestFitLearns: the factors of the simulator come out of the trees, and
// choices on points held out are better than those of closed forms alone.
func TestFitLearns(t *testing.T) {
	rows, m := tunertest.Trained()
	if m.Rows != len(rows) || m.Rows != tunertest.Sweep().Points || m.Sweep != tunertest.Sweep() ||
		len(m.Implementations) < 15 {
		t.Fatalf("%d rows, %d implementations, sweep %+v", m.Rows, len(m.Implementations), m.Sweep)
	}
	e := m.Evaluation
	if e.HeldOut.Points != m.Rows || e.FamilyOut.Points != m.Rows || e.ClosedForm.Points != m.Rows ||
		e.Naive.Points == 0 {
		t.Errorf("evaluation over too few points: %+v", e)
	}
	if e.HeldOut.GeometricMean >= e.ClosedForm.GeometricMean ||
		e.Naive.GeometricMean <= e.HeldOut.GeometricMean {
		t.Errorf("loss held out %+v, closed forms %+v, naive %+v", e.HeldOut, e.ClosedForm, e.Naive)
	}
	points := 0
	for _, f := range e.Families {
		points += f.Points
	}
	if len(e.Families) != len(synth.Families()) || points != m.Rows {
		t.Errorf("%d points of %d families", points, len(e.Families))
	}
	for _, c := range m.Implementations {
		switch {
		case c.Name.Base == variant.Private && c.ClosedForm.RMSE < 0.3:
			t.Errorf("%s: the closed form is off by %+v, want the factor 3", c.Name, c.ClosedForm)
		case c.Name.Base == variant.Private && c.KFold.RMSE > 0.6*c.ClosedForm.RMSE:
			t.Errorf("%s: %+v after %+v", c.Name, c.KFold, c.ClosedForm)
		case c.Name.Base == variant.Sort && (c.KFold.RMSE > 1e-6 || c.Tree.NumLeaves() != 1):
			t.Errorf("%s: %+v, although the closed form is exact", c.Name, c.KFold)
		}
	}
}

// TestIntervals: the central 90 % intervals hold about that share of simulated
// times on new streams.
func TestIntervals(t *testing.T) {
	_, m := tunertest.Trained()
	d := tunertest.Profile(t, "h200")
	held, all := 0, 0
	for i, s := range tunertest.Streams(t) {
		call := tunertest.Calls()[i%12]
		for _, v := range variant.Candidates() {
			got, err := tuner.Choose(s, d, tuner.Options{Call: call, Model: m, Only: []variant.Variant{v},
				Relaid: true})
			if err != nil {
				continue
			}
			closed, err := speedup.Predict(v, s, model.WithoutHost(d), call)
			tunertest.Must(t, err)
			us := closed.US * tunertest.TrueFactor(v, s, call)
			all++
			if us >= got.Choice.LowUS*(1-1e-9) && us <= got.Choice.HighUS*(1+1e-9) {
				held++
			}
		}
	}
	if share := float64(held) / float64(all); all < 500 || share < 0.8 {
		t.Errorf("%d of %d intervals hold the time", held, all)
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
		_, err := training.Fit(t.Context(), d, tunertest.Sweep(), c.rows, model.FitOptions{})
		if !errors.Is(err, model.ErrRows) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	few := model.Sweep{Points: 3, Seed: 1, MinUpdates: 256, MaxUpdates: 300, MaxBins: 100}
	_, short := tunertest.Train(d, few, tunertest.Fake(), model.FitOptions{})
	_, single := training.Fit(t.Context(), d, tunertest.Sweep(), rows, model.FitOptions{Folds: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, stopped := training.Fit(ctx, d, tunertest.Sweep(), rows, model.FitOptions{})
	if !errors.Is(short, model.ErrRows) || !errors.Is(single, model.ErrOptions) || !errors.Is(stopped, context.Canceled) {
		t.Errorf("3 points: %v; 1 fold: %v; cancelled: %v", short, single, stopped)
	}
}

// TestOtherDevices trains on devices without match and with other warps.
func TestOtherDevices(t *testing.T) {
	small := model.Sweep{Points: 2 * len(synth.Families()), Seed: 1, MinUpdates: 256, MaxUpdates: 512,
		MaxBins: 256}
	o := model.FitOptions{MinRows: 10, Folds: 2, Bags: 2}
	for _, name := range []string{"c2075", "hd5870"} {
		d := tunertest.Profile(t, name)
		m, err := tunertest.Train(d, small, tunertest.Fake(), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range m.Implementations {
			if c.Name.Reduction == variant.Match && !d.Exchange.HasMatch.Value {
				t.Errorf("%s: a correction of %s", name, c.Name)
			}
		}
		if _, err := tuner.NewChooser(d, tuner.Options{Model: m,
			Call: device.Call{Type: device.I32}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLearnt: the rows of a sweep, and the models that options of all sorts fit to them, with trees,
// intervals and evaluation, are what testdata/learnt.txt holds.
func TestLearnt(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	var lines []string
	for _, s := range []model.Sweep{tunertest.Sweep(), {Points: 60, Seed: 9, MinUpdates: 64, MaxUpdates: 4096,
		MaxBins: 1 << 14, Line: 4, Screen: 8}} {
		rows, err := training.Collect(t.Context(), d, s, tunertest.Fake(), training.CollectOptions{})
		tunertest.Must(t, err)
		h := training.Header{Format: "atomtune-journal", Version: 2, Device: d.Name, ProfileHash: model.ProfileHash(d),
			Sweep: s.Normal(), Shard: training.Shard{Of: 1}}
		text, err := training.EncodeJournal(h, rows)
		tunertest.Must(t, err)
		lines = append(lines, fmt.Sprintf("altered: %s", golden.Altered(text, 200, func(altered []byte) error {
			_, err := training.DecodeJournal("journal", altered)
			return tunertest.Refused(err)
		})))
		var sum golden.Digest
		sum.JSON(t, rows)
		lines = append(lines, fmt.Sprintf("rows of %+v: %s", s, &sum))
		for _, o := range []model.FitOptions{{Bags: 4, MinRows: 5, MaxDepth: 3, Folds: 2},
			{Bags: 3, MaxLeaves: 6, MinLeaf: 9, Folds: 3}} {
			m, err := training.Fit(t.Context(), d, s, rows, o)
			tunertest.Must(t, err)
			var sum golden.Digest
			sum.JSON(t, m)
			lines = append(lines, fmt.Sprintf("model of %+v: %s", o, &sum))
		}
	}
	golden.Compare(t, "testdata/learnt.txt", lines)
}
