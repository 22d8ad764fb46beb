package hwsim

import (
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/rows"
)

// rowStream draws n updates of count rows, of which a third are of row 7 and a sixth go on with the row
// before.
func rowStream(n int, count uint64) []uint32 {
	random, out := splitmix.New(4), make([]uint32, n)
	for i := range out {
		switch random.Below(6) {
		case 0, 1:
			out[i] = uint32(7 % count)
		case 2:
			out[i] = out[max(0, i-1)]
		default:
			out[i] = uint32(random.Below(count))
		}
	}
	return out
}

// small is a device with so many multiprocessors.
func small(t *testing.T, name string, sms float64) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	p := *d
	p.Core.SMs.Value = sms
	return &p
}

// TestRowsAreAdded: all forms of all types and widths make the updates, on a Hopper and on a GPU
// without vector reductions.
func TestRowsAreAdded(t *testing.T) {
	indices := rowStream(1501, 50)
	for _, name := range []string{"h200", "a100"} {
		d := small(t, name, 3)
		for _, k := range rows.Kinds() {
			for _, width := range []uint64{1, 2, 3, 8, 20, 64, 192, 300} {
				for _, f := range rows.Forms() {
					c := rows.Call{Kind: k, Width: width, Keeps: width != 20}
					if rows.Check(d, c) != nil {
						continue
					}
					r, err := RunRows(RowConfig{Device: d, Call: c, Form: f}, indices, 50)
					if err != nil || !r.Correct || !(r.US > 0) || r.Issued != r.Completed {
						t.Errorf("%s: %s of %s, rows of %d: %v, correct: %v, %v us", name, f, k, width, err,
							r.Correct, r.US)
					}
				}
			}
		}
	}
}

// rowTime simulates a call on a part of an H200.
func rowTime(t *testing.T, f rows.Form, width uint64, indices []uint32, count uint64) float64 {
	t.Helper()
	us, err := EstimateRows(RowConfig{Device: small(t, "h200", 33), Form: f,
		Call: rows.Call{Width: width, Keeps: true}}, indices, count)
	if err != nil {
		t.Fatal(err)
	}
	return us
}

// TestHotRowWaits: updates of one row wait for each other, unless a table adds them up or they are
// sorted.
func TestHotRowWaits(t *testing.T) {
	random := splitmix.New(5)
	even, half := make([]uint32, 40000), make([]uint32, 40000)
	for i := range even {
		even[i] = uint32(random.Below(8000))
		if half[i] = even[i]; random.Below(2) == 0 {
			half[i] = 5
		}
	}
	time := func(f rows.Form, indices []uint32) float64 { return rowTime(t, f, 64, indices, 8000) }
	if spread, hot := time(rows.Runs, even), time(rows.Runs, half); hot < 2*spread {
		t.Errorf("runs: %v us with half on one row, %v us without", hot, spread)
	}
	if table, runs := time(rows.Hot, half), time(rows.Runs, half); table > runs/2 {
		t.Errorf("half on one row: %v us with a table, %v us without", table, runs)
	}
}

// TestNeighboursAreAddedOnce: a run of equal rows asks for its row once.
func TestNeighboursAreAddedOnce(t *testing.T) {
	alone, runs := make([]uint32, 16384), make([]uint32, 16384)
	for i := range alone {
		alone[i], runs[i] = uint32(i*37%16384), uint32(i/16)
	}
	var asked [2]uint64 // of lanes
	for i, indices := range [][]uint32{alone, runs} {
		r, err := RunRows(RowConfig{Device: small(t, "h200", 4), Form: rows.Runs,
			Call: rows.Call{Width: 128, Keeps: true}}, indices, 16384)
		if err != nil {
			t.Fatal(err)
		}
		asked[i] = r.Completed
	}
	if asked[0] != 16384*32 || asked[1] > asked[0]/12 {
		t.Errorf("single rows ask %d times, runs of 16 %d times", asked[0], asked[1])
	}
}

// TestEstimateRows: a sample tells the time of the whole stream.
func TestEstimateRows(t *testing.T) {
	indices := rowStream(60000, 3000)
	for _, f := range rows.Forms() {
		cfg := RowConfig{Device: small(t, "h200", 4), Call: rows.Call{Width: 32, Keeps: true}, Form: f}
		whole, err := RunRows(cfg, indices, 3000)
		if err != nil || !whole.Correct {
			t.Fatal(err, whole.Correct)
		}
		us, err := EstimateRows(cfg, indices, 3000)
		if err != nil || math.Abs(us/whole.US-1) > 0.08 || us == whole.US {
			t.Errorf("%s: %v us by samples, %v us as a whole, %v", f, us, whole.US, err)
		}
	}
}

// TestSlicesServeLoads: a sector from memory is written to its slice of L2 and read from it, beside the
// additions.
func TestSlicesServeLoads(t *testing.T) {
	indices := make([]uint32, 30000)
	for i := range indices {
		indices[i] = uint32(i * 7919 % 30000)
	}
	d := small(t, "h200", 132)
	d.Memory.DRAMRate.Value, d.Memory.AtomicRate.Value, d.Memory.L2Rate.Value = 1e15, 1e15, 1e12
	r, err := RunRows(RowConfig{Device: d, Form: rows.Runs, Call: rows.Call{Width: 128, Keeps: true}},
		indices, 30000)
	if err != nil {
		t.Fatal(err)
	}
	if once := 1e6 * 30000 * 128 * 4 / d.Memory.L2Rate.Value; r.US < 1.9*once || r.US > 3*once {
		t.Errorf("%v us, the values pass L2 once in %v us", r.US, once)
	}
}

// TestRowsInL2: of a stream that goes over its rows often, few are outside of L2, also in a sample.
func TestRowsInL2(t *testing.T) {
	d := small(t, "h200", 4)
	d.Memory.L2AtomicBytes.Value, d.Memory.MissBytes.Value, d.Memory.FillBytes.Value = 6<<20, 4096, 4096
	indices, random := make([]uint32, 400000), splitmix.New(8)
	for i := range indices {
		indices[i] = uint32(random.Below(50000)) // 6.4 MB of targets
	}
	cfg := RowConfig{Device: d, Call: rows.Call{Width: 32, Keeps: true}, Form: rows.Runs}
	us, err := EstimateRows(cfg, indices, 50000)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := RunRows(cfg, indices, 50000)
	if err != nil || !whole.Correct || math.Abs(us/whole.US-1) > 0.12 {
		t.Errorf("%v us by samples, %v us as a whole, %v", us, whole.US, err)
	}
}

func TestBadRows(t *testing.T) {
	d := small(t, "h200", 2)
	good := rows.Call{Width: 4}
	for _, c := range []struct {
		name    string
		d       *device.Profile
		call    rows.Call
		slots   int
		indices []uint32
		want    error
	}{
		{"no device", nil, good, 0, []uint32{1}, ErrStream},
		{"no updates", d, good, 0, nil, ErrStream},
		{"an index out of range", d, good, 0, []uint32{1, 9}, ErrStream},
		{"no width", d, rows.Call{}, 0, []uint32{1}, rows.ErrCall},
		{"too wide", d, rows.Call{Width: MaxWidth + 1}, 0, []uint32{1}, ErrStream},
		{"three slots", d, good, 3, []uint32{1}, rows.ErrCall},
		{"64 lanes", small(t, "hd5870", 2), good, 0, []uint32{1}, device.ErrCannot},
	} {
		cfg := RowConfig{Device: c.d, Call: c.call, Form: rows.Hot, Slots: c.slots}
		if _, err := RunRows(cfg, c.indices, 9); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if _, err := EstimateRows(cfg, c.indices, 9); !errors.Is(err, c.want) {
			t.Errorf("%s: estimate: %v, want %v", c.name, err, c.want)
		}
	}
}
