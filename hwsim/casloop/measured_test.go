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
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
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
func (d *deviation) factor(a, b float64) float64 {
	f := max(a/b, b/a)
	*d = append(*d, f-1)
	return f
}

// TestMeasuredLoops holds the simulator and the closed forms against loops of f32
// on a whole H200, from 20 us on, below which calls are made of launches. Where
// all lanes want one target, a swap took 0.27 to 0.47 ns and is simulated with the
// 0.73 ns of an addition: no figure of the profile says how much faster one that
// fails is.
func TestMeasuredLoops(t *testing.T) {
	d, times := profile(t, "h200"), measured(t)
	var simulated, closed deviation
	for row, us := range times {
		if row[2] != "plain" || us < 20 || row[0] == "uniform:n=8192,k=1,seed=1" && testing.Short() {
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
		cost, err := speedup.Predict(variant.Variant{}, &s, d, call)
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
		t.Logf("%-35s %s: measured %8.1f us, simulated %8.1f (a factor %.2f), closed form %8.1f (%.2f)",
			row[0], row[1], us, us1, simulated.factor(us1, us), us2, closed.factor(us2, us))
	}
	simulated.within(t, "simulated, factor less 1", 16, 0.5, 1.75)
	closed.within(t, "closed form, factor less 1", 16, 0.45, 1.75)
}

// TestMeasuredForms: the three ways of writing the loop take about the same time;
// the first listing, which loads again, is faster where all lanes want one target,
// and a division costs no more than a product.
func TestMeasuredForms(t *testing.T) {
	times := measured(t)
	var together, again, quotient deviation
	for row, us := range times {
		if row[1] != "mul" || row[2] != "plain" || us < 20 {
			continue
		}
		of := func(op, loop string) float64 { return times[[3]string{row[0], op, loop}] }
		together.factor(of("mul", "together"), us)
		again.factor(of("mul", "again"), us)
		quotient.factor(of("div", "together"), of("mul", "together"))
	}
	together.within(t, "the warp together against the plain loop, factor less 1", 9, 0.1, 0.3)
	again.within(t, "the first listing against the second, factor less 1", 9, 0.3, 0.7)
	quotient.within(t, "quotients against products, factor less 1", 9, 0.03, 0.15)
	if one := [3]string{"uniform:n=8192,k=1,seed=1", "mul",
		"again"}; times[one] > 0.75*times[[3]string{one[0], "mul", "plain"}] {
		t.Errorf("on one target the first listing takes %v us", times[one])
	}
}
