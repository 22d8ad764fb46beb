package hwsim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestEstimate states the error of the extrapolation: of streams four times as
// long as the limit, simulated in full beside it.
func TestEstimate(t *testing.T) {
	d := profile(t, "gtx680")
	n := 4 * EstimateLimit(d)
	implementations := []string{"naive", "sr", "ss", "private", "sort"}
	if testing.Short() {
		n /= 2
		implementations = implementations[:2]
	}
	streams := map[string][]uint32{}
	rng := rand.New(rand.NewPCG(5, 5))
	for range n {
		streams["uniform"] = append(streams["uniform"], uint32(rng.IntN(4096)))
		hot := uint32(rng.IntN(4096))
		if rng.IntN(2) == 0 {
			hot = 7
		}
		streams["hot"] = append(streams["hot"], hot)
	}
	streams["sorted"] = slices.Clone(streams["uniform"])
	slices.Sort(streams["sorted"])
	worst, checked := 0.0, 0
	for kind, indices := range streams {
		for _, name := range implementations {
			v, err := variant.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			cfg := Config{Device: d, Variant: v, Call: device.Call{Type: device.F32}, Relaid: true}
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
			if off > math.Log(1.45) {
				t.Errorf("%s %s: %.1f us estimated, %.1f us simulated in full", kind, v, got, full.US)
			}
		}
	}
	t.Logf("worst factor of %d: %.3f", checked, math.Exp(worst))
	if checked != len(streams)*len(implementations) {
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
