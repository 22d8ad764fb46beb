package hwsim

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// drawnStream returns n indices below bins, every other one the same where hot.
func drawnStream(n, bins int, hot bool) []uint32 {
	rng := rand.New(rand.NewPCG(5, uint64(bins)))
	indices := make([]uint32, n)
	for i := range indices {
		if indices[i] = uint32(rng.IntN(bins)); hot && i%2 == 0 {
			indices[i] = 7
		}
	}
	return indices
}

func parsed(t *testing.T, name string) variant.Variant {
	t.Helper()
	v, err := variant.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCoarse states by how much a part of the device differs from the whole, with
// few targets of which one is hot, and with many.
func TestCoarse(t *testing.T) {
	cases := []struct {
		elem    device.Type
		n, bins int
	}{{device.F64, 1 << 20, 4096}, {device.F32, 1 << 19, 64}, {device.U32, 1 << 19, 4096}}
	if testing.Short() {
		cases = cases[:1]
	}
	worst := 0.0
	for _, c := range cases {
		indices := drawnStream(c.n, c.bins, c.bins == 64)
		cfg := Config{Device: profile(t, "h200"), Variant: parsed(t, "private"),
			Call: device.Call{Type: c.elem}}
		whole, err := Estimate(cfg, indices, uint64(c.bins))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Coarse = true
		if cfg.parts(len(indices)) == 1 {
			t.Fatalf("%s: the whole device is simulated", c.elem)
		}
		coarse, err := Estimate(cfg, indices, uint64(c.bins))
		if err != nil {
			t.Fatal(err)
		}
		off := math.Abs(math.Log(coarse / whole))
		worst = max(worst, off)
		if off > math.Log(1.08) || coarse == whole {
			t.Errorf("%s, %d targets: coarse %.2f us, else %.2f us", c.elem, c.bins, coarse, whole)
		}
	}
	t.Logf("worst factor: %.4f", math.Exp(worst))
}

// TestCoarseSmall: a small device, another implementation and a short stream are
// simulated as without Coarse.
func TestCoarseSmall(t *testing.T) {
	for _, c := range []struct {
		device, variant string
		n               int
	}{
		{"gtx680", "private", 1 << 17},
		{"h200", "naive", 1 << 14},
		{"h200", "private", 1 << 15},
	} {
		cfg := Config{Device: profile(t, c.device), Variant: parsed(t, c.variant)}
		indices := drawnStream(c.n, 256, false)
		want, err := Estimate(cfg, indices, 256)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Coarse = true
		if got, err := Estimate(cfg, indices, 256); err != nil || got != want {
			t.Errorf("%s on %s: %v us, %v; want %v us", c.variant, c.device, got, err, want)
		}
	}
}

// TestCoarseErrors: they are those of Estimate.
func TestCoarseErrors(t *testing.T) {
	indices := drawnStream(1<<17, 256, false)
	for name, c := range map[string]struct {
		indices []uint32
		bins    uint64
		call    device.Call
	}{
		"an empty stream":          {nil, 256, device.Call{}},
		"an index that is no bin":  {indices, 255, device.Call{}},
		"targets that do not fit":  {indices, 1 << 24, device.Call{}},
		"an impossible kind of it": {indices, 256, device.Call{Type: 99}},
	} {
		cfg := Config{Device: profile(t, "h200"), Variant: parsed(t, "private"), Call: c.call}
		_, want := Estimate(cfg, c.indices, c.bins)
		cfg.Coarse = true
		_, got := Estimate(cfg, c.indices, c.bins)
		if want == nil || got == nil || got.Error() != want.Error() ||
			!errors.Is(got, errors.Unwrap(want)) {
			t.Errorf("%s: %v; want %v", name, got, want)
		}
	}
}

// TestAtLeast: few resident threads take longer samples, many those that they
// would take anyway.
func TestAtLeast(t *testing.T) {
	for _, s := range []sampling{manyInstructions, fewInstructions} {
		large := Config{Device: profile(t, "h200")}
		if got := s.atLeast(large.resident(), 4096); got != s {
			t.Errorf("h200: %+v, want %+v", got, s)
		}
		small := Config{Device: profile(t, "gtx680")}
		for _, turn := range []int{1024, 4096, 16384} {
			got := s.atLeast(small.resident(), turn)
			if !(got.long*turn >= leastSample && got.long > s.long) || got.short*2 != got.long ||
				got.whole < got.long || got.thin != s.thin {
				t.Errorf("gtx680, turns of %d updates: %+v of %+v", turn, got, s)
			}
			if (got.long-2)*turn >= leastSample {
				t.Errorf("gtx680, turns of %d updates: %d turns are more than needed", turn, got.long)
			}
		}
	}
}

// TestEstimatePeers: on a small device, where warps that start together meet more
// often than later, the longer samples keep the estimate near the whole.
func TestEstimatePeers(t *testing.T) {
	if testing.Short() {
		t.Skip("a million updates are simulated")
	}
	p, err := synth.Parse("runs:n=1048576,k=88396,seed=3,len=38,fixed=0")
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(p)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Device: profile(t, "gtx680"), Variant: parsed(t, "peers"),
		Call: device.Call{Type: device.F64, Operand: device.One},
	}
	full, err := Run(cfg, indices, uint64(p.K))
	if err != nil || !full.Correct {
		t.Fatal(full.Correct, err)
	}
	got, err := Estimate(cfg, indices, uint64(p.K))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f us estimated, %.1f us simulated in full", got, full.US)
	if off := math.Abs(math.Log(got / full.US)); off > math.Log(1.1) || got == full.US {
		t.Errorf("%.1f us estimated, %.1f us simulated in full", got, full.US)
	}
}
