package calibration

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/speedup"
)

var plantedStreams = []string{
	"uniform:n=131072,k=32768,seed=1", "hotspot:n=131072,k=32768,seed=1,h=1,p=0.5", "sorted:n=131072,k=32768,seed=1",
	"hotspot:n=131072,k=2048,seed=1,h=64,p=0.9", "zipf:n=131072,k=32768,seed=1,s=1,shuffle=1",
	"runs:n=131072,k=32768,seed=1,len=6", "uniform:n=500000,k=100000,seed=2", "hotspot:n=500000,k=100000,seed=2,h=1,p=0.3",
	"zipf:n=300000,k=2000,seed=2,s=0.7,shuffle=1", "uniform:n=300000,k=64,seed=2",
}

var plantedForms = []recordings.RowForm{{Name: "naive"}, {Name: "runs"}, {Name: "hot"}, {Name: "hot", Slots: 4},
	{Name: "sort"}, {Name: recordings.PyTorch}}

// planted is a table of the prices of a profile, with noise of a percent, and each 25th time thrice as long.
func planted(t *testing.T, p *device.Profile, streams []string, types ...string) []recordings.RowScatter {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var table []recordings.RowScatter
	for _, label := range streams {
		var s recordings.RowScatter
		_, rest, _ := strings.Cut(label, ",k=")
		for _, digit := range rest[:strings.Index(rest, ",")] {
			s.Rows = 10*s.Rows + uint64(digit-'0')
		}
		s.Label = label
		stats, err := RowStream(&s)
		if !errors.Is(err, ErrData) { // the counts are not filled in yet
			t.Fatal(err)
		}
		s.Updates, s.Unique, s.MaxFrequency = stats.Updates, stats.Unique, stats.MaxFrequency
		for _, s.Type = range types {
			for _, width := range []uint64{2, 8, 128} {
				s.Call = must.Get(recordings.RowCall(s.Type, width))(t)
				for _, s.Form = range plantedForms {
					s.Line = len(table) + 1
					if s.MedianUS = 1; s.Form.IsImplementation() {
						v := must.Get(s.Form.Implementation())(t)
						cost := must.Get(speedup.Predict(v, stats, p, s.Call))(t)
						s.MedianUS = (cost.US - cost.IdleUS) * math.Exp(0.01*rng.NormFloat64())
					}
					if s.Line%25 == 7 {
						s.MedianUS *= 3
					}
					table = append(table, s)
				}
			}
		}
	}
	return table
}

// TestRows: the fit finds planted times, within 6 % and its intervals or 1 %, from others that are a quarter
// off; times that no call shows stay as they were.
func TestRows(t *testing.T) {
	base := must.Get(device.Builtin("h100"))(t)
	truth, i := *base, 0
	device.FactsOf(&truth.Rows, func(f device.Fact) {
		if f.Quantity != nil {
			f.Quantity.Value *= []float64{1.25, 1 / 1.25, 1.35}[i%3]
			i++
		}
	})
	want := map[string]float64{}
	device.FactsOf(&truth.Rows, func(f device.Fact) {
		if f.Quantity != nil {
			want["rows."+f.Place] = f.Quantity.Value
		}
	})
	table := planted(t, &truth, plantedStreams, "f32", "bf16")
	before := base.Rows
	p, report, err := Rows(base, "planted.csv", base.Title, table, nil)
	if err != nil || base.Rows != before {
		t.Fatal(err)
	}
	for _, q := range report.Quantities {
		off := q.Value/want[q.Name] - 1
		if math.Abs(off) > 0.06 || (want[q.Name] < q.Interval.Low || want[q.Name] > q.Interval.High) && math.Abs(off) > 0.01 {
			t.Errorf("%s: %v (%v), planted %v", q.Name, q.Value, q.Interval, want[q.Name])
		}
	}
	if len(report.Quantities) != 15 || len(report.Unidentified) != 0 || len(report.Warnings) != 0 {
		t.Errorf("%d quantities, %v, %v", len(report.Quantities), report.Unidentified, report.Warnings)
	}
	if r := report.Quantities[0].Residuals; r.Rows != 300 || r.Median > 0.015 || r.Max < 1.9/3 || p.Validate() != nil {
		t.Errorf("residuals %+v, %v", r, p.Validate())
	}
	table = slices.DeleteFunc(table, func(s recordings.RowScatter) bool {
		return s.Type == "bf16" || s.Form.Name == "hot"
	})
	p, report, err = Rows(base, "planted.csv", base.Title, table, nil)
	if err != nil || len(report.Quantities) != 11 || p.Rows.Halves != base.Rows.Halves || p.Rows.Hit != base.Rows.Hit {
		t.Errorf("%v, %d quantities, %+v", err, len(report.Quantities), report.Unidentified)
	}
}

// TestRowsFaults: a table that cannot be fitted gives one error with its file, and the line.
func TestRowsFaults(t *testing.T) {
	base := must.Get(device.Builtin("h100"))(t)
	whole := planted(t, base, plantedStreams[:3], "f32")
	for want, alter := range map[string]func(r []recordings.RowScatter) []recordings.RowScatter{
		"planted.csv:19: measurements cannot be fitted: hotspot": func(r []recordings.RowScatter) []recordings.RowScatter {
			r[18].Unique++ // of its stream
			return r[18:]
		},
		"planted.csv: measurements cannot be fitted: too few": func(r []recordings.RowScatter) []recordings.RowScatter {
			return r[:18]
		},
	} {
		_, _, err := Rows(base, "planted.csv", base.Title, alter(slices.Clone(whole)), nil)
		if !errors.Is(err, ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, _, err := Rows(must.Get(device.Builtin("gtx580"))(t), "planted.csv", "GTX 580", whole, nil)
	if !errors.Is(err, device.ErrCannot) || !strings.HasPrefix(err.Error(), "planted.csv:1: ") {
		t.Errorf("%v, want that the device adds no rows", err)
	}
}
