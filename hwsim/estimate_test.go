package hwsim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestEstimate bounds the error of the extrapolation, and of simulating a part of
// the device: streams longer than what Estimate simulates whole, simulated in full
// beside it. With ATOMTUNE_FULL=1 each implementation has all streams, and longer ones.
func TestEstimate(t *testing.T) {
	d := profile(t, "gtx680")
	n := 20 * 16384 // an iteration of naive has 16,384 updates
	all := golden.Full()
	if all {
		n = 32 * 16384
	}
	type implementation struct {
		name  string
		kinds []string // of streams
	}
	implementations := []implementation{
		{"naive", []string{"uniform", "sorted"}}, {"private", []string{"uniform", "hot"}},
		{"sr", []string{"sorted"}}, // without neighbours that are equal it is naive
		{"ss", []string{"hot"}},    // what is sorted takes as long as what is even
		{"segreduce", []string{"sorted"}},
		{"hot:s=64,r=4", []string{"sorted"}}, {"hot:s=256,sample=2048+peers", []string{"hot"}},
	}
	if !golden.Full() {
		implementations = implementations[:1]
	}
	if all { // takes the same steps whatever the order
		implementations = append(implementations, implementation{"sort", nil})
	}
	streams := map[string][]uint32{}
	rng := rand.New(rand.NewPCG(5, 5))
	for range 2 << 19 { // two parts of a sort
		streams["uniform"] = append(streams["uniform"], uint32(rng.IntN(4096)))
		hot := uint32(rng.IntN(4096))
		if rng.IntN(2) == 0 {
			hot = 7
		}
		streams["hot"] = append(streams["hot"], hot)
	}
	streams["sorted"] = slices.Sorted(slices.Values(streams["uniform"]))
	for kind, indices := range streams {
		for _, c := range implementations {
			if !all && !slices.Contains(c.kinds, kind) {
				continue
			}
			cfg := Config{Device: d, Implementation: parsed(t, c.name), Call: device.Call{Type: device.F32}, Relaid: true}
			indices := indices
			switch {
			case cfg.Implementation.NeedsGrouped() && kind != "sorted":
				continue
			case cfg.Implementation.Algorithm != impl.Sort && cfg.Implementation.Algorithm != impl.SegReduce:
				indices = indices[:n]
			}
			near(t, cfg, indices, 4096, 1.2)
		}
	}
}

// near holds an estimate, which must not be a simulation of the whole stream, to one.
func near(t *testing.T, cfg Config, indices []uint32, bins uint64, factor float64) {
	t.Helper()
	full := ran(t, cfg, indices, bins)
	us, err := Estimate(cfg, indices, bins)
	if off := math.Abs(math.Log(us / full.US)); err != nil || !(off <= math.Log(factor)) || us == full.US {
		t.Errorf("%s, %d updates: %.2f us estimated, %.2f us simulated in full, %v", cfg.Implementation, len(indices),
			us, full.US, err)
	}
}

// TestEstimatePeers: on a small device, where warps that start together meet more
// often than later, the longer samples keep the estimate near the whole.
func TestEstimatePeers(t *testing.T) {
	golden.OnlyFull(t)
	indices, bins := drawn(t, "runs:n=1048576,k=88396,seed=3,len=38,fixed=0")
	near(t, Config{Device: profile(t, "gtx680"), Implementation: parsed(t, "peers"),
		Call: device.Call{Type: device.F64, Operand: device.One}}, indices, bins, 1.1)
}

func drawn(t *testing.T, text string) (indices []uint32, bins uint64) {
	t.Helper()
	p, err := synth.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if indices, err = synth.Generate(p); err != nil {
		t.Fatal(err)
	}
	return indices, uint64(p.K)
}

// TestEstimateGrows: where most of a sample's time is what a call costs once, longer ones tell what an
// update costs.
func TestEstimateGrows(t *testing.T) {
	indices, bins := drawn(t, "markov:n=630296,k=12242,seed=5,stay=0.211,jump=0.76,w=43")
	near(t, Config{Device: profile(t, "gtx980"), Implementation: parsed(t, "private")}, indices, bins, 1.04)
}

// TestEstimateLaunched: samples of a fixed grid say what the whole stream takes.
func TestEstimateLaunched(t *testing.T) {
	for name, launch := range map[string]device.Launch{"naive": {Blocks: 28, Threads: 256},
		"private": {Blocks: 14, Threads: 512, Unroll: 4}} {
		near(t, Config{Device: profile(t, "c2075"), Implementation: parsed(t, name), Launch: launch},
			drawnStream(1<<19, 4096, false), 4096, 1.03)
	}
}

// TestEstimateWhole: streams that are not longer than what an estimate would sample are simulated as
// a whole, and exactly; so is a long one of copies of ranges, whose blocks are busy in turn where the
// targets move on. A small device, another implementation and a short stream are no coarser with
// Coarse.
func TestEstimateWhole(t *testing.T) {
	inTurn := make([]uint32, 300000)
	for i := range inTurn {
		inTurn[i] = uint32(i / 128)
	}
	most := Config{Device: profile(t, "gtx680")}
	iteration := most.iteration(1<<20, 256)
	some := most.sampling().atLeast(most.resident(), iteration)
	sampled := (some.long + 1) * iteration
	if sampled > some.whole*iteration || sampled <= some.long*iteration {
		t.Fatalf("%d updates in turns of %d, %+v", sampled, iteration, some)
	}
	for _, c := range []struct {
		device, implementation string
		indices                []uint32
	}{
		{"h200", "naive", []uint32{1, 2, 3, 3, 3}}, {"gtx680", "naive", drawnStream(sampled, 256, false)},
		{"gtx680", "private:r=1,ranges=2", inTurn}, {"gtx680", "private", drawnStream(1<<17, 256, false)},
		{"h200", "naive", drawnStream(1<<14, 256, false)}, {"h200", "private", drawnStream(1<<15, 256, false)},
	} {
		if !golden.Full() && len(c.indices) == len(inTurn) {
			continue
		}
		cfg := Config{Device: profile(t, c.device), Implementation: parsed(t, c.implementation)}
		want := ran(t, cfg, c.indices, 4096).US
		for _, cfg.Coarse = range []bool{false, true} {
			if us, err := Estimate(cfg, c.indices, 4096); err != nil || us != want {
				t.Errorf("%s on %s, coarse %t: %v us, %v; want %v", c.implementation, c.device, cfg.Coarse, us, err, want)
			}
		}
	}
}

// TestCoarse bounds by how much a part of the device differs from the whole, with
// few targets of which one is hot, and with many. With ATOMTUNE_FULL=1 parts are smaller.
func TestCoarse(t *testing.T) {
	n := 1 << 18
	if golden.Full() {
		n = 1 << 19
	}
	for typ, bins := range map[device.Type]int{device.F64: 4096, device.F32: 64, device.U32: 4096} {
		indices := drawnStream(n, bins, bins == 64)
		cfg := Config{Device: profile(t, "h200"), Implementation: parsed(t, "private"), Call: device.Call{Type: typ}}
		whole, err := Estimate(cfg, indices, uint64(bins))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Coarse = true
		coarse, err := Estimate(cfg, indices, uint64(bins))
		if off := math.Abs(math.Log(coarse / whole)); err != nil || off > math.Log(1.08) || coarse == whole ||
			cfg.parts(n) == 1 {
			t.Errorf("%s, %d targets: coarse %.2f us, else %.2f us, %v", typ, bins, coarse, whole, err)
		}
	}
}

// TestCoarseLaunched: a grid that the parts of a device cannot share is simulated whole.
func TestCoarseLaunched(t *testing.T) {
	cfg := Config{Device: profile(t, "h200"), Implementation: parsed(t, "private"), Coarse: true}
	for blocks, want := range map[uint64]int{0: 12, 264: 12, 44: 4, 131: 1} {
		cfg.Launch.Blocks = blocks
		if got := cfg.parts(1 << 20); got != want {
			t.Errorf("%d blocks: %d parts, want %d", blocks, got, want)
		}
	}
}

// TestPartOf: an SM of a part of a device has the share of every rate of memory that it has of
// the whole, and all else as there.
func TestPartOf(t *testing.T) {
	d, parts := profile(t, "h200"), 6
	p := partOf(d, parts)
	for name, of := range map[string]func(*device.Profile) float64{
		"L2":      func(d *device.Profile) float64 { return d.Memory.L2Rate.Value },
		"DRAM":    func(d *device.Profile) float64 { return d.Memory.DRAMRate.Value },
		"atomics": func(d *device.Profile) float64 { return d.Memory.AtomicRate.Value },
	} {
		got, want := of(p)/p.Core.SMs.Value, of(d)/d.Core.SMs.Value
		if math.Abs(got-want) > want*1e-12 {
			t.Errorf("%s: %v bytes/s an SM, want %v", name, got, want)
		}
	}
	if p.Core.SMs.Value != 22 || d.Core.SMs.Value != 132 || p.Global.Slices != d.Global.Slices {
		t.Errorf("%v SMs of %v", p.Core.SMs.Value, d.Core.SMs.Value)
	}
}

// TestAtLeast: few resident threads take longer samples, many those that they
// would take anyway.
func TestAtLeast(t *testing.T) {
	for _, s := range []sampling{manyInstructions, fewInstructions} {
		large, few := Config{Device: profile(t, "h200")}, Config{Device: profile(t, "gtx680")}
		if got := s.atLeast(large.resident(), 4096); got != s {
			t.Errorf("h200: %+v, want %+v", got, s)
		}
		for _, iteration := range []int{1024, 4096, 16384} {
			got := s.atLeast(few.resident(), iteration)
			if got.long*iteration < leastSample || got.long <= s.long || got.long%2 != 0 ||
				got.whole < got.long || got.thin != s.thin || (got.long-2)*iteration >= leastSample {
				t.Errorf("gtx680, turns of %d updates: %+v of %+v", iteration, got, s)
			}
		}
	}
}
