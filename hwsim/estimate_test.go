package hwsim

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestEstimate states the error of the extrapolation, and of simulating a part of
// the device: streams longer than what Estimate simulates whole, simulated in full
// beside it.
func TestEstimate(t *testing.T) {
	d := profile(t, "gtx680")
	n := 2 * fewInstructions.whole * 16384 // a turn of naive has 16,384 updates
	implementations := []string{"naive", "sr", "ss", "private", "sort"}
	if testing.Short() {
		implementations = implementations[:1]
	}
	streams := map[string][]uint32{}
	rng := rand.New(rand.NewPCG(5, 5))
	for range 2 * n { // two parts of a sort; half as many for the others
		streams["uniform"] = append(streams["uniform"], uint32(rng.IntN(4096)))
		hot := uint32(rng.IntN(4096))
		if rng.IntN(2) == 0 {
			hot = 7
		}
		streams["hot"] = append(streams["hot"], hot)
	}
	streams["sorted"] = slices.Clone(streams["uniform"])
	slices.Sort(streams["sorted"])
	worst, checked, left := 0.0, 0, 0
	for kind, indices := range streams {
		for _, name := range implementations {
			v, err := variant.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			if v.Base == variant.Sort && kind != "uniform" && os.Getenv("ATOMTUNE_FULL") == "" {
				left++ // a sort takes the same steps whatever the order
				continue
			}
			cfg := Config{Device: d, Variant: v, Call: device.Call{Type: device.F32}, Relaid: true}
			n := n
			if v.Base == variant.Sort {
				n *= 2
			}
			indices := indices[:n]
			if v.Base == variant.Sort && divisor(8, n/leastPart) == 1 || v.Base != variant.Sort &&
				n <= cfg.sampling().whole*cfg.turn(uint64(n), 4096) {
				t.Fatalf("%s: %d updates are simulated whole", v, n)
			}
			full, err := Run(cfg, indices, 4096)
			if err != nil || !full.Correct {
				t.Fatal(full.Correct, err)
			}
			got, err := Estimate(cfg, indices, 4096)
			if err != nil {
				t.Fatal(err)
			}
			off := math.Abs(math.Log(got / full.US))
			worst = max(worst, off)
			checked++
			t.Logf("%s %s: %.1f us estimated, %.1f us simulated in full", kind, v, got, full.US)
			if off > math.Log(1.2) {
				t.Errorf("%s %s: %.1f us estimated, %.1f us simulated in full", kind, v, got, full.US)
			}
		}
	}
	t.Logf("worst factor of %d: %.3f", checked, math.Exp(worst))
	if checked+left != len(streams)*len(implementations) || left > 2 {
		t.Errorf("%d streams checked", checked)
	}
}

func TestEstimateShort(t *testing.T) {
	indices := []uint32{1, 2, 3, 3, 3}
	cfg := Config{Device: profile(t, "h200")}
	r, err := Run(cfg, indices, 4)
	if err != nil {
		t.Fatal(err)
	}
	if us, err := Estimate(cfg, indices, 4); err != nil || us != r.US {
		t.Errorf("%v, %v; want %v", us, err, r.US)
	}
	if _, err := Estimate(cfg, nil, 4); err == nil {
		t.Error("an empty stream was accepted")
	}
}
