package speedup_test

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// TestPartitionAgainstSimulator holds the price of a partition against simulated times. The
// simulator's stores of parts of sectors take bandwidth and no time of a slice, so that it splits
// into short pieces in less time than the closed form.
func TestPartitionAgainstSimulator(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates long streams")
	}
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	own := *d
	own.Launch.LaterStart.Value = 0 // the simulator's kernels begin as soon as an empty one
	times := simtimes.Read(t, "testdata/parted.csv")
	us := times.Held(func(string) string { return "" })
	var offs []float64
	for i, spec := range []string{
		"uniform:n=1048576,k=1048576,seed=1", "uniform:n=2097152,k=16777216,seed=2",
		"uniform:n=1048576,k=8388608,seed=3", "zipf:n=1048576,k=1048576,s=0.8,shuffle=1,seed=4",
		"zipf:n=1048576,k=4194304,s=1,shuffle=1,seed=5", "runs:n=1048576,k=2097152,len=8,seed=6",
		"sorted:n=1048576,k=4194304,seed=7", "hotspot:n=1048576,k=4194304,h=16,p=0.3,shuffle=1,seed=8",
	} {
		indices, s := analyzed(t, spec, d)
		call := device.Call{Type: []device.Type{device.F32, device.U32, device.F64}[i%3],
			Operand: device.Operand(i / 3 % 2)}
		for _, name := range []string{"partition:w=16384", "partition:w=2048,r=2"} {
			v, err := variant.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			key := spec + " " + call.Type.String() + " " + call.Operand.String() + " " + name
			if _, ok := us[key]; !ok {
				us[key], err = hwsim.Estimate(hwsim.Config{Device: d, Call: call, Variant: v}, indices, s.Bins)
				if err != nil {
					t.Fatal(key, err)
				}
			}
			cost, err := speedup.Predict(v, &s, &own, call)
			if err != nil {
				t.Fatal(key, err)
			}
			off := math.Log(cost.US / us[key])
			offs = append(offs, math.Abs(off))
			t.Logf("%+.2f closed %7.2f us, simulated %7.2f us: %s %s", off, cost.US, us[key], key,
				cost.Binding)
		}
	}
	times.Compare(t, us)
	slices.Sort(offs)
	const median, most = 1.2, 1.6 // factors either way
	if m, x := math.Exp(offs[len(offs)/2]), math.Exp(offs[len(offs)-1]); len(offs) != 16 ||
		m > median || x > most {
		t.Errorf("%d calls, factors %.3f in the median and %.3f at most", len(offs), m, x)
	}
}
