package hwsim

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// rowForms are the implementations that add rows, rowTypes the types of targets and values of golden results,
// otherRows further calls.
var (
	rowForms  = []impl.Spec{{}, {Reduction: impl.Runs}, {Algorithm: impl.Hot}, {Algorithm: impl.Sort}}
	rowTypes  = []device.Call{{Type: device.F32}, {Type: device.BF16}, {Type: device.F32, Values: device.BF16}}
	otherRows = []device.Call{{Type: device.F64}, {Type: device.U64, Op: device.Max}, {Type: device.F32, Op: device.Min, Values: device.BF16}}
)

// wide is a call of types that adds rows.
func wide(c device.Call, width uint64, keeps bool) device.Call {
	c.Width, c.Keeps = width, keeps
	return c
}

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

// TestRowsAreAdded: all implementations of all types and widths make the updates, on a Hopper and on a GPU
// without vector reductions.
func TestRowsAreAdded(t *testing.T) {
	indices := rowStream(501, 50)
	for _, name := range []string{"h200", "a100"} {
		d := small(t, name, 3)
		for _, k := range slices.Concat(rowTypes, otherRows) {
			for _, width := range []uint64{1, 2, 3, 8, 20, 64, 300} {
				for _, f := range rowForms {
					c := wide(k, width, width != 20)
					if d.CanCall(f, c, 1) != nil {
						continue
					}
					r, err := Run(Config{Device: d, Call: c, Implementation: f}, indices, 50)
					if err != nil || !r.Correct || !(r.US > 0) || r.Issued != r.Completed {
						t.Errorf("%s: %s of %v, rows of %d: %v, correct: %v, %v us", name, f, k, width, err,
							r.Correct, r.US)
					}
				}
			}
		}
	}
}

// ranRows runs a call on rows, which must be right.
func ranRows(t *testing.T, cfg Config, indices []uint32, count uint64) Result {
	t.Helper()
	r, err := Run(cfg, indices, count)
	if err != nil || !r.Correct {
		t.Fatalf("%s: correct %v, %v", cfg.Implementation, r.Correct, err)
	}
	return r
}

// TestHotRowWaits: updates of one row wait for each other, unless a table adds them up.
func TestHotRowWaits(t *testing.T) {
	random := splitmix.New(5)
	even, half := make([]uint32, 24000), make([]uint32, 24000)
	for i := range even {
		even[i] = uint32(random.Below(4800))
		if half[i] = even[i]; random.Below(2) == 0 {
			half[i] = 5
		}
	}
	us := func(f impl.Spec, indices []uint32) float64 {
		return ranRows(t, Config{Device: small(t, "h200", 33), Implementation: f,
			Call: wide(rowTypes[0], 64, true)}, indices, 4800).US
	}
	if spread, hot, table := us(rowForms[1], even), us(rowForms[1], half), us(rowForms[2], half); hot < 2*spread ||
		table > hot/2 {
		t.Errorf("%v us with half on one row, %v us with a table, %v us without hot rows", hot, table, spread)
	}
}

// TestNeighboursAreAddedOnce: a run of equal rows asks for its row once.
func TestNeighboursAreAddedOnce(t *testing.T) {
	const n = 16384
	alone, runs := make([]uint32, n), make([]uint32, n)
	for i := range alone {
		alone[i], runs[i] = uint32(i*37%n), uint32(i/16)
	}
	cfg := Config{Device: small(t, "h200", 1), Implementation: rowForms[1], Call: wide(rowTypes[0], 128, true)}
	single, once := ranRows(t, cfg, alone, n).Completed, ranRows(t, cfg, runs, n).Completed // of lanes
	if single != n*32 || once > single/12 {
		t.Errorf("single rows ask %d times, runs of 16 %d times", single, once)
	}
}

// TestEstimateRows: a sample tells the time of the whole stream, also where few of its rows are
// outside of L2, as it goes over them often.
func TestEstimateRows(t *testing.T) {
	beyond := *small(t, "h200", 1)
	beyond.Memory.L2AtomicBytes.Value, beyond.Memory.MissBytes.Value, beyond.Memory.FillBytes.Value = 3<<19, 4096, 4096
	beyond.Memory.DRAMRate.Value /= 4
	indices, random := make([]uint32, 100000), splitmix.New(8)
	for i := range indices {
		indices[i] = uint32(random.Below(12500)) // 1.6 MB of targets
	}
	check := func(cfg Config, indices []uint32, count uint64, off float64) {
		cfg.Call = wide(cfg.Call, 32, true)
		whole := ranRows(t, cfg, indices, count).US
		us, err := Estimate(cfg, indices, count)
		if err != nil || math.Abs(us/whole-1) > off || us == whole {
			t.Errorf("%s: %v us by samples, %v us as a whole, %v", cfg.Implementation, us, whole, err)
		}
	}
	check(Config{Device: &beyond, Call: rowTypes[0], Implementation: rowForms[1]}, indices, 12500, 0.12)
	for i, f := range rowForms {
		check(Config{Device: small(t, "h200", 1), Call: rowTypes[0], Implementation: f}, rowStream(15000, 3000), 3000, 0.08)
		if i < len(otherRows) {
			check(Config{Device: small(t, "h200", 1), Call: otherRows[i], Implementation: f}, rowStream(15000, 3000), 3000, 0.08)
		}
	}
}

// TestSlicesServeLoads: a sector from memory is written to its slice of L2 and read from it, beside the
// additions.
func TestSlicesServeLoads(t *testing.T) {
	const n = 10000
	indices := make([]uint32, n)
	for i := range indices {
		indices[i] = uint32(i * 7919 % n)
	}
	d := small(t, "h200", 132)
	d.Memory.DRAMRate.Value, d.Memory.AtomicRate.Value, d.Memory.L2Rate.Value = 1e15, 1e15, 3e11
	us := ranRows(t, Config{Device: d, Implementation: rowForms[1], Call: wide(rowTypes[0], 128, true)}, indices, n).US
	if once := 1e6 * n * 128 * 4 / d.Memory.L2Rate.Value; us < 1.9*once || us > 3*once {
		t.Errorf("%v us, the values pass L2 once in %v us", us, once)
	}
}

func TestBadRows(t *testing.T) {
	d := small(t, "h200", 2)
	good := wide(rowTypes[0], 4, false)
	for _, c := range []struct {
		name    string
		d       *device.Profile
		call    device.Call
		slots   int
		indices []uint32
		want    error
	}{
		{"no device", nil, good, 0, []uint32{1}, ErrStream},
		{"no updates", d, good, 0, nil, ErrStream},
		{"an index out of range", d, good, 0, []uint32{1, 9}, ErrStream},
		{"too wide", d, wide(rowTypes[0], MaxWidth+1, false), 0, []uint32{1}, ErrStream},
		{"too wide for any", d, wide(rowTypes[0], 1<<30, false), 0, []uint32{1}, device.ErrCall},
		{"three slots", d, good, 3, []uint32{1}, impl.ErrName},
		{"products", d, wide(device.Call{Op: device.Mul}, 4, false), 0, []uint32{1}, device.ErrCall},
		{"64 lanes", small(t, "hd5870", 2), good, 0, []uint32{1}, device.ErrCannot},
	} {
		cfg := Config{Device: c.d, Call: c.call, Implementation: impl.Spec{Algorithm: impl.Hot, Slots: c.slots}}
		if _, err := Run(cfg, c.indices, 9); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if _, err := Estimate(cfg, c.indices, 9); !errors.Is(err, c.want) {
			t.Errorf("%s: estimate: %v, want %v", c.name, err, c.want)
		}
	}
}
