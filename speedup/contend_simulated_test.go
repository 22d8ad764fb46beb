package speedup_test

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// TestContentionAgainstSimulator holds the prices of copies in which the warps of a
// block meet against the simulator, which lets them try turn by turn.
func TestContentionAgainstSimulator(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates long streams")
	}
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	own := *d
	own.Launch.LaterStart.Value = 0 // the simulator's kernels begin as soon as an empty one
	d = &own
	var sum, most float64
	n := 0
	for _, typ := range []device.Type{device.F32, device.F64} {
		for _, spec := range []string{"uniform:n=400000,k=1,seed=1", "uniform:n=400000,k=8,seed=2", "uniform:n=400000,k=40,seed=3", "sequential:n=400000,k=462,seed=4", "sequential:n=400000,k=8,seed=5"} {
			indices, s := analyzed(t, spec, d)
			for _, name := range []string{"private", "private:r=4,pad=1", "private:r=16,pad=1"} {
				v, err := variant.Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				call := device.Call{Type: typ}
				cost, err := speedup.Predict(v, &s, d, call)
				if err != nil {
					t.Fatal(err)
				}
				us, err := hwsim.Estimate(hwsim.Config{Device: d, Call: call, Variant: v, Coarse: true}, indices, s.Bins)
				if err != nil {
					t.Fatal(err)
				}
				off := math.Log(cost.US / us)
				sum, most = sum+off, math.Max(most, math.Abs(off))
				n++
				t.Logf("%s %s %-18s closed %7.2f us, simulated %7.2f us", typ, spec, name, cost.US, us)
			}
		}
	}
	if mean := math.Exp(sum / float64(n)); n != 30 || mean < 0.93 || mean > 1.07 || math.Exp(most) > 1.4 {
		t.Errorf("%d calls: closed forms over simulated times %.3f in the mean, %.2f at most either way", n, mean, math.Exp(most))
	}
}

// TestBlocksShareLocks: on a device with 1,024 lock bits for a multiprocessor, blocks whose copies
// take 1,024 words have one lock for a hot target, those whose copies take a word more one each.
func TestBlocksShareLocks(t *testing.T) {
	d, err := device.Builtin("gtx680")
	if err != nil {
		t.Fatal(err)
	}
	us := func(spec string) float64 {
		_, s := analyzed(t, spec, d)
		cost, err := speedup.Predict(variant.Variant{Base: variant.Private}, &s, d,
			device.Call{Type: device.U32})
		if err != nil {
			t.Fatal(err)
		}
		return cost.US
	}
	same, apart := us("constant:n=1048576,k=1024"), us("constant:n=1048576,k=1025")
	few := us("constant:n=1048576,k=64")
	// Eight blocks of 256 threads: a lock is held for 50 cycles by each add, and kept for 100 in
	// turns by the warps of one block alone.
	if r := same / apart; r < 3.5 || r > 4.1 {
		t.Errorf("copies of 1,024 words take %.3g times as long as those of 1,025", r)
	}
	if r := apart / few; r < 0.99 || r > 1.01 {
		t.Errorf("copies of 1,025 words take %.3g times as long as those of 64", r)
	}
}
