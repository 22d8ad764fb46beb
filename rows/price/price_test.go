package price

import (
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/rows"
)

func profile(t *testing.T, name string) *device.Profile {
	t.Helper()
	p, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stats measures n updates of so many rows, a share of which is of row 0.
func stats(t *testing.T, n int, count uint64, hot float64) *reuse.Stats {
	t.Helper()
	random, indices := splitmix.New(9), make([]uint32, n)
	for i := range indices {
		if random.Below(1000) >= uint64(1000*hot) {
			indices[i] = uint32(random.Below(count))
		}
	}
	s, err := reuse.Analyze(indices, count)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func of(t *testing.T, d *device.Profile, s *reuse.Stats, c rows.Call, f rows.Form) Price {
	t.Helper()
	p, err := Of(d, s, c, f, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestHotRow: half of the updates on one row bind runs to that row, and a table frees them of it.
func TestHotRow(t *testing.T) {
	d, c := profile(t, "h200"), rows.Call{Kind: rows.F32, Width: 128}
	s := stats(t, 1<<18, 1<<14, 0.5)
	runs, hot := of(t, d, s, c, rows.Runs), of(t, d, s, c, rows.Hot)
	if runs.Bound != Row {
		t.Errorf("runs: %s binds, want the row; %+v", runs.Bound, runs.Parts)
	}
	if hot.Bound == Row || hot.US > runs.US/5 {
		t.Errorf("hot: %s binds, %v us; runs takes %v", hot.Bound, hot.US, runs.US)
	}
	list, err := Rank(d, s, c)
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Form != rows.Hot || list[len(list)-1].US < list[0].US {
		t.Errorf("first is %s of %v us, last %v us", list[0].Name(), list[0].US, list[len(list)-1].US)
	}
}

// TestUniform: without a frequent row nothing waits for one, and a table is of no use.
func TestUniform(t *testing.T) {
	d, c := profile(t, "h200"), rows.Call{Kind: rows.F32, Width: 64}
	s := stats(t, 1<<18, 1<<17, 0)
	list, err := Rank(d, s, c)
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Form != rows.Runs || list[0].Bound == Row {
		t.Errorf("first is %s, %s binds", list[0].Name(), list[0].Bound)
	}
}

// TestMore: a call takes no less time with more updates, wider rows or cleared targets.
func TestMore(t *testing.T) {
	d := profile(t, "h100")
	little, much := stats(t, 1<<16, 1<<12, 0.1), stats(t, 1<<18, 1<<12, 0.1)
	for _, f := range rows.Forms() {
		for _, k := range rows.Kinds() {
			c := rows.Call{Kind: k, Width: 32, Keeps: true}
			base := of(t, d, little, c, f)
			sum := 0.0
			for _, part := range base.Parts {
				sum += part.US
				if part.US < 0 || math.IsNaN(part.US) || Meaning(part.Bound) == "" {
					t.Errorf("%s of %s: part %+v", f, k, part)
				}
			}
			if base.US <= 0 || base.US > sum*(1+1e-9) || base.LowUS >= base.US || base.HighUS <= base.US {
				t.Errorf("%s of %s: %+v", f, k, base)
			}
			if p := of(t, d, much, c, f); p.US <= base.US {
				t.Errorf("%s of %s: four times the updates take %v us, not more than %v", f, k, p.US, base.US)
			}
			c.Width = 128
			if p := of(t, d, little, c, f); p.US <= base.US {
				t.Errorf("%s of %s: rows of 128 take %v us, not more than %v", f, k, p.US, base.US)
			}
			c.Width, c.Keeps = 32, false
			if p := of(t, d, little, c, f); p.US <= base.US {
				t.Errorf("%s of %s: with a clear %v us, not more than %v", f, k, p.US, base.US)
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	s, err := reuse.Analyze(nil, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rows.Forms() {
		if p := of(t, profile(t, "h200"), s, rows.Call{Width: 4}, f); !(p.US > 0) || math.IsInf(p.US, 0) {
			t.Errorf("%s: no updates take %v us", f, p.US)
		}
	}
}

func TestErrors(t *testing.T) {
	d, s := profile(t, "h200"), stats(t, 100, 10, 0)
	for _, c := range []struct {
		name  string
		d     *device.Profile
		s     *reuse.Stats
		call  rows.Call
		slots int
		want  error
	}{
		{"no width", d, s, rows.Call{}, 0, rows.ErrCall},
		{"no device", nil, s, rows.Call{Width: 4}, 0, rows.ErrCall},
		{"no statistics", d, nil, rows.Call{Width: 4}, 0, ErrPrice},
		{"three slots", d, s, rows.Call{Width: 4}, 3, rows.ErrCall},
		{"a table too large", d, s, rows.Call{Width: 128}, 1024, device.ErrCannot},
		{"64 lanes", profile(t, "hd5870"), s, rows.Call{Width: 4}, 0, device.ErrCannot},
		{"no match", profile(t, "gtx680"), s, rows.Call{Width: 4}, 0, device.ErrCannot},
		{"no bfloat16", profile(t, "a100"), s, rows.Call{Kind: rows.BF16, Width: 4}, 0, device.ErrCannot},
	} {
		if _, err := Of(c.d, c.s, c.call, rows.Hot, c.slots); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if Meaning("none") != "" {
		t.Error("a bound that there is not has a meaning")
	}
}
