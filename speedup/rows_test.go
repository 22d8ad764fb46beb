package speedup

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// The implementations that add rows, and the types of targets and values of those that were measured.
var (
	rowForms = []impl.Spec{{}, {Reduction: impl.Runs}, {Algorithm: impl.Hot}, {Algorithm: impl.Sort}}
	rowTypes = []device.Call{{Type: device.F32}, {Type: device.BF16}, {Type: device.F32, Values: device.BF16}}
)

// wide is a call of types that adds rows.
func wide(c device.Call, width uint64, keeps bool) device.Call {
	c.Width, c.Keeps = width, keeps
	return c
}

// rowStats measures indices of rows, where padding is not an update.
func rowStats(t *testing.T, indices []uint32, rows uint64) *collision.Stats {
	t.Helper()
	s, err := collision.Analyze(indices, collision.Options{Bins: rows, Rows: true, Padded: true})
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

// drawnRows measures n updates of so many rows, a share of which is of row 0.
func drawnRows(t *testing.T, n int, count uint64, hot float64) *collision.Stats {
	t.Helper()
	random, indices := splitmix.New(9), make([]uint32, n)
	for i := range indices {
		if random.Below(1000) >= uint64(1000*hot) {
			indices[i] = uint32(random.Below(count))
		}
	}
	return rowStats(t, indices, count)
}

func rowCost(t *testing.T, d *device.Profile, s *collision.Stats, c device.Call, v impl.Spec) Cost {
	t.Helper()
	cost, err := Predict(v, s, d, c)
	if err != nil {
		t.Fatal(err)
	}
	return cost
}

// fastestRow is the implementation with the least price, and its cost.
func fastestRow(t *testing.T, d *device.Profile, s *collision.Stats, c device.Call) (impl.Spec, Cost) {
	t.Helper()
	b, err := CompileAll(Runnable(impl.Wide(), d, c), d, c)
	if err != nil {
		t.Fatal(err)
	}
	us := make([]float64, len(Runnable(impl.Wide(), d, c)))
	b.US(s, us)
	place := slices.Index(us, slices.Min(us))
	cost, err := b.Explain(s, place)
	if err != nil || cost.US != us[place] {
		t.Fatalf("%v us, explained %v us, %v", us[place], cost.US, err)
	}
	return Runnable(impl.Wide(), d, c)[place], cost
}

func partOf(c Cost, name string) float64 {
	return c.Parts[slices.IndexFunc(c.Parts, func(b Bound) bool { return b.Bound == name })].US
}

// TestHotRow: half of the updates on one row bind runs to that row, and a table frees them of it. Without a
// frequent row nothing waits for one, and a table is of no use.
func TestHotRow(t *testing.T) {
	d, c := builtin(t, "h200"), wide(rowTypes[0], 128, false)
	s := drawnRows(t, 1<<18, 1<<14, 0.5)
	runs, hot := rowCost(t, d, s, c, rowForms[1]), rowCost(t, d, s, c, rowForms[2])
	if runs.Bottleneck != "row" {
		t.Errorf("runs: %s binds, want the row; %+v", runs.Bottleneck, runs.Parts)
	}
	if hot.Bottleneck == "row" || hot.US > runs.US/5 {
		t.Errorf("hot: %s binds, %v us; runs takes %v", hot.Bottleneck, hot.US, runs.US)
	}
	if first, _ := fastestRow(t, d, s, c); first.Algorithm != impl.Hot {
		t.Errorf("first is %s", first)
	}
	if first, cost := fastestRow(t, d, drawnRows(t, 1<<18, 1<<17, 0), c); first != rowForms[1] || cost.Bottleneck == "row" {
		t.Errorf("of a uniform stream: first is %s, %s binds", first, cost.Bottleneck)
	}
}

// TestTableOfSums: a table takes as long to start as its bytes, of wider sums too.
func TestTableOfSums(t *testing.T) {
	d := builtin(t, "h200")
	s, hot := drawnRows(t, 20000, 400, 0.5), impl.Spec{Algorithm: impl.Hot, Slots: 4}
	launch := func(of device.Type, width uint64) float64 {
		return partOf(rowCost(t, d, s, device.Call{Type: of, Width: width}, hot), "launch")
	}
	if double, float := launch(device.F64, 32), launch(device.F32, 64); double != float || double == launch(device.F32, 32) {
		t.Errorf("a table of 4 rows of 32 doubles takes %v us to start, of 64 floats %v us", double, float)
	}
}

// TestMoreRows: a call takes no less time with more updates, wider rows or cleared targets, of any type and
// operation, and its parts are what the parts of a Cost are.
func TestMoreRows(t *testing.T) {
	d := builtin(t, "h100")
	little, much := drawnRows(t, 1<<16, 1<<12, 0.1), drawnRows(t, 1<<18, 1<<12, 0.1)
	calls := slices.Clone(rowTypes)
	for _, typ := range device.Types() {
		for _, op := range []device.Op{device.Add, device.Min, device.Max} {
			calls = append(calls, device.Call{Type: typ, Op: op})
		}
	}
	for _, f := range rowForms {
		for _, k := range calls {
			base := rowCost(t, d, little, wide(k, 32, true), f)
			sum := 0.0
			for _, part := range base.Parts {
				sum += part.US
				if part.US < 0 || math.IsNaN(part.US) || Meaning(part.Bound) == "" {
					t.Errorf("%s of %v: part %+v", f, k, part)
				}
			}
			if base.US <= 0 || base.US > sum*(1+1e-9) {
				t.Errorf("%s of %v: %+v", f, k, base)
			}
			for what, us := range map[string]float64{
				"four times the updates": rowCost(t, d, much, wide(k, 32, true), f).US,
				"rows of 128":            rowCost(t, d, little, wide(k, 128, true), f).US,
				"with a clear":           rowCost(t, d, little, wide(k, 32, false), f).US,
			} {
				if us <= base.US {
					t.Errorf("%s of %v: %s take %v us, not more than %v", f, k, what, us, base.US)
				}
			}
		}
	}
}

// TestRowErrors: what has no price, and why.
func TestRowErrors(t *testing.T) {
	d, s, f32 := builtin(t, "h200"), drawnRows(t, 100, 10, 0), rowTypes[0]
	for name, c := range map[string]struct {
		d     *device.Profile
		s     *collision.Stats
		call  device.Call
		slots int
		want  error
	}{
		"no statistics of rows": {d, &collision.Stats{}, wide(f32, 4, false), 0, ErrReuse},
		"three slots":           {d, s, wide(f32, 4, false), 3, impl.ErrName},
		"a table too large":     {d, s, wide(f32, 128, false), 1024, device.ErrCannot},
		"64 lanes":              {builtin(t, "hd5870"), s, wide(f32, 4, false), 0, device.ErrCannot},
		"no match":              {builtin(t, "gtx680"), s, wide(f32, 4, false), 0, device.ErrCannot},
		"no bfloat16":           {builtin(t, "a100"), s, wide(rowTypes[1], 4, false), 0, device.ErrCannot},
		"too wide":              {d, s, wide(f32, device.MostWidth+1, false), 0, device.ErrCall},
	} {
		if _, err := Predict(impl.Spec{Algorithm: impl.Hot, Slots: c.slots}, c.s, c.d, c.call); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestFloorOfRows: by hand, on a device that moves 2,000 bytes a microsecond out of L2, which holds 1,000,
// and 1,000 out of DRAM.
func TestFloorOfRows(t *testing.T) {
	var d device.Profile
	d.Memory.L2Rate.Value, d.Memory.DRAMRate.Value, d.Memory.L2Bytes.Value = 2e9, 1e9, 1000
	s := &collision.Stats{Rows: &reuse.Stats{Positions: 110, Updates: 100, Rows: 50, Unique: 10}}
	for _, c := range []struct {
		call  device.Call
		bytes float64
		us    float64
	}{
		// 110·8 + 100·8·2 bytes are beyond L2, 2·10·8·2 are not.
		{device.Call{Type: device.BF16, Width: 8, IndexBytes: 8, Keeps: true}, 2480 + 320, 2.48 + 0.16},
		{wide(rowTypes[2], 8, false), 2040 + 1600, 2.04 + 1.6},
		{wide(rowTypes[0], 1, false), 840 + 200, 0.42 + 0.1},
	} {
		b, err := CompileAll(nil, &d, c.call)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Floor(s); got.Bytes != c.bytes || math.Abs(got.US-c.us) > 1e-12 {
			t.Errorf("%+v: %+v, want %v bytes, %v us", c.call, got, c.bytes, c.us)
		}
	}
}

// TestRowsAboveFloor: no price lies below the floor, but for what the rates of the profile differ by.
func TestRowsAboveFloor(t *testing.T) {
	d := builtin(t, "h200")
	for _, hot := range []float64{0, 0.5} {
		s := drawnRows(t, 1<<18, 1<<14, hot)
		for _, k := range rowTypes {
			c := wide(k, 128, false)
			b, err := CompileAll(nil, d, c)
			if err != nil {
				t.Fatal(err)
			}
			if v, cost := fastestRow(t, d, s, c); cost.US < 0.9*b.Floor(s).US {
				t.Errorf("%v, %v hot: %s takes %v us, the floor is %v", k, hot, v, cost.US, b.Floor(s).US)
			}
		}
	}
}

// TestPaddedRows: positions without an update cost what reading them costs, no more than updates would.
func TestPaddedRows(t *testing.T) {
	d, c := builtin(t, "h200"), wide(rowTypes[0], 64, false)
	const n, count = 1 << 18, 1 << 12
	padded, all := make([]uint32, n), make([]uint32, n)
	var active []uint32
	for i := range all {
		all[i], padded[i] = uint32(i*7919%count), collision.Inactive
		if i%3 > 0 {
			padded[i] = all[i]
			active = append(active, all[i])
		}
	}
	for _, f := range rowForms {
		priced := func(indices []uint32) (us, stream float64) {
			cost := rowCost(t, d, rowStats(t, indices, count), c, f)
			return cost.US, partOf(cost, "stream")
		}
		least, _ := priced(active)
		most, read := priced(all)
		got, stream := priced(padded)
		if got <= least || got > most || (stream == read) != (f != rowForms[0]) {
			t.Errorf("%s: %v us, %v without the padding, %v if it were updates; reads for %v us, these for %v", f,
				got, least, most, stream, read)
		}
	}
}

// TestRowPricesKnowNoTime: a known gap. An implementation is priced the same for a row that is hot in one
// stretch alone and for one that is so in as many pieces of the stream throughout, where L2 holds all rows.
func TestRowPricesKnowNoTime(t *testing.T) {
	const pieces, length = 1024, 256
	random := splitmix.New(3)
	stretch, spread := make([]uint32, pieces*length), make([]uint32, 0, pieces*length)
	for i := range stretch {
		if i%2 == 0 || i >= len(stretch)/8 {
			stretch[i] = 1 + uint32(random.Below(1<<12-1))
		}
	}
	for i := range pieces { // each eighth piece is of the stretch
		from := i / 8
		if i%8 != 0 {
			from = pieces/8 + i - i/8 - 1
		}
		spread = append(spread, stretch[length*from:length*(from+1)]...)
	}
	d, c, same := builtin(t, "h200"), wide(rowTypes[0], 128, false), true
	one, other := rowStats(t, stretch, 1<<12), rowStats(t, spread, 1<<12)
	for _, f := range rowForms {
		same = same && math.Abs(rowCost(t, d, other, c, f).US/rowCost(t, d, one, c, f).US-1) < 0.01
	}
	if !same {
		t.Error("prices differ, the known gap has closed")
	}
}

// TestRowPrices: every part of the price of every implementation is what testdata/rows.txt holds, on each
// device, for calls and streams of all kinds.
func TestRowPrices(t *testing.T) {
	var lines []string
	type of struct{ n, i, k int }
	streams := map[of]*collision.Stats{}
	for at, name := range golden.Devices {
		d := builtin(t, name)
		for k, kind := range rowTypes {
			for i, width := range []uint64{1, 3, 32, 127, 1024} {
				c := wide(kind, width, (at+k+i)%2 == 0)
				if d.CanCall(rowForms[0], c, 1) != nil {
					continue
				}
				var sum golden.Digest
				for n := 1; n <= 1<<17; n = 7*n + 2 {
					s := streams[of{n, i, k}]
					if s == nil {
						s = drawnRows(t, n, 1<<(3*i+k), float64(i)/6)
						streams[of{n, i, k}] = s
					}
					list := append(impl.Wide(), impl.Spec{Algorithm: impl.Hot})
					b, err := CompileAll(Runnable(list, d, c), d, c)
					if err != nil {
						t.Fatal(err)
					}
					sum.JSON(t, b.Floor(s))
					for place := range Runnable(list, d, c) {
						cost, err := b.Explain(s, place)
						if err != nil {
							t.Fatal(err)
						}
						sum.JSON(t, cost)
					}
				}
				lines = append(lines, fmt.Sprintf("%s %s: %s", name, c.Words(), &sum))
			}
		}
	}
	golden.Compare(t, "testdata/rows.txt", lines)
}
