package hwsim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// drawnTargets is a stream of so many updates of so many variables.
func drawnTargets(n, variables int) []uint32 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(variables)))
	indices := make([]uint32, n)
	for i := range indices {
		indices[i] = rng.Uint32N(uint32(variables))
	}
	return indices
}

func coordinated(d *device.Profile, call device.Call, seed uint64) Config {
	return Config{Device: d, Call: call, Implementation: impl.Spec{Algorithm: impl.Coordinator}, Seed: seed}
}

// counts is the plain reference.
func counts(indices []uint32, variables int) []uint64 {
	n := make([]uint64, variables)
	for _, x := range indices {
		n[x]++
	}
	return n
}

// TestCoordinated holds the sums of whole calls against a count, and their times against
// what they are made of.
func TestCoordinated(t *testing.T) {
	d := profile(t, "hd5870")
	for _, n := range []int{1, 63, 64, 65, 500, 9000} {
		for _, variables := range []int{1, 3, 200} {
			if n == 9000 && variables != 3 {
				continue
			}
			indices := drawnTargets(n, variables)
			kept := slices.Clone(indices)
			for _, call := range []device.Call{{Operand: device.One}, {Type: device.I32}, {Returns: true},
				{Type: device.I32, Keeps: true}} {
				r, err := Run(coordinated(d, call, 3), indices, uint64(variables))
				if err != nil || !r.Correct || r.Updates != uint64(n) || !slices.Equal(indices, kept) {
					t.Fatalf("%d of %d, %+v: correct %v, %d updates, %v", n, variables, call, r.Correct, r.Updates,
						err)
				}
				if call.Returns {
					checkHistory(t, d, indices, variables)
				}
				if call.Operand == device.One && !slices.Equal(r.Final, counts(indices, variables)) {
					t.Errorf("%d of %d: another result than a count", n, variables)
				}
				checkTime(t, d, r)
			}
		}
	}
}

// checkHistory: the old values that the kernel of a call gives are those of some serial order: of a target to
// which n ones are added 0 to n-1, each once.
func checkHistory(t *testing.T, d *device.Profile, indices []uint32, variables int) {
	t.Helper()
	ones := slices.Repeat([]uint32{1}, len(indices))
	k := coordinated(d, device.Call{Returns: true}, 0).coordinatedKernel(indices, ones, make([]uint32, variables))
	r, err := coordinator.Run(k, coordinator.Options{Device: d, Regime: coordinator.Paths{}, Persistent: true})
	if err != nil || len(r.History) != len(indices) {
		t.Fatalf("%d updates of %d: %d in the history, %v", len(indices), variables, len(r.History), err)
	}
	slices.SortFunc(r.History, func(a, b coordinator.Record) int {
		return cmp.Or(cmp.Compare(a.Variable, b.Variable), cmp.Compare(a.Old, b.Old))
	})
	for i, u := range r.History {
		want := uint32(0)
		if i > 0 && r.History[i-1].Variable == u.Variable {
			want = r.History[i-1].Old + 1
		}
		if u.Old != want {
			t.Errorf("%d updates of %d: target %d has the old value %d, want %d", len(indices), variables, u.Variable,
				u.Old, want)
		}
	}
}

// checkTime: two launches follow each other, the second a gap after the first.
func checkTime(t *testing.T, d *device.Profile, r Result) {
	t.Helper()
	if len(r.Kernels) != 2 || r.Kernels[0].Name != "clear" || r.Kernels[1].Name != "coordinator" {
		t.Fatalf("launches %+v", r.Kernels)
	}
	us := d.Launch.First.Value
	us += max(d.Launch.Next.Value, float64(r.Kernels[0].Cycles)/d.Core.Clock.Value+d.Launch.Gap.Value)
	us += float64(r.Kernels[1].Cycles) / d.Core.Clock.Value
	if math.Abs(us-r.US) > 1e-9*us || r.Cycles != uint64(us*d.Core.Clock.Value+0.5) {
		t.Errorf("%v us and %d cycles, its parts make %v us", r.US, r.Cycles, us)
	}
	if r.Kernels[1].Cycles < 2*uint64(d.Global.LoadLatency.Value) || r.Events == 0 ||
		r.WarpInstructions == 0 {
		t.Errorf("%+v", r.Kernels[1])
	}
}

// TestCoordinatedErrors: what cannot be simulated is refused, by estimates too.
func TestCoordinatedErrors(t *testing.T) {
	d, one := profile(t, "hd5870"), []uint32{0}
	for _, c := range []struct {
		call    device.Call
		indices []uint32
		bins    uint64
		is      error
		names   string
	}{
		{device.Call{}, nil, 1, ErrStream, ""},
		{device.Call{}, []uint32{0, 7}, 7, ErrStream, "7"},
		{device.Call{}, one, MaxVariables + 1, ErrStream, ""},
		{device.Call{Type: device.F32}, one, 1, device.ErrCannot, "f32"},
		{device.Call{Op: device.Min}, one, 1, device.ErrCannot, "min"},
		{device.Call{Type: 99}, one, 1, device.ErrType, "99"},
	} {
		cfg := coordinated(d, c.call, 0)
		r, err := Run(cfg, c.indices, c.bins)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.names) || r.US != 0 {
			t.Errorf("%v us, error %v, want one with %q", r.US, err, c.names)
		}
		if us, err := Estimate(cfg, c.indices, c.bins); !errors.Is(err, c.is) || us != 0 {
			t.Errorf("estimated: %v us, error %v", us, err)
		}
	}
}

// TestClearing: every word is stored once, in rows of lanes.
func TestClearing(t *testing.T) {
	for _, words := range []int{1, 64, 65, 128 * 64, 128*64 + 1, 1 << 20} {
		rows := 0
		for _, group := range clearing(words, 64).Groups {
			if n := group[0][0].After.Stores; n < 1 {
				t.Errorf("%d words: a workgroup without stores", words)
			} else {
				rows += n
			}
		}
		if rows != (words+63)/64 {
			t.Errorf("%d words: %d rows stored", words, rows)
		}
	}
}

// TestCoordinatedEstimate states the error of the extrapolation.
func TestCoordinatedEstimate(t *testing.T) {
	cfg := coordinated(profile(t, "hd5870"), device.Call{Operand: device.One}, 0)
	for _, c := range []struct {
		variables int
		sorted    bool
	}{{1, false}, {30, false}, {30, true}} {
		indices := drawnTargets(6*139*64+17, c.variables)
		if c.sorted {
			slices.Sort(indices)
		}
		full, err := Run(cfg, indices, uint64(c.variables))
		if err != nil {
			t.Fatal(err)
		}
		us, err := Estimate(cfg, indices, uint64(c.variables))
		if err != nil || !(max(us/full.US, full.US/us) <= 1.25) || us == full.US {
			t.Errorf("%+v: %v us estimated, %v us simulated, %v", c, us, full.US, err)
		}
	}
}

// TestCoordinatedSimulated: times, events and launches of calls, and an estimate of a longer one, are what
// testdata/coordinated.txt holds.
func TestCoordinatedSimulated(t *testing.T) {
	var lines []string
	d := profile(t, "hd5870")
	for i, call := range []device.Call{{}, {Operand: device.One}, {Type: device.I32, Keeps: true}, {Returns: true}} {
		var sum golden.Digest
		for _, n := range []int{1, 64, 700, 2500} {
			for _, variables := range []int{1, 5, 300} {
				r, err := Run(coordinated(d, call, uint64(i)), drawnTargets(n+i, variables), uint64(variables))
				if err != nil {
					t.Fatal(err)
				}
				sum.JSON(t, r)
			}
		}
		if i == 0 {
			us, err := Estimate(coordinated(d, call, 1), drawnTargets(200000, 40), 40)
			if err != nil {
				t.Fatal(err)
			}
			sum.Add(us)
		}
		lines = append(lines, fmt.Sprintf("%s: %s", call.Words(), &sum))
	}
	golden.Compare(t, "testdata/coordinated.txt", lines)
}
