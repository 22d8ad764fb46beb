package speedup

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// recorded is one recorded call with its prediction.
type recorded struct {
	recordings.Call
	stats collision.Stats
	part  recordings.Part
	us    float64
}

// parts are those of the recorded streams.
var parts = []recordings.Part{recordings.Fit, recordings.HeldOut}

// recordedCallsOf returns those of an archive, to read. Left out are kernels whose registers allow
// fewer blocks on an SM than device.Shape gives. The host's re-layout is not part of a recorded time.
func recordedCallsOf(t *testing.T, a *archive.Archive) []recorded {
	t.Helper()
	list, err := predictedOnce[a]()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// predictedOnce are the archives, decoded and predicted once for all tests.
var predictedOnce = map[*archive.Archive]func() ([]recorded, error){}

func init() {
	for _, a := range []*archive.Archive{h200.Archive, h100.Archive} {
		predictedOnce[a] = sync.OnceValues(func() ([]recorded, error) { return predictCalls(a) })
	}
}

func predictCalls(a *archive.Archive) (list []recorded, err error) {
	streams, err := a.Streams()
	if err != nil {
		return nil, err
	}
	profile, err := device.Builtin(a.Name())
	if err != nil {
		return nil, err
	}
	all, err := a.Set("").Calls()
	if err != nil {
		return nil, err
	}
	d := *profile
	d.Host.Relayout.Value = 0
	type kind struct {
		v impl.Spec
		c device.Call
	}
	models := map[kind]*Model{}
	for _, c := range all {
		s, ok := streams[c.Label]
		if !ok {
			return nil, fmt.Errorf("no statistics of %s", c.Label)
		}
		shape := d.Limits().Shape(c.Implementation, c.Call, c.Bins, c.Updates, device.Launch{})
		if c.Threads > 0 && (c.Threads != shape.Threads || c.Blocks != shape.Blocks) {
			continue
		}
		m, known := models[kind{c.Implementation, c.Call}]
		if !known {
			m, err = Compile(c.Implementation, &d, c.Call)
			models[kind{c.Implementation, c.Call}] = m
		}
		if m != nil && err == nil {
			err = m.Check(&s)
		}
		if m == nil || errors.Is(err, device.ErrCannot) {
			err = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, recorded{c, s, recordings.Half(c.Label), m.US(&s)})
	}
	return list, nil
}

// spreadOf is how the ratios of prediction to measurement lie.
type spreadOf struct {
	n                        int
	mean, p10, p90, min, max float64 // geometric mean
}

func spreadRatios(ratios []float64) spreadOf {
	slices.Sort(ratios)
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	n := len(ratios)
	return spreadOf{n, math.Exp(sum / float64(n)), ratios[n/10], ratios[n*9/10], ratios[0], ratios[n-1]}
}

// limits hold for the streams of either part, but for the knownGaps.
var limits = []struct {
	implementation              string
	meanLow, meanHigh, p10, p90 float64
	worst                       float64 // either way
}{
	{"naive", 0.9, 1.15, 0.7, 1.4, 2.9},
	{"sr", 0.9, 1.15, 0.7, 1.55, 3.3},
	{"vr", 0.9, 1.15, 0.7, 1.4, 3.2},
	{"vr:t=8", 0.9, 1.15, 0.7, 1.4, 3.6},
	{"ss", 0.9, 1.15, 0.7, 1.4, 4.2},
	{"sr+ss", 0.9, 1.15, 0.7, 1.4, 4.2},
	{"peers", 0.9, 1.15, 0.7, 1.4, 3.4},
	{"match", 0.9, 1.15, 0.7, 1.4, 3.4},
	{"private", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"private:r=2,pad=1", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"private:r=4,pad=1", 0.9, 1.15, 0.7, 1.4, 2.9},
	{"private:r=8,pad=1", 0.9, 1.15, 0.7, 1.4, 3},
	{"private:r=16,pad=1", 0.9, 1.15, 0.7, 1.4, 3.2},
	{"private:r=32,pad=1", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"private:r=4", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"private:r=32", 0.82, 1.15, 0.65, 1.4, 2.2},
	{"private:r=4,map=block", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"private:r=4,pad=1,map=block", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"private+sr", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"private+vr", 0.9, 1.15, 0.7, 1.4, 2.6},
	{"private+match", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"sort", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"segreduce", 0.9, 1.15, 0.7, 1.4, 2.2},
	{"threadprivate", 0.9, 1.15, 0.62, 1.4, 2.2},
	{"hot", 0.9, 1.15, 0.7, 1.4, 3},
	{"hot+sr", 0.9, 1.15, 0.7, 1.4, 3},
	{"hot+match", 0.9, 1.15, 0.7, 1.4, 3},
	{"hot, sampled", 0.9, 1.15, 0.6, 1.8, 3},
	{"ranges", 0.9, 1.15, 0.7, 1.4, 3},
	{"ranges+sr", 0.9, 1.15, 0.7, 1.4, 3},
	{"partition", 0.9, 1.15, 0.7, 1.4, 3},
}

// limitOf names the row of limits for an implementation: that of all sizes of hot, ranges and
// partition.
func limitOf(v impl.Spec) string {
	name := v.String()
	switch {
	case v.Sample > 0:
		return "hot, sampled"
	case v.Slots > 0:
		name = "hot"
	case v.G() > 1:
		name = "ranges"
	case v.Width > 0:
		return "partition"
	default:
		return name
	}
	if v.Reduces() {
		name += "+" + v.Reduction.String()
	}
	return name
}

// knownGaps are the limits that do not hold, as implementation and limit, with
// what holds in its place: of worst, how many calls of a part lie beyond it at
// most. A gap that has closed fails the test, too.
var knownGaps = map[[2]string]float64{
	// Seen with sorted streams on few targets and with narrow windows, where the slices
	// that are busy are not those that the updates in flight say.
	{"vr", "worst"}: 7,
	{"ss", "worst"}: 20,
	// Copies in step with a stream that repeats, where the warps of a block keep
	// meeting.
	{"private", "worst"}:           1,
	{"private:r=2,pad=1", "worst"}: 1,
	{"private:r=32", "worst"}:      1,
	// Targets that move with the stream: blocks flush what few of them touched, and slices
	// take turns.
	{"hot", "worst"}:       48,
	{"hot+sr", "worst"}:    22,
	{"hot+match", "worst"}: 20,
	{"ranges", "worst"}:    34,
	// Targets that a sample is taken to miss.
	{"hot, sampled", "worst"}: 12,
}

// holds checks a limit of an implementation on one part, or what holds in its
// place; open notes that the gap is there.
func holds(t *testing.T, name, limit string, part recordings.Part, value float64, ok func(limit float64) bool, want float64, open map[[2]string]bool) {
	t.Helper()
	gap, known := knownGaps[[2]string{name, limit}]
	if known && !ok(want) {
		open[[2]string{name, limit}] = true
		want = gap
	}
	if !ok(want) {
		t.Errorf("%s, %s: %s %.3f, limit %v", name, part, limit, value, want)
	}
}

func TestRecordedCalls(t *testing.T) {
	ratios := map[recordings.Part]map[string][]float64{recordings.Fit: {}, recordings.HeldOut: {}}
	for _, r := range recordedCallsOf(t, h200.Archive) {
		name := limitOf(r.Implementation)
		ratios[r.part][name] = append(ratios[r.part][name], r.us/r.MedianUS)
	}
	t.Logf("predicted over measured       part          n  mean   p10   p90   min   max  beyond")
	checked, open := 0, map[[2]string]bool{}
	for _, part := range parts {
		for _, l := range limits {
			s := spreadRatios(ratios[part][l.implementation])
			beyond := 0.0
			for _, r := range ratios[part][l.implementation] {
				if math.Abs(math.Log(r)) > math.Log(l.worst) {
					beyond++
				}
			}
			t.Logf("%-28s  %-11s %4d  %4.2f  %4.2f  %4.2f  %4.2f  %4.2f  %4.0f", l.implementation, part, s.n, s.mean, s.p10, s.p90, s.min, s.max, beyond)
			least := func(v float64) func(float64) bool { return func(limit float64) bool { return v >= limit } }
			most := func(v float64) func(float64) bool { return func(limit float64) bool { return v <= limit } }
			holds(t, l.implementation, "least mean", part, s.mean, least(s.mean), l.meanLow, open)
			holds(t, l.implementation, "greatest mean", part, s.mean, most(s.mean), l.meanHigh, open)
			holds(t, l.implementation, "p10", part, s.p10, least(s.p10), l.p10, open)
			holds(t, l.implementation, "p90", part, s.p90, most(s.p90), l.p90, open)
			holds(t, l.implementation, "worst", part, beyond, most(beyond), 0, open)
			checked += s.n
		}
		if len(ratios[part]) != len(limits) {
			t.Errorf("%s: %d implementations recorded, %d have limits", part, len(ratios[part]), len(limits))
		}
	}
	for gap := range knownGaps {
		if !open[gap] {
			t.Errorf("%s: %s holds: no gap any more", gap[0], gap[1])
		}
	}
	if checked < 95000 {
		t.Errorf("checked %d calls", checked)
	}
}

// TestRegret compares the recorded time of the candidate that is predicted to be fastest with the fastest
// recorded one, of calls of many updates and of all.
func TestRegret(t *testing.T) {
	type question struct {
		label string
		call  device.Call
		part  recordings.Part
		large bool
	}
	type answer struct{ predicted, us, best float64 }
	answers := map[question]answer{}
	for _, r := range recordedCallsOf(t, h200.Archive) {
		if r.Implementation.Scatter || r.Call.Call.Returns || !slices.Contains(impl.Candidates(), r.Implementation) {
			continue // the host's re-layout is in no recorded time
		}
		q := question{r.Label, r.Call.Call, r.part, r.Updates >= 1<<18}
		a, known := answers[q]
		if !known || r.us < a.predicted {
			a.predicted, a.us = r.us, r.MedianUS
		}
		if !known || r.MedianUS < a.best {
			a.best = r.MedianUS
		}
		answers[q] = a
	}
	for _, part := range parts {
		for _, c := range []struct {
			all   bool
			limit float64
		}{{false, 1.06}, {true, 1.07}} {
			var regrets []float64
			for q, a := range answers {
				if q.part == part && (c.all || q.large) {
					regrets = append(regrets, a.us/a.best)
				}
			}
			if s := spreadRatios(regrets); s.n < 40 || s.mean > c.limit {
				t.Errorf("%s, all calls %t: regret %+v, limit %.2f", part, c.all, s, c.limit)
			}
		}
	}
}

// TestRecordedKept holds the prices of calls that clear no targets to the recorded ones.
func TestRecordedKept(t *testing.T) {
	calls, err := h200.Kept.Calls()
	if err != nil {
		t.Fatal(err)
	}
	streams, err := h200.Kept.Streams()
	if err != nil {
		t.Fatal(err)
	}
	var ratios, cleared []float64
	for _, c := range calls {
		s := streams[c.Label]
		clears := c.Call
		clears.Keeps = false
		us, err := Predict(c.Implementation, &s, builtin(t, "h200"), c.Call)
		if errors.Is(err, device.ErrCannot) {
			continue
		}
		also, other := Predict(c.Implementation, &s, builtin(t, "h200"), clears)
		if err != nil || other != nil || !c.Call.Keeps {
			t.Fatal(c.Label, c.Implementation, err, other)
		}
		ratios, cleared = append(ratios, us.US/c.MedianUS), append(cleared, also.US/c.MedianUS)
	}
	got, with := spreadRatios(ratios), spreadRatios(cleared)
	t.Logf("kept: %+v; as if cleared: %+v", got, with)
	if got.n < 1500 || got.mean < 0.9 || got.mean > 1.1 || got.p10 < 0.7 || got.p90 > 1.4 {
		t.Errorf("predicted over measured: %+v", got)
	}
	if math.Abs(math.Log(got.mean)) > math.Abs(math.Log(with.mean)) {
		t.Errorf("as if the targets were cleared: %+v, closer than %+v", with, got)
	}
}

// TestArrayBegins: a known gap. Where an array of 513 to 1,024 bytes begins decides whether it lies on two slices or on
// more, which no price knows: of naive calls on the H100 those of f64 take less than four fifths of it, those of f32
// all of it. 100 targets of 8 bytes lie on more slices than 10 and are faster.
func TestArrayBegins(t *testing.T) {
	ratios, perUpdate := map[device.Type][]float64{}, map[uint64]float64{}
	for _, c := range recordedCallsOf(t, h100.Archive) {
		does := c.Call.Call
		if !c.Implementation.IsNaive() || does.Returns || c.Updates < 400_000 {
			continue
		}
		if bytes := int(c.Bins) * does.Type.Bytes(); bytes > 512 && bytes <= 1024 {
			ratios[does.Type] = append(ratios[does.Type], c.MedianUS/c.us)
		}
		if strings.HasPrefix(c.Label, "uniform:") && does.Type == device.F64 {
			perUpdate[c.Bins] = c.us / float64(c.Updates)
		}
	}
	if m := spreadRatios(ratios[device.F64]); m.n < 10 || m.mean > 0.8 {
		t.Errorf("f64: %+v; if the gap has closed, doc/THEORY.md can say so", m)
	}
	if m := spreadRatios(ratios[device.F32]); m.n < 20 || math.Abs(m.mean-1) > 0.1 {
		t.Errorf("f32: %+v", m)
	}
	if !(perUpdate[100] > 0 && perUpdate[100] < perUpdate[10]) {
		t.Errorf("an update of 10 targets takes %v us, of 100 %v", perUpdate[10], perUpdate[100])
	}
}
