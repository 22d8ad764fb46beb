package calibration_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// onDevice lists the candidates that the host re-lays no stream for.
var onDevice = slices.DeleteFunc(variant.Candidates(), variant.Variant.OnHost)

// truth is ln of the factor by which an invented device is slower than its closed
// form.
type truth func(v variant.Variant, s *collision.Stats, c device.Call, r *synth.Rand) float64

// measuredStreams are streams of many kinds, long enough that launches do not
// hide everything else.
func measuredStreams(t testing.TB) []*collision.Stats {
	return tunertest.Drawn(t, 5, 80, synth.Ranges{NMin: 2000, NMax: 60000, KMax: 1 << 14})
}

// invent measures streams on a device that is as a truth says.
func invent(t testing.TB, d *device.Profile, from, to int, of truth) []calibration.Measured {
	t.Helper()
	bare := *d
	bare.Host.Relayout.Value = 0
	r := synth.NewRand(uint64(from) + 1)
	var points []calibration.Measured
	for i, s := range measuredStreams(t)[from:to] {
		for _, c := range []device.Call{{Type: device.U32}, {Type: device.F64}} {
			p := calibration.Measured{Label: fmt.Sprintf("stream %03d", from+i), Stats: *s, Call: c,
				US: map[variant.Variant]float64{}}
			for _, v := range onDevice {
				if cost, err := speedup.Predict(v, s, &bare, c); err == nil &&
					v.Worthwhile(s.Bins, c.Type.Bytes()) {
					p.US[v] = cost.US * portable.Exp(of(v, s, c, r))
				}
			}
			points = append(points, p)
		}
	}
	return points
}

func calibrate(t testing.TB, d *device.Profile, base *model.Model,
	points []calibration.Measured) *model.Model {
	t.Helper()
	m, err := calibration.Calibrate(context.Background(), d, base, points, calibration.Folds)
	tunertest.Must(t, err)
	gains(t, m.Calibration)
	return m
}

// gains: a correction that is made lowers the stated error, and choices go by it where no
// figure of their loss grows.
func gains(t testing.TB, c *model.Calibration) {
	t.Helper()
	if c.Trees > 0 && !(c.After.RMSE < c.Before.RMSE) || c.Trees == 0 && c.After != c.Before {
		t.Errorf("%d trees: %+v before, %+v after", c.Trees, c.Before, c.After)
	}
	before, ranked, as := c.Before.Loss, c.Ranked, c.Before.Loss
	if worse := ranked.GeometricMean > before.GeometricMean || ranked.P90 > before.P90 ||
		ranked.Max > before.Max; worse == c.Ranks {
		t.Errorf("choices go by it: %t, %+v before, %+v by it", c.Ranks, before, ranked)
	}
	if c.Ranks {
		as = ranked
	}
	if c.After.Loss != as {
		t.Errorf("choices go by it: %t, they lose %+v, by it %+v, before %+v", c.Ranks, c.After.Loss,
			ranked, before)
	}
}

// judge chooses by a model and returns the losses and the errors in ln of the
// choices' times.
func judge(t testing.TB, d *device.Profile, m *model.Model,
	points []calibration.Measured) (loss model.Loss, off []float64) {
	t.Helper()
	var ratios []float64
	for _, p := range points {
		got, err := tuner.Choose(&p.Stats, d, tuner.Options{Call: p.Call, Only: onDevice, Model: m})
		tunertest.Must(t, err)
		us, best := p.US[got.Choice.Implementation], math.Inf(1)
		for _, other := range p.US {
			best = min(best, other)
		}
		ratios = append(ratios, us/best)
		off = append(off, math.Abs(math.Log(us/got.Choice.PredictedUS)))
	}
	return model.LossOf(ratios), off
}

// noise is a normal deviate by Box and Muller.
func noise(r *synth.Rand) float64 {
	u, v := (float64(r.Below(1<<30))+1)/(1<<30), float64(r.Below(1<<30))/(1<<30)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// off is a truth in which everything misses its closed form by as much, but for noise.
func off(mean, deviation float64) truth {
	return func(_ variant.Variant, _ *collision.Stats, _ device.Call, r *synth.Rand) float64 {
		return mean + deviation*noise(r)
	}
}

// slow is a truth in which private copies are far slower at low collision, and
// everything by a fifth.
func slow(v variant.Variant, s *collision.Stats, c device.Call, r *synth.Rand) float64 {
	return math.Log(1.2*tunertest.TrueFactor(v, s, c)) + 0.02*noise(r)
}

// TestCalibrateLearns: with 60 streams the corrected model knows of streams that
// were left out what the closed forms do not, with 5 it is no worse, and the
// figures that it states are of this kind.
func TestCalibrateLearns(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	held := invent(t, d, 60, 80, slow)
	before, _ := judge(t, d, calibrate(t, d, nil, invent(t, d, 0, 1, slow)), held)
	m := calibrate(t, d, nil, invent(t, d, 0, 60, slow))
	after, wrong := judge(t, d, m, held)
	slices.Sort(wrong)
	if after.GeometricMean > 1.03 || wrong[len(wrong)/2] > 0.05 ||
		before.GeometricMean < after.GeometricMean+0.05 {
		t.Errorf("mean loss %v before, %v after; median error of the time %v", before.GeometricMean,
			after.GeometricMean, wrong[len(wrong)/2])
	}
	c := m.Calibration
	if m.MeasuredPoints != 120 || c.Streams != 60 || c.Leaves < 2 || !c.Apart || !c.Renewed {
		t.Errorf("%d points, calibration %+v", m.MeasuredPoints, c)
	}
	if !(c.After.Loss.GeometricMean < c.Before.Loss.GeometricMean) || c.Coverage < 0.85 {
		t.Errorf("stated: %+v", c)
	}
	few, _ := judge(t, d, calibrate(t, d, nil, invent(t, d, 0, 5, slow)), held)
	if few.GeometricMean > before.GeometricMean+1e-9 {
		t.Errorf("mean loss %v with 10 points, %v without", few.GeometricMean, before.GeometricMean)
	}
}

// TestCalibrateNoise: where closed forms err by chance alone, there is no tree,
// and choices on streams left out are not worse.
func TestCalibrateNoise(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	for seed := range 4 {
		m := calibrate(t, d, nil, invent(t, d, 10*seed, 10*seed+40, off(0, 0.1)))
		c := m.Calibration
		if c.Leaves > 1 || c.After.Loss.GeometricMean > c.Before.Loss.GeometricMean {
			t.Errorf("from stream %d: %+v", 10*seed, c)
		}
	}
}

// TestCalibrateOffset: a device that is slower as a whole gets one factor, which
// an implementation gets too that nobody measured, and choices stay.
func TestCalibrateOffset(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	points := invent(t, d, 0, 12, off(math.Log(3), 0))
	sort := variant.Variant{Base: variant.Sort}
	for i := range points {
		delete(points[i].US, sort)
	}
	m := calibrate(t, d, nil, points)
	seen := 0
	for _, o := range calibration.Offsets(m, points) {
		if math.Abs(math.Log(o.Factor/3)) > model.ForestStep || math.Abs(o.Lowest-o.Highest) > 1e-12 {
			t.Errorf("%+v, want 3", o)
		}
		if o.Implementation == sort || o.Implementation == (variant.Variant{Base: variant.Coordinator}) {
			seen++
		}
	}
	if seen == 0 || len(calibration.Offsets(m, points)) < 15 {
		t.Errorf("%d offsets, %d of unmeasured implementations", len(calibration.Offsets(m, points)), seen)
	}
}

// TestCalibrateCoverage: the renewed intervals hold their share of further
// measurements, of choices and of all.
func TestCalibrateCoverage(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	loud := off(0.4, 0.2)
	m := calibrate(t, d, nil, invent(t, d, 0, 40, loud))
	in, all := 0, 0
	for _, p := range invent(t, d, 40, 80, loud) {
		for v, us := range p.US {
			got, err := tuner.Choose(&p.Stats, d, tuner.Options{Call: p.Call, Only: []variant.Variant{v},
				Model: m})
			tunertest.Must(t, err)
			all++
			if us >= got.Choice.LowUS && us <= got.Choice.HighUS {
				in++
			}
		}
	}
	if share := float64(in) / float64(all); all < 500 || share < 0.88 || share > 0.99 {
		t.Errorf("%d of %d measured times in their 90 %% interval", in, all)
	}
}

// TestCalibrateOrder: the points' order changes no byte, a calibrated base is
// taken without its calibration, and the bytes are read again.
func TestCalibrateOrder(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, base := tunertest.Trained()
	points := invent(t, d, 0, 20, slow)
	m := calibrate(t, d, base, points)
	want := tunertest.MustEncode(t, m)
	slices.Reverse(points)
	if !bytes.Equal(want, tunertest.MustEncode(t, calibrate(t, d, base, points))) {
		t.Error("the order of the points changes the model")
	}
	if !bytes.Equal(want, tunertest.MustEncode(t, calibrate(t, d, m, points))) {
		t.Error("a second calibration differs from the first")
	}
	for _, c := range []*model.Model{m, calibrate(t, d, nil, points)} {
		again, err := model.Decode(tunertest.MustEncode(t, c))
		if err != nil || !bytes.Equal(tunertest.MustEncode(t, again), tunertest.MustEncode(t, c)) {
			t.Errorf("the model is read as another: %v", err)
		}
	}
	if base.MeasuredPoints != 0 || base.Forest != nil {
		t.Error("the base was changed")
	}
}

func TestCalibrateErrors(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, fitted := tunertest.Trained()
	good := func() []calibration.Measured { return invent(t, d, 0, 2, slow) }
	for name, c := range map[string]struct {
		change func(p *calibration.Measured) // of one point of good ones
		want   error
		text   string
	}{
		"no label":   {func(p *calibration.Measured) { p.Label = "" }, model.ErrRows, ""},
		"no time":    {func(p *calibration.Measured) { p.US = nil }, model.ErrRows, "stream 000"},
		"NaN":        {func(p *calibration.Measured) { p.US[variant.Variant{}] = math.NaN() }, model.ErrRows, "naive"},
		"zero":       {func(p *calibration.Measured) { p.US[variant.Variant{}] = 0 }, model.ErrRows, "naive"},
		"absurd":     {func(p *calibration.Measured) { p.US[variant.Variant{}] = 1e20 }, model.ErrRows, "1e+20"},
		"operation":  {func(p *calibration.Measured) { p.Call.Op = device.Mul }, model.ErrRows, "mul"},
		"statistics": {func(p *calibration.Measured) { p.Stats.Updates = 0 }, model.ErrStats, "stream 000"},
		"cannot run": {func(p *calibration.Measured) {
			p.Stats.Bins = 1 << 30
			p.US[variant.Variant{Base: variant.Private}] = 3
		}, model.ErrRows, "private"},
	} {
		points := good()
		c.change(&points[1])
		_, err := calibration.Calibrate(context.Background(), d, nil, points, calibration.Folds)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.text)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		d      *device.Profile
		base   *model.Model
		points []calibration.Measured
		folds  int
		want   error
	}{
		"none":        {t.Context(), d, nil, nil, calibration.Folds, model.ErrRows},
		"twice":       {t.Context(), d, nil, append(good(), good()[0]), calibration.Folds, model.ErrRows},
		"other model": {t.Context(), tunertest.Profile(t, "gtx680"), fitted, good(), calibration.Folds, model.ErrModel},
		"folds":       {t.Context(), d, nil, good(), 1, model.ErrOptions},
		"cancelled":   {cancelled, d, nil, good(), calibration.Folds, context.Canceled},
	} {
		if _, err := calibration.Calibrate(c.ctx, c.d, c.base, c.points, c.folds); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// TestFamiliesHeldOut: what is learnt of a family says nothing of others, so no tree is kept of
// families that differ by chance, though each stream resembles the others of its family.
func TestFamiliesHeldOut(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	points := invent(t, d, 0, 80, off(0, 0))
	kept := map[bool]int{}
	for _, families := range []bool{true, false} {
		list := slices.Clone(points)
		slices.SortStableFunc(list, func(a, b calibration.Measured) int { // by what trees can tell
			return cmp.Compare(a.Stats.Updates, b.Stats.Updates)
		})
		for i := range list {
			p, family := &list[i], i/16
			if families {
				p.Label = fmt.Sprintf("family %02d:%s", family, p.Label)
			}
			us := map[variant.Variant]float64{}
			for v, was := range p.US {
				us[v] = was * math.Exp(0.3*float64(family*7%10-4)/4)
			}
			p.US = us
		}
		kept[families] = calibrate(t, d, nil, list).Calibration.Trees
	}
	if kept[true] > 1 || kept[false] < 2 {
		t.Errorf("%d trees by families left out, %d by streams", kept[true], kept[false])
	}
}

// TestCalibrated: the forests, intervals and figures of calibrations are what testdata/calibrated.txt
// holds: with and without a model beneath them, of much and of little that differs from the closed forms.
func TestCalibrated(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, trained := tunertest.Trained()
	var lines []string
	for name, base := range map[string]*model.Model{"model": trained, "none": nil} {
		for kind, of := range map[string]truth{
			"noise": off(0, 0.06),
			"steps": func(v variant.Variant, s *collision.Stats, _ device.Call, r *synth.Rand) float64 {
				off := float64(v.Base)/10 + float64(0.1*r.Float64())
				if s.WarpLevel > 0.5 {
					off -= 0.6
				}
				return off
			},
		} {
			m := calibrate(t, d, base, invent(t, d, 0, 40, of))
			var sum golden.Digest
			sum.JSON(t, m)
			for _, o := range calibration.Offsets(m, invent(t, d, 40, 50, of)) {
				sum.JSON(t, o)
			}
			lines = append(lines, name+", "+kind+": "+sum.String())
		}
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/calibrated.txt", lines)
}
