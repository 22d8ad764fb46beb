package coordinator

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// drawn is a stream of so many updates of so many variables.
func drawn(n, variables int) []uint32 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(variables)))
	indices := make([]uint32, n)
	for i := range indices {
		indices[i] = rng.Uint32N(uint32(variables))
	}
	return indices
}

// counts is the plain reference.
func counts(indices []uint32, variables int) []uint32 {
	n := make([]uint32, variables)
	for _, x := range indices {
		n[x]++
	}
	return n
}

// TestCall holds the sums of whole calls against a count, and their times against
// what they are made of.
func TestCall(t *testing.T) {
	d := builtin(t)
	for _, n := range []int{1, 63, 64, 65, 500, 9000} {
		for _, variables := range []int{1, 3, 200} {
			if n == 9000 && variables != 3 {
				continue
			}
			indices := drawn(n, variables)
			kept := slices.Clone(indices)
			for _, call := range []device.Call{{Operand: device.One}, {Type: device.I32}, {Returns: true},
				{Type: device.I32, Keeps: true}} {
				r, err := Call{Device: d, Call: call, Seed: 3}.Run(indices, uint64(variables))
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

// checkHistory: the old values that the kernel of a call gives are those of some serial order.
func checkHistory(t *testing.T, d *device.Profile, indices []uint32, variables int) {
	t.Helper()
	c := Call{Device: d, Call: device.Call{Returns: true}}
	k, err := c.kernel(indices, c.values(len(indices)), variables, min(139, (len(indices)+63)/64))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(k, c.options(Software))
	if err == nil {
		_, err = Check(k.Variables, &r)
	}
	if err != nil || len(r.History) != len(indices) {
		t.Errorf("%d updates of %d: %d in the history, %v", len(indices), variables, len(r.History), err)
	}
}

// checkTime: two launches follow each other, the second a gap after the first.
func checkTime(t *testing.T, d *device.Profile, r CallResult) {
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
		r.Instructions == 0 {
		t.Errorf("%+v", r.Kernels[1])
	}
}

// TestCallErrors: what cannot be simulated is refused, by estimates too.
func TestCallErrors(t *testing.T) {
	d, one := builtin(t), []uint32{0}
	h200, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		call    Call
		indices []uint32
		bins    uint64
		is      error
		names   string
	}{
		{Call{}, one, 1, ErrKernel, "device"},
		{Call{Device: d}, nil, 1, ErrKernel, ""},
		{Call{Device: d}, []uint32{0, 7}, 7, ErrKernel, "7"},
		{Call{Device: d}, one, MaxVariables + 1, ErrKernel, ""},
		{Call{Device: d, Call: device.Call{Type: device.F32}}, one, 1, device.ErrCannot, "f32"},
		{Call{Device: d, Call: device.Call{Op: device.Min}}, one, 1, device.ErrCannot, "min"},
		{Call{Device: d, Call: device.Call{Type: 99}}, one, 1, device.ErrType, "99"},
		{Call{Device: h200}, one, 1, device.ErrCannot, ""},
	} {
		r, err := c.call.Run(c.indices, c.bins)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.names) || r.US != 0 {
			t.Errorf("%v us, error %v, want one with %q", r.US, err, c.names)
		}
		if us, err := c.call.Estimate(c.indices, c.bins); !errors.Is(err, c.is) || us != 0 {
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

// TestEstimate states the error of the extrapolation.
func TestEstimate(t *testing.T) {
	call := Call{Device: builtin(t), Call: device.Call{Operand: device.One}}
	for _, c := range []struct {
		variables int
		sorted    bool
	}{{1, false}, {30, false}, {30, true}} {
		indices := drawn(6*139*64+17, c.variables)
		if c.sorted {
			slices.Sort(indices)
		}
		full, err := call.Run(indices, uint64(c.variables))
		if err != nil {
			t.Fatal(err)
		}
		us, err := call.Estimate(indices, uint64(c.variables))
		if err != nil || !within(us, full.US, 1.25) || us == full.US {
			t.Errorf("%+v: %v us estimated, %v us simulated, %v", c, us, full.US, err)
		}
	}
}
