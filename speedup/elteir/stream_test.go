package elteir_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/speedup/elteir"
)

// TestCoordinatedStreams holds the price of the implementation `coordinator`
// against the protocol on the real indices, over streams of 64 to 2^12 updates, to 2^14 with
// ATOMTUNE_FULL=1, with 1 to 4,096 targets: whole calls, and their kernel alone.
func TestCoordinatedStreams(t *testing.T) {
	d := hd5870(t)
	form, err := elteir.NewPipelined(d)
	if err != nil {
		t.Fatal(err)
	}
	v := impl.Spec{Algorithm: impl.Coordinator}
	var calls, kernels deviations
	lengths := []int{64, 320, 640, 2048, 1 << 12}
	if golden.Full() {
		lengths = append(lengths, 1<<13, 1<<14)
	}
	for _, family := range []string{"uniform", "zipf", "sorted"} {
		for _, n := range lengths {
			for _, k := range []int{1, 2, 4, 16, 64, 256, 4096} {
				spec, err := synth.Parse(fmt.Sprintf("%s:n=%d,k=%d,seed=%d", family, n, k, n+k))
				if err != nil {
					t.Fatal(err)
				}
				indices, err := synth.Generate(spec)
				if err != nil {
					t.Fatal(err)
				}
				s, err := collision.Analyze(indices, collision.Options{WarpSize: 64, Bins: uint64(k),
					Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				call := []device.Call{{}, {Operand: device.One, Returns: true}}[len(calls)%2]
				r, err := hwsim.Run(hwsim.Config{Device: d, Call: call, Implementation: v}, indices, uint64(k))
				if err != nil || !r.Correct {
					t.Fatalf("%d of %d: %v", n, k, err)
				}
				cost, err := speedup.Predict(v, &s, d, call)
				if err != nil {
					t.Fatal(err)
				}
				calls.add(cost.US, r.US)
				kernels.add(cost.Phases[1].US*d.Core.Clock.Value, float64(r.Kernels[1].Cycles))
			}
		}
	}
	calls.within(t, "calls", 105, 0.08, 0.25)
	kernels.within(t, "kernels", 105, 0.12, 0.3)
	if one := form.Stream(elteir.CoordinatedStream{Workgroups: 1, Iterations: 1, Requests: 1, Lanes: 64,
		Loads: 1, Targets: 1}); !(math.Abs(one.Cycles()/13900-1) < 0.3) {
		t.Errorf("one request of one wavefront takes %v cycles", one.Cycles())
	}
}

// TestCoordinatedBounds: more rows of lanes never make a stream cheaper, nor does
// one workgroup more while each has a row, and every term is a time.
func TestCoordinatedBounds(t *testing.T) {
	form, err := elteir.NewPipelined(hd5870(t))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, targets := range []float64{1, 2, 3.7, 8, 30, 64, 1e6} {
		q, fewer := min(64, targets), 0.0
		for n := 1.0; n < 160; n++ {
			last := fewer
			for rows := 1.0; rows < 1e6; rows *= 4 {
				terms := form.Stream(elteir.CoordinatedStream{Workgroups: n, Iterations: rows, Requests: q,
					Lanes: 64 / q, Loads: 2, Targets: targets})
				for _, c := range []float64{terms.Start, terms.Serve, terms.Finish} {
					if !(c > 0) || math.IsInf(c, 0) {
						t.Fatalf("%v workgroups, %v targets, %v rows: %+v", n, targets, rows, terms)
					}
				}
				c := terms.Cycles()
				if c <= last {
					t.Errorf("%v workgroups, %v targets, %v rows: %v cycles, %v of a shorter stream", n, targets,
						rows, c, last)
				}
				if rows == 1 {
					fewer = c
				}
				last = c
				checked++
			}
		}
	}
	if checked != 7*159*10 {
		t.Errorf("%d streams checked", checked)
	}
}

// hd5870 returns a copy of the HD 5870's profile.
func hd5870(t testing.TB) *device.Profile {
	t.Helper()
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	p := *d
	return &p
}

// deviations are |implementation/simulation - 1|.
type deviations []float64

func (d *deviations) add(form, simulation float64) {
	*d = append(*d, math.Abs(form/simulation-1))
}

func (d deviations) within(t *testing.T, name string, points int, median, p95 float64) {
	t.Helper()
	half, most := quantile.Of(d, 0.5), quantile.Of(d, 0.95)
	t.Logf("%s: %d points, median %.2f %%, p95 %.2f %%", name, len(d), 100*half, 100*most)
	if len(d) < points || half > median || most > p95 {
		t.Errorf("%s: %d points, median %v, 95th percentile %v", name, len(d), half, most)
	}
}

func TestPathsAreNeeded(t *testing.T) {
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*device.Profile{d, nil} {
		if _, err := elteir.NewPipelined(d); !errors.Is(err, device.ErrCannot) {
			t.Errorf("error %v", err)
		}
	}
}
