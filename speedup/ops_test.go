package speedup_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// analyzed is speedup.Analyzed in a device's warps.
func analyzed(t *testing.T, spec string, d *device.Profile) ([]uint32, collision.Stats) {
	t.Helper()
	return speedup.Analyzed(t, spec, int(d.Core.WarpLanes.Value))
}

// TestOperationsAgainstSimulator holds prices of operations that need loops, or
// that are like additions, against the simulator, next to those of additions on
// the same streams, of 8,192 updates with ATOMTUNE_FULL=1. The simulator's kernels begin as soon
// as an empty one does; those of calls on the H200 later, by a tenth of such short calls.
func TestOperationsAgainstSimulator(t *testing.T) {
	for _, c := range []struct {
		device       string
		call         device.Call
		median, most float64 // factors on either side
		updates      int
	}{
		{"h200", device.Call{Type: device.F32}, 1.1, 2.1, 4096},
		{"h200", device.Call{Type: device.F32, Op: device.Mul}, 1.15, 2.1, 4096},
		{"h200", device.Call{Type: device.F64, Op: device.Min}, 1.3, 1.75, 8192},
		{"h200", device.Call{Op: device.Max}, 1.15, 2.1, 4096},
		{"h200", device.Call{Type: device.F32, Op: device.Mad}, 1.1, 1.25, 8192},
		{"h200", device.Call{Type: device.F32, Keeps: true}, 1.15, 2.1, 4096},
		{"h200", device.Call{Type: device.F32, Returns: true}, 1.15, 1.6, 4096},
		{"h200", device.Call{Type: device.U64, Operand: device.One, Returns: true}, 1.1, 1.6, 4096},
		{"c2075", device.Call{Type: device.U32, Returns: true}, 1.1, 1.7, 4096},
		{"c2075", device.Call{Type: device.F64}, 1.4, 2.6, 4096},
		{"c2075", device.Call{Type: device.F32, Op: device.Div}, 1.45, 3, 4096},
		{"hd5870", device.Call{Type: device.F32, Op: device.Mul}, 1.55, 2.4, 4096},
	} {
		d, err := device.Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		own := *d
		own.Launch.LaterStart.Value = 0 // the simulator's kernels begin as soon as an empty one
		d = &own
		if os.Getenv("ATOMTUNE_FULL") != "" {
			c.updates = 8192
		}
		var off []float64
		for _, spec := range []string{"uniform:n=%d,k=16,seed=1", "uniform:n=%d,k=4096,seed=2",
			"zipf:n=%d,k=1024,seed=3,s=1.2"} {
			indices, s := analyzed(t, fmt.Sprintf(spec, c.updates), d)
			bins := s.Bins
			for _, name := range []string{"naive", "sr", "vr", "peers", "match", "private", "private:r=8,pad=1", "sort", "threadprivate"} {
				v, err := variant.Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				if d.CanCall(v, c.call, bins) != nil || c.call.Returns && !v.ReturnsOld() {
					continue
				}
				cost, err := speedup.Predict(v, &s, d, c.call)
				if err != nil {
					t.Fatal(err)
				}
				us, err := hwsim.Estimate(hwsim.Config{Device: d, Call: c.call, Variant: v}, indices, bins)
				if err != nil {
					t.Fatal(err)
				}
				off = append(off, math.Abs(math.Log(cost.US/us)))
			}
		}
		slices.Sort(off)
		median, most := math.Exp(off[len(off)/2]), math.Exp(off[len(off)-1])
		if median > c.median || most > c.most || len(off) < 3 {
			t.Errorf("%s %s %s: %d rows, a factor %.2f in the median and %.2f at most, want %.2f and %.2f",
				c.device, c.call.Op, c.call.Type, len(off), median, most, c.median, c.most)
		}
	}
}
