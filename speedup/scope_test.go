package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
)

// streamOfText is a synthetic stream with its statistics.
func streamOfText(t *testing.T, text string) (indices []uint32, s collision.Stats) {
	t.Helper()
	spec, err := synth.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if indices, err = synth.Generate(spec); err != nil {
		t.Fatal(err)
	}
	s, err = collision.Analyze(indices, collision.Options{WarpSize: 32, BlockSize: 256, Bins: uint64(spec.K)})
	if err != nil {
		t.Fatal(err)
	}
	return indices, s
}

// TestJoinedWarps: with scope=block, so many adds of a block are left as it has runs.
func TestJoinedWarps(t *testing.T) {
	for _, text := range []string{"uniform:n=65536,k=65536", "runs:n=65536,k=65536,len=8",
		"runs:n=65536,k=65536,len=64", "runs:n=65536,k=65536,len=512", "constant:n=65536,k=9"} {
		indices, s := streamOfText(t, text)
		runs := 0
		for i, k := range indices {
			if i%256 == 0 || indices[i-1] != k {
				runs++
			}
		}
		b, err := CompileAll([]impl.Spec{parse(t, "sr:scope=block")}, builtin(t, "h200"), device.Call{})
		if err != nil {
			t.Fatal(err)
		}
		var a adds
		b.reduce(&b.reductions[0], streamOf(b, &s), &a)
		got, want := a.lanes*float64(len(indices))/32, float64(runs)
		if math.Abs(got-want) > 0.02*want {
			t.Errorf("%s: %.0f adds, want %.0f", text, got, want)
		}
	}
}

// TestBlockScopeAgainstSimulator: a scan of blocks is priced within 30 % of its simulated time, where
// it pays and where it does not, and on the same side of a scan of warps where that is not near.
func TestBlockScopeAgainstSimulator(t *testing.T) {
	checked, sides := 0, map[bool]int{}
	for _, c := range []struct {
		device string
		call   device.Call
	}{
		{"gtx680", device.Call{Type: device.F32}}, {"gtx680", device.Call{Type: device.F64}},
		{"c2075", device.Call{Type: device.F64}}, {"gtx980", device.Call{Type: device.F64}},
		{"h200", device.Call{Type: device.F32}}, {"h200", device.Call{Type: device.F32, Op: device.Mul}},
	} {
		d := builtin(t, c.device)
		for _, text := range []string{"runs:n=65536,k=65536,len=256", "runs:n=65536,k=65536,len=16"} {
			indices, s := streamOfText(t, text)
			list := []impl.Spec{parse(t, "sr"), parse(t, "sr:scope=block")}
			b, err := CompileAll(list, d, c.call)
			if err != nil {
				t.Fatal(err)
			}
			var priced, us [2]float64
			b.US(&s, priced[:])
			for i, v := range list {
				r, err := hwsim.Run(hwsim.Config{Device: d, Call: c.call, Implementation: v}, indices, s.Bins)
				if err != nil || !r.Correct {
					t.Fatal(v, err)
				}
				us[i] = r.US
			}
			if off := math.Abs(math.Log(priced[1] / us[1])); off > math.Log(1.3) {
				t.Errorf("%s, %+v, %s: %.1f us priced, %.1f simulated", c.device, c.call, text, priced[1], us[1])
			}
			checked++
			if math.Abs(math.Log(us[0]/us[1])) > math.Log(1.1) {
				faster := us[1] < us[0]
				if sides[faster]++; faster != (priced[1] < priced[0]) {
					t.Errorf("%s, %+v, %s: %v us priced, %v simulated", c.device, c.call, text, priced, us)
				}
			}
		}
	}
	if checked != 12 || sides[true] < 3 || sides[false] < 3 {
		t.Errorf("%d prices, sides %v", checked, sides)
	}
}
