package recordings

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/impl"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var dates = []string{"2026-01-02T03:04:05Z", "2026-01-02T04:04:05Z", "2026-01-03T03:04:05Z"}

// drawRuns draws runs of one plan whose values differ a little.
func drawRuns(t *rapid.T) []Run {
	readings := rapid.SliceOfNDistinct(rapid.Custom(drawReading), 1, 5, Reading.key).Draw(t,
		"readings")
	calls := rapid.SliceOfNDistinct(rapid.Custom(drawCall), 1, 5, Call.key).Draw(t, "calls")
	var runs []Run
	for n := range rapid.IntRange(1, len(dates)).Draw(t, "runs") {
		scale := 1 + rapid.Float64Range(0, 0.1).Draw(t, "scale")
		r := Run{Name: dates[n], Provenance: provenance(dates[n]), Scratchpad: scratchpad(scale),
			Streams: []Stream{stream("c")}}
		for _, x := range readings {
			x.Value, x.Low, x.High, x.Starts = x.Value*scale, x.Low*scale, x.High*scale, 0
			r.Readings = append(r.Readings, x)
		}
		for _, c := range calls {
			c.MinUS, c.MedianUS, c.MaxUS, c.Starts = c.MinUS*scale, c.MedianUS*scale, c.MaxUS*scale, 0
			r.Calls = append(r.Calls, c)
		}
		runs = append(runs, r)
	}
	return runs
}

// TestMerge: a merged value lies between the runs' values, extremes and repeats
// are theirs together, and the order of the runs does not matter.
func TestMerge(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		m, warnings, err := Merge(runs...)
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		for i, r := range m.Readings {
			var values, lows, highs []float64
			repeats := 0
			for _, run := range runs {
				x := run.Readings[i]
				values, lows, highs, repeats = append(values, x.Value), append(lows,
					x.Low), append(highs, x.High), repeats+x.Repeats
			}
			slices.Sort(values)
			n := len(values)
			if r.Low != slices.Min(lows) || r.High != slices.Max(highs) || r.Repeats != repeats ||
				r.Starts != len(runs) ||
				r.Value < values[0] || r.Value > values[n-1] || n != 2 && r.Value != values[n/2] ||
				math.Abs(r.StartSpread*r.Value-(values[n-1]-values[0])) > 1e-9*values[n-1] {
				t.Fatalf("%+v of values %v, low %v, high %v", r, values, lows, highs)
			}
			checked++
		}
		reversed := slices.Clone(runs)
		slices.Reverse(reversed)
		again, _, err := Merge(reversed...)
		if diff := cmp.Diff(m, again); err != nil || diff != "" {
			t.Fatalf("%v, the runs in another order:\n%s", err, diff)
		}
		if len(m.Calls) != len(runs[0].Calls) || len(m.Scratchpad.Columns) != 2 ||
			len(m.Streams) != 1 || len(m.Provenance.Starts) != len(runs) {
			t.Fatalf("%d calls, %d streams", len(m.Calls), len(m.Streams))
		}
		for i, c := range m.Scratchpad.Columns {
			repeats := 0
			for _, run := range runs {
				repeats += run.Scratchpad.Columns[i].Repeats
			}
			if c.Starts != len(runs) || c.Repeats != repeats {
				t.Fatalf("column %s of %d starts, %d repeats, want %d and %d", c.Name, c.Starts, c.Repeats, len(runs), repeats)
			}
		}
	})
	if checked < 20 {
		t.Errorf("%d readings checked", checked)
	}
}

func twoRuns() (Run, Run) {
	one := Reading{Suite: "warp", Name: "latency", Value: 10, Unit: "cycle", Low: 9, High: 11,
		Repeats: 5}
	other := one
	other.Value, other.Name = 12, "throughput"
	other.High = 13
	call := Call{Label: "c", Updates: 9, Bins: 4, Origin: Measured, MinUS: 4, MedianUS: 5, MaxUS: 6,
		Repeats: 3, Correct: true}
	a := Run{Name: "a", Provenance: provenance(dates[0]), Readings: []Reading{one, other},
		Calls:   []Call{call},
		Streams: []Stream{stream("c")}, Scratchpad: scratchpad(1)}
	b := a
	b.Name, b.Provenance = "b", provenance(dates[1])
	b.Readings, b.Calls, b.Streams = slices.Clone(a.Readings), slices.Clone(a.Calls),
		slices.Clone(a.Streams)
	b.Scratchpad = scratchpad(1)
	return a, b
}

// TestMergeOfTwo holds the mean of two, a reading that one run lacks and a
// driver that differs.
func TestMergeOfTwo(t *testing.T) {
	a, b := twoRuns()
	b.Readings = b.Readings[:1]
	b.Readings[0].Value = 11
	b.Provenance.Driver, b.Provenance.GPUUUID = "590.1", "GPU-4567"
	b.Calls[0].Correct = false
	predicted := Call{Label: "c", Updates: 9, Bins: 4,
		Implementation: impl.Spec{Algorithm: impl.Sort}, Origin: Predicted, MinUS: 5, MedianUS: 5,
		MaxUS: 5}
	a.Calls, b.Calls = append(a.Calls, predicted), append(b.Calls, predicted)
	m, warnings, err := Merge(b, a)
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Calls[1]; c.Origin != Predicted || c.Repeats != 0 || c.MedianUS != 5 {
		t.Errorf("%+v", c)
	}
	if r := m.Readings[0]; r.Value != 10.5 || r.Starts != 2 || r.Repeats != 10 ||
		math.Abs(r.StartSpread-1/10.5) > 1e-12 {
		t.Errorf("%+v", r)
	}
	if r := m.Readings[1]; r.Value != 12 || r.Starts != 1 || r.StartSpread != 0 {
		t.Errorf("%+v", r)
	}
	if m.Provenance.GPUUUID != "GPU-0123; GPU-4567" {
		t.Errorf("merged of %s", m.Provenance.GPUUUID)
	}
	if m.Calls[0].Correct || m.Provenance.Driver != "580.159.04; 590.1" {
		t.Errorf("correct %v, driver %q", m.Calls[0].Correct, m.Provenance.Driver)
	}
	if text := strings.Join(warnings, "\n"); len(warnings) != 2 ||
		!strings.Contains(text, "driver") || !strings.Contains(text, "1 of 2") {
		t.Errorf("warnings %q", warnings)
	}
}

// TestMergeParts: a run whose calls are of one of two starts each merges with one of a third, whose
// options choose other calls, but not where a call is of both.
func TestMergeParts(t *testing.T) {
	a, b := twoRuns()
	a.Scratchpad, b.Scratchpad = nil, nil
	a.Readings, b.Readings = nil, nil
	a.Provenance.Options, b.Provenance.Options = "--full --suite calls --drawn 3", "--full"
	a.Provenance.Starts = append(a.Provenance.Starts, provenance(dates[2]).Starts...)
	a.Calls[0].Starts = 1
	m, _, err := Merge(a, b)
	if err != nil || len(m.Provenance.Starts) != 3 || m.Calls[0].Starts != 2 {
		t.Errorf("%d starts of %d: %v", m.Calls[0].Starts, len(m.Provenance.Starts), err)
	}
	b.Calls[0].MedianUS, b.Calls[0].MaxUS = 3*a.Calls[0].MedianUS, 3*a.Calls[0].MaxUS
	if m, _, err = Merge(a, b); err != nil || m.Calls[0].MedianUS != a.Calls[0].MedianUS ||
		m.Calls[0].StartSpread != 2 {
		t.Errorf("%v us, starts %v apart, of one that was held up: %v", m.Calls[0].MedianUS,
			m.Calls[0].StartSpread, err)
	}
	a.Calls[0].Starts = 2
	if _, _, err := Merge(a, b); !errors.Is(err, ErrMerge) {
		t.Errorf("merged twice: %v", err)
	}
}

func TestMergeRefuses(t *testing.T) {
	for name, change := range map[string]func(*Run){
		"GPU":     func(r *Run) { r.Provenance.GPU = "NVIDIA A100" },
		"one run": func(r *Run) { r.Provenance.Starts = provenance(dates[0]).Starts },
		"merged": func(r *Run) {
			r.Provenance.Starts = append(r.Provenance.Starts,
				r.Provenance.Starts...)
		},
		"unit":       func(r *Run) { r.Readings[0].Unit = "us" },
		"twice":      func(r *Run) { r.Readings[1] = r.Readings[0] },
		"targets":    func(r *Run) { r.Calls[0].Bins = 5 },
		"launch":     func(r *Run) { r.Calls[0].Blocks, r.Calls[0].Threads = 1, 32 },
		"statistics": func(r *Run) { r.Streams[0].Stats.Unique = 2 },
		"patterns":   func(r *Run) { r.Scratchpad.Patterns = slices.Clone(r.Scratchpad.Patterns[1:]) },
		"options":    func(r *Run) { r.Provenance.Options = "--quick" },
		"shape":      func(r *Run) { r.Readings[0].Launch = "1x32+0" },
		"unroll":     func(r *Run) { r.Scratchpad.Columns[0].Unroll = 4 },
		"kernel":     func(r *Run) { r.Scratchpad.Columns[0].Kernel = "other" },
	} {
		a, b := twoRuns()
		change(&b)
		if _, _, err := Merge(a, b); !errors.Is(err, ErrMerge) ||
			errors.Is(err, ErrOptions) != (name == "options") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Merge(); !errors.Is(err, ErrMerge) {
		t.Errorf("no runs: %v", err)
	}
}
