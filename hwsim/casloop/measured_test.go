package casloop_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/speedup"
)

// measured reads testdata/h200_loops.csv, which testdata/h200_loops.cu printed on
// an NVIDIA H200: microseconds of one kernel without the clearing of its targets,
// by stream, operation and loop. Its streams are drawn like those of synth, and
// its values like those of the simulator, but not the same.
func measured(t *testing.T) map[[3]string]float64 {
	t.Helper()
	f, err := os.Open("testdata/h200_loops.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 90 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	times := map[[3]string]float64{}
	for _, r := range rows[1:] {
		us, err := strconv.ParseFloat(r[3], 64)
		if err != nil || us <= 0 {
			t.Fatalf("%q: %v", r, err)
		}
		times[[3]string(r[:3])] = us
	}
	return times
}

// factor returns the greater of a ratio and its inverse, less 1.
func (d *deviation) factor(a, b float64) { *d = append(*d, max(a/b, b/a)-1) }

// TestMeasuredLoops holds the simulator and the closed forms against loops of f32
// on a whole H200, from 20 us on, below which calls are made of launches. Where
// all lanes want one target, a swap took 0.27 to 0.47 ns and is simulated with the
// 0.73 ns of an addition: no figure of the profile says how much faster one that
// fails is; the longest rows are simulated with ATOMTUNE_FULL=1.
func TestMeasuredLoops(t *testing.T) {
	d, times := profile(t, "h200"), measured(t)
	var simulated, closed deviation
	for row, us := range times {
		if row[2] != "plain" || us < 20 || us > 4000 && !golden.Full() {
			continue
		}
		spec, err := synth.Parse(row[0])
		if err != nil {
			t.Fatal(err)
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		op, err := device.ParseOp(row[1])
		if err != nil {
			t.Fatal(err)
		}
		call, bins := device.Call{Type: device.F32, Op: op}, uint64(spec.K)
		r, err := hwsim.Run(hwsim.Config{Device: d, Call: call}, indices, bins)
		if err != nil || !r.Correct {
			t.Fatalf("%s: correct %v, %v", row[0], r.Correct, err)
		}
		s, err := collision.Analyze(indices, collision.Options{WarpSize: 32, Bins: bins, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		cost, err := speedup.Predict(impl.Spec{}, &s, d, call)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range cost.Phases {
			if p.Name == "clear" {
				cost.US -= p.US
			}
		}
		launch := d.Launch.First.Value
		us1, us2 := launch+float64(r.Kernels[len(r.Kernels)-1].Cycles)/d.Core.Clock.Value, cost.US
		simulated.factor(us1, us)
		closed.factor(us2, us)
	}
	simulated.within(t, "simulated, factor less 1", 16, 0.5, 1.75)
	closed.within(t, "closed form, factor less 1", 16, 0.45, 1.75)
}
