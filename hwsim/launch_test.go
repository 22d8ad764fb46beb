package hwsim

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// launches are one block, grids that no stream fills evenly, more blocks than are resident at
// once, blocks of other sizes, and all turns at once.
func launches(d *device.Profile) []device.Launch {
	l := d.Limits()
	lanes, most := l.WarpLanes, l.MaxThreadsPerBlock
	many := uint64(l.SMs*max(1, l.MaxWarps*lanes/most)) + 5
	return []device.Launch{
		{Blocks: 1, Threads: lanes}, {Blocks: 1, Threads: 4 * lanes, Unroll: 2},
		{Blocks: 7, Threads: 3 * lanes, Unroll: 4}, {Blocks: 3, Unroll: 8},
		{Blocks: many, Threads: most}, {Blocks: many, Threads: most, Unroll: 8},
		{Threads: 2 * lanes}, {Unroll: 4},
	}
}

// TestLaunches runs every implementation over seeded streams with launches of all kinds, and
// compares the final array with the serial reference.
func TestLaunches(t *testing.T) {
	devices := []string{"h200", "c2075", "hd5870"}
	variants := suite(t)
	checked, refused := map[string]int{}, map[string]int{}
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 21))
		indices, bins := stream(rng)
		call := device.Call{Type: device.Types()[seed%6], Operand: device.Operand(seed / 6 % 2)}
		d := profile(t, devices[seed%3])
		all := launches(d)
		for i, v := range variants {
			in := indices
			if v.NeedsGrouped() {
				in = slices.Sorted(slices.Values(indices))
			}
			fixed := all[(int(seed)+i)%len(all)]
			if d.CanRun(v, call.Type, bins) != nil {
				continue
			}
			r, err := Run(Config{Device: d, Call: call, Variant: v, Launch: fixed, Seed: seed}, in, bins)
			if errors.Is(err, device.ErrCannot) {
				if v.G() == 1 || fixed.Blocks >= uint64(v.G()) { // each range takes a block
					refused[v.Base.String()]++
				}
				continue
			}
			if err != nil || !r.Correct {
				t.Fatalf("seed %d: %s of %s, launch %v on %s, %d updates of %d targets: correct %v, %v",
					seed, v, call.Type, fixed, d.Name, len(in), bins, r.Correct, err)
			}
			checked[v.String()]++
		}
	}
	for _, v := range variants {
		own := v.Base == variant.Sort || v.Base == variant.SegReduce || v.Base == variant.Partition
		if n := checked[v.String()]; own != (n == 0) || !own && n < 3 {
			t.Errorf("%s: %d launches checked", v, n)
		}
	}
	for base, n := range refused {
		if !slices.Contains([]string{"sort", "segreduce", "partition", "threadprivate"}, base) {
			t.Errorf("%d launches of %s refused", n, base)
		}
	}
}

// TestLaunchedOldValues: turns whose loads come together return each old value once.
func TestLaunchedOldValues(t *testing.T) {
	indices := drawnStream(3000, 7, false)
	for _, name := range []string{"naive", "match", "private", "private:r=5,pad=1", "hot:s=16,r=3"} {
		v, err := variant.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{Device: profile(t, "h200"), Variant: v, Call: device.Call{Operand: device.One, Returns: true},
			Launch: device.Launch{Blocks: 3, Threads: 96, Unroll: 4}}
		r, err := Run(cfg, indices, 7)
		if err != nil || !r.Correct {
			t.Fatal(name, r.Correct, err)
		}
		seen := map[[2]uint64]bool{}
		for i, x := range indices {
			seen[[2]uint64{uint64(x), r.Returned[i]}] = true
		}
		if len(seen) != len(indices) {
			t.Errorf("%s: %d different old values of %d updates", name, len(seen), len(indices))
		}
	}
}

// TestUnrollOverlapsLoads: one warp that waits for its loads takes a quarter of the waiting where
// four turns load at once.
func TestUnrollOverlapsLoads(t *testing.T) {
	d := profile(t, "h200")
	indices := make([]uint32, 64*32)
	for i := range indices {
		indices[i] = uint32(i)
	}
	cycles := func(unroll int) float64 {
		r, err := Run(Config{Device: d, Launch: device.Launch{Blocks: 1, Threads: 32, Unroll: unroll}},
			indices, uint64(len(indices)))
		if err != nil || !r.Correct {
			t.Fatal(r.Correct, err)
		}
		return float64(r.Kernels[len(r.Kernels)-1].Cycles)
	}
	saved, load := (cycles(1)-cycles(4))/64, d.Global.LoadLatency.Value
	if saved < 0.7*load || saved > 0.8*load {
		t.Errorf("a turn saves %.0f of the %.0f cycles of its loads", saved, load)
	}
}

// TestRuleIsALaunch: to fix what the rule gives changes nothing.
func TestRuleIsALaunch(t *testing.T) {
	indices := drawnStream(5000, 300, true)
	for _, dev := range []string{"h200", "c2075"} {
		for _, name := range []string{"naive", "sr", "private:r=3,pad=1", "threadprivate"} {
			cfg := Config{Device: profile(t, dev), Variant: parsed(t, name)}
			want, err := Run(cfg, indices, 300)
			if err != nil {
				t.Fatal(err)
			}
			s := cfg.Device.Limits().Shape(cfg.Variant, device.U32, 300, 5000, cfg.Launch)
			cfg.Launch = device.Launch{Blocks: s.Blocks, Threads: s.Threads, Unroll: s.Unroll}
			got, err := Run(cfg, indices, 300)
			if err != nil || got.Cycles != want.Cycles {
				t.Errorf("%s on %s: %d cycles in launch %v, %d by the rule, %v", name, dev, got.Cycles,
					cfg.Launch, want.Cycles, err)
			}
		}
	}
}

// TestEstimateLaunched: samples of a fixed grid say what the whole stream takes.
func TestEstimateLaunched(t *testing.T) {
	indices := drawnStream(1<<19, 4096, false)
	for _, c := range []struct {
		name   string
		launch device.Launch
	}{
		{"naive", device.Launch{Blocks: 28, Threads: 256}},
		{"private", device.Launch{Blocks: 14, Threads: 512, Unroll: 4}},
	} {
		cfg := Config{Device: profile(t, "c2075"), Variant: parsed(t, c.name), Launch: c.launch}
		whole, err := Run(cfg, indices, 4096)
		if err != nil || !whole.Correct {
			t.Fatal(whole.Correct, err)
		}
		got, err := Estimate(cfg, indices, 4096)
		if err != nil || got == whole.US || got < 0.97*whole.US || got > 1.03*whole.US {
			t.Errorf("%s, %v: %.2f us estimated, %.2f us simulated, %v", c.name, c.launch, got, whole.US,
				err)
		}
	}
}

// TestCoarseLaunched: a grid that the parts of a device cannot share is simulated whole.
func TestCoarseLaunched(t *testing.T) {
	cfg := Config{Device: profile(t, "h200"), Variant: parsed(t, "private"), Coarse: true}
	for blocks, want := range map[uint64]int{0: 12, 264: 12, 44: 4, 131: 1} {
		cfg.Launch.Blocks = blocks
		if got := cfg.parts(1 << 20); got != want {
			t.Errorf("%d blocks: %d parts, want %d", blocks, got, want)
		}
	}
}

func TestLaunchErrors(t *testing.T) {
	cannot := device.ErrCannot
	for want, c := range map[string]struct {
		device, name string
		launch       device.Launch
		is           error
	}{
		"at most 1024 threads, not 2048": {"h200", "naive", device.Launch{Threads: 2048}, cannot},
		"no whole warps of 64":           {"hd5870", "sr", device.Launch{Threads: 96}, cannot},
		"whose grids follow":             {"h200", "sort", device.Launch{Blocks: 1}, cannot},
		"one turn at a time":             {"h200", "threadprivate", device.Launch{Unroll: 2}, cannot},
		"take 409600 bytes":              {"h200", "threadprivate", device.Launch{Threads: 1024}, cannot},
		"3 turns at once":                {"h200", "naive", device.Launch{Unroll: 3}, device.ErrLaunch},
	} {
		cfg := Config{Device: profile(t, c.device), Variant: parsed(t, c.name), Launch: c.launch}
		_, err := Run(cfg, []uint32{0, 1, 1}, 100)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one of %v with %q", err, c.is, want)
		}
	}
}
