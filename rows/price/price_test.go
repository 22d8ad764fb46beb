package price

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
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

// TestHotRow: half of the updates on one row bind runs to that row, and a table frees them of it. Without a
// frequent row nothing waits for one, and a table is of no use.
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
		t.Errorf("first is %s of %v us, last %v us", list[0].Implementation(), list[0].US, list[len(list)-1].US)
	}
	if list, err = Rank(d, stats(t, 1<<18, 1<<17, 0), c); err != nil {
		t.Fatal(err)
	}
	if list[0].Form != rows.Runs || list[0].Bound == Row {
		t.Errorf("of a uniform stream: first is %s, %s binds", list[0].Implementation(), list[0].Bound)
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
}

// TestFloor: by hand, on a device that moves 2,000 bytes a microsecond out of L2, which holds 1,000,
// and 1,000 out of DRAM.
func TestFloor(t *testing.T) {
	var d device.Profile
	d.Memory.L2Rate.Value, d.Memory.DRAMRate.Value, d.Memory.L2Bytes.Value = 2e9, 1e9, 1000
	s := &reuse.Stats{Positions: 110, Updates: 100, Rows: 50, Unique: 10}
	for _, c := range []struct {
		call  rows.Call
		bytes float64
		us    float64
	}{
		// 110·8 + 100·8·2 bytes are beyond L2, 2·10·8·2 are not.
		{rows.Call{Kind: rows.BF16, Width: 8, IndexBytes: 8, Keeps: true}, 2480 + 320, 2.48 + 0.16},
		{rows.Call{Kind: rows.Widened, Width: 8}, 2040 + 1600, 2.04 + 1.6},
		{rows.Call{Kind: rows.F32, Width: 1}, 840 + 200, 0.42 + 0.1},
	} {
		got := FloorOf(&d, s, c.call)
		if got.Bytes != c.bytes || math.Abs(got.US-c.us) > 1e-12 {
			t.Errorf("%+v: %+v, want %v bytes, %v us", c.call, got, c.bytes, c.us)
		}
	}
}

// TestBelow: no price lies below the floor, but for what the rates of the profile differ by.
func TestBelow(t *testing.T) {
	d := profile(t, "h200")
	for _, hot := range []float64{0, 0.5} {
		s := stats(t, 1<<18, 1<<14, hot)
		for _, k := range rows.Kinds() {
			c := rows.Call{Kind: k, Width: 128}
			list, err := Rank(d, s, c)
			if err != nil {
				t.Fatal(err)
			}
			if floor := FloorOf(d, s, c).US; list[0].US < 0.9*floor {
				t.Errorf("%s, %v hot: %s takes %v us, the floor is %v", k, hot, list[0].Implementation(), list[0].US, floor)
			}
		}
	}
}

// TestNotes: the GPUs that recordings judge have no note, others name them.
func TestNotes(t *testing.T) {
	for name, want := range map[string]bool{"h100": false, "h200": false, "a100": true, "b200": true} {
		notes := Notes(profile(t, name))
		if (len(notes) == 1) != want {
			t.Fatalf("%s: %q", name, notes)
		}
		for _, other := range []string{"h100", "h200", name} {
			if title := profile(t, other).Title; want && strings.Count(notes[0], title) != 1 {
				t.Errorf("%s: %q names %s not once", name, notes, title)
			}
		}
	}
	if len(JudgedOn()) < 2 {
		t.Errorf("judged on %v", JudgedOn())
	}
}

// TestPadding: positions without an update cost what reading them costs, no more than updates would.
func TestPadding(t *testing.T) {
	d, c := profile(t, "h200"), rows.Call{Kind: rows.F32, Width: 64}
	const n, count = 1 << 18, 1 << 12
	padded, all := make([]uint32, n), make([]uint32, n)
	var active []uint32
	for i := range all {
		all[i], padded[i] = uint32(i*7919%count), reuse.Inactive
		if i%3 > 0 {
			padded[i] = all[i]
			active = append(active, all[i])
		}
	}
	priced := func(indices []uint32, f rows.Form) (us, stream float64) {
		s, err := reuse.Analyze(indices, count)
		if err != nil {
			t.Fatal(err)
		}
		p := of(t, d, s, c, f)
		return p.US, p.Part(Stream)
	}
	for _, f := range rows.Forms() {
		least, _ := priced(active, f)
		most, read := priced(all, f)
		got, stream := priced(padded, f)
		if got <= least || got > most || (stream == read) != (f != rows.Naive) {
			t.Errorf("%s: %v us, %v without the padding, %v if it were updates; reads for %v us, these for %v", f,
				got, least, most, stream, read)
		}
	}
}

// TestPrices: every part of the price of every form is what testdata/prices.txt holds, on each device,
// for calls and streams of all kinds.
func TestPrices(t *testing.T) {
	var lines []string
	type of struct{ n, i, k int }
	streams := map[of]*reuse.Stats{}
	for at, name := range device.Names() {
		d := profile(t, name)
		for k, kind := range rows.Kinds() {
			for i, width := range []uint64{1, 3, 32, 127, 1024} {
				c := rows.Call{Kind: kind, Width: width, Keeps: (at+k+i)%2 == 0}
				if rows.Check(d, c) != nil {
					continue
				}
				var sum golden.Digest
				for n := 1; n <= 1<<17; n = 7*n + 2 {
					s := streams[of{n, i, k}]
					if s == nil {
						s = stats(t, n, 1<<(3*i+k), float64(i)/6)
						streams[of{n, i, k}] = s
					}
					list, err := Rank(d, s, c)
					if err != nil {
						t.Fatal(err)
					}
					sum.JSON(t, []any{list, FloorOf(d, s, c)})
					for _, f := range rows.Forms() {
						if p, err := Of(d, s, c, f, 1<<(2*i)); err == nil {
							low, high := Interval(f, p.US)
							sum.JSON(t, []any{p, low, high})
						}
					}
				}
				lines = append(lines, fmt.Sprintf("%s %+v: %s", name, c, &sum))
			}
		}
	}
	golden.Compare(t, "testdata/prices.txt", lines)
}
