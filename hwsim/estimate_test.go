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
	all := os.Getenv("ATOMTUNE_FULL") != ""
	implementations := []struct {
		name  string
		kinds []string // of streams, the others with ATOMTUNE_FULL=1
	}{
		{"naive", []string{"uniform", "hot", "sorted"}}, {"private", []string{"uniform", "hot", "sorted"}},
		{"sr", []string{"hot", "sorted"}},  // without neighbours that are equal it is naive
		{"ss", []string{"uniform", "hot"}}, // what is sorted takes as long as what is even
		{"sort", []string{"uniform"}},      // it takes the same steps whatever the order
		{"hot:s=64,r=4", []string{"hot", "sorted"}}, {"hot:s=256,sample=2048+peers", []string{"hot"}},
	}
	if testing.Short() {
		implementations = implementations[:1]
	}
	want := 0
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
	worst, checked := 0.0, 0
	for kind, indices := range streams {
		for _, c := range implementations {
			if !all && !slices.Contains(c.kinds, kind) {
				continue
			}
			want++
			v := parsed(t, c.name)
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
	if checked != want || want < 3 {
		t.Errorf("%d of %d streams checked", checked, want)
	}
}

// TestEstimateOfRanges: a long stream of copies of ranges is simulated whole, since its blocks are
// busy in turn where the targets move on.
func TestEstimateOfRanges(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates a long stream")
	}
	indices, bins := make([]uint32, 1<<19), uint64(1<<12)
	for i := range indices {
		indices[i] = uint32(i / 128)
	}
	cfg := Config{Device: profile(t, "gtx680"), Variant: parsed(t, "private:r=1,ranges=2")}
	r, err := Run(cfg, indices, bins)
	if err != nil {
		t.Fatal(err)
	}
	if us, err := Estimate(cfg, indices, bins); err != nil || us != r.US {
		t.Errorf("%v us, %v; want %v", us, err, r.US)
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
