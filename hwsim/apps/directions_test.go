package apps

import (
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestHistogramLevels: an image of few grey levels is counted faster in counters
// of a warp's own than in those of all, but for Kepler, whose L2 adds so fast
// that no-private counters win where nothing reduces the collisions first
// ([egielski14] section 4). Where all pixels are alike, reducing pays.
func TestHistogramLevels(t *testing.T) {
	in, white := AppInput{Keys: appKeys("uniform", 1<<14, 2), Bins: 256},
		AppInput{Keys: appKeys("equal", 1<<14, 256), Bins: 256}
	for _, name := range appDevices {
		cfg := AppConfig{Device: appProfile(t, name), Application: Histogram, Type: device.U32}
		no := appForm{level: NoPrivate}.run(t, cfg, in)
		warp := appForm{level: WarpPrivate}.run(t, cfg, in)
		if (warp.US < no.US) != (name != "gtx680") {
			t.Errorf("%s: warp-private takes %.1f us, no-private %.1f us", name, warp.US, no.US)
		}
		for _, level := range []Level{NoPrivate, BlockPrivate, WarpPrivate} {
			if name == "h200" && level != NoPrivate {
				continue // where an atomic of the constant 1 merges lanes by itself
			}
			naive := appForm{level: level}.run(t, cfg, white)
			if vr := (appForm{level: level, method: methodVR}).run(t, cfg, white); vr.US >= naive.US {
				t.Errorf("%s: level %d: one bin by vr takes %.1f us, by naive %.1f us", name, level, vr.US,
					naive.US)
			}
		}
	}
}

// TestThreadCounters: counters per thread take the same time whatever the pixels, and less per
// pixel where four are loaded at once than where each is waited for.
func TestThreadCounters(t *testing.T) {
	cfg := AppConfig{Device: appProfile(t, "c2075"), Application: Histogram, Type: device.U32}
	form := appForm{original: true, level: ThreadPrivate}
	const threads = 14 * 32 // of one block per SM
	us := func(kind string, perThread int) float64 {
		keys := appKeys(kind, threads*perThread, 256)
		return form.run(t, cfg, AppInput{Keys: keys, Bins: 256}).US
	}
	if flat, random := us("equal", 40), us("uniform", 40); flat != random {
		t.Errorf("one value takes %v us, random pixels %v us", flat, random)
	}
	iteration := us("uniform", 44) - us("uniform", 40)
	if rest := us("uniform", 43) - us("uniform", 40); iteration <= 0 || rest < 1.5*iteration {
		t.Errorf("four pixels take %.2f us, three after the last four %.2f us", iteration, rest)
	}
}

// TestFreeGather: a vector that is there at once gives the same product sooner, and counts the same
// instructions.
func TestFreeGather(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	in := AppInput{Bins: 2000, Width: 50_000}
	for i := range 20_000 {
		in.Keys, in.Others = append(in.Keys, uint32(i/10)), append(in.Others, uint32(rng.IntN(50_000)))
	}
	cfg := AppConfig{Device: appProfile(t, "gtx680"), Application: SpMV, Type: device.F32, Relaid: true}
	for _, form := range []appForm{{original: true}, {}} {
		asIs := form.run(t, cfg, in)
		free := cfg
		free.FreeGather = true
		if r := form.run(t, free, in); r.US > 0.97*asIs.US || r.WarpInstructions != asIs.WarpInstructions {
			t.Errorf("%s: %v us and %d instructions, %v us and %d with the vector there", form, asIs.US,
				asIs.WarpInstructions, r.US, r.WarpInstructions)
		}
	}
}

// TestSpMVDirections: rows of many elements are what sr is for, on the devices
// of [egielski14] most; the host's re-layout costs time unless it was done
// before.
func TestSpMVDirections(t *testing.T) {
	in := appMatrix("uniform", 1<<15, 200, 200)
	for _, name := range appDevices {
		cfg := AppConfig{Device: appProfile(t, name), Application: SpMV, Type: device.F32}
		naive, sr := appForm{}.run(t, cfg, in), appForm{method: methodSR}.run(t, cfg, in)
		if sr.US >= naive.US {
			t.Errorf("%s: rows of 160 elements take sr %.1f us and naive %.1f us", name, sr.US, naive.US)
		}
		scattered := appForm{method: methodSRSS}
		hosted := scattered.run(t, cfg, in)
		cfg.Relaid = true
		relaid := scattered.run(t, cfg, in)
		if relaid.HostUS != 0 || hosted.HostUS <= 0 || hosted.US != relaid.US+hosted.HostUS {
			t.Errorf("%s: sr+ss takes %v us with %v us of the host, and %v us relaid", name, hosted.US,
				hosted.HostUS, relaid.US)
		}
	}
}

// TestMergeSortDirection is [egielski14] section 4: counting duplicates wins
// where there are many, and loses if there are none. On the h200 one wave of
// blocks takes all of so short an array and launches take most of the time, so
// that only the work shows it. With ATOMTUNE_FULL=1 all devices are simulated.
func TestMergeSortDirection(t *testing.T) {
	gain := func(dev string, keys []uint32) (time, work float64) {
		cfg := AppConfig{Device: appProfile(t, dev), Application: MergeSort, Seed: 3}
		in := AppInput{Keys: keys}
		plain, counted := appForm{original: true}.run(t, cfg, in), appForm{method: methodSR}.run(t, cfg, in)
		return plain.US / counted.US, float64(plain.WarpInstructions) / float64(counted.WarpInstructions)
	}
	for dev, c := range map[string]struct {
		keys  int
		least float64
	}{"gtx680": {1 << 16, 1.2}, "c2075": {1 << 16, 1.2}, "h200": {1 << 14, 0.5}} {
		if dev == "c2075" && !golden.Full() {
			continue
		}
		few, work := gain(dev, drawKeys(8, c.keys, 16))
		all, _ := gain(dev, permuted(9, 1<<13))
		if few < c.least || work < 1.4 || all > 1 || all < 0.5 {
			t.Errorf("%s: counting duplicates is %.3f times as fast where keys repeat, want %v, at 1/%.3f of the "+
				"work, want 1/1.4; where none repeats %.3f times, want 0.5 to 1", dev, few, c.least, work, all)
		}
	}
}

// TestPageViewDirection is [egielski14] section 4: dropping duplicates in
// blocks wins where there are many, and costs little if there are none. With
// ATOMTUNE_FULL=1 all devices are simulated.
func TestPageViewDirection(t *testing.T) {
	const n = 1 << 14
	devices := appDevices
	if !golden.Full() {
		devices = devices[:1]
	}
	for _, dev := range devices {
		gain := func(in AppInput) float64 {
			cfg := AppConfig{Device: appProfile(t, dev), Application: PageViewCount, Seed: 3}
			return appForm{original: true}.run(t, cfg, in).US / appForm{}.run(t, cfg, in).US
		}
		repeated, distinct := gain(drawViews(7, n, 8, 8, 0)), gain(distinctViews(8, n, 100))
		if repeated < 1.3 || distinct > 1 || distinct < 0.6 {
			t.Errorf("%s: dropping duplicates is %.3f times as fast where views repeat, want 1.3, and %.3f times "+
				"where none repeats, want 0.6 to 1", dev, repeated, distinct)
		}
	}
}

// TestSummationCollisions: with one sum all threads collide, and more so than
// with 1,024; reducing first then pays, by either method.
func TestSummationCollisions(t *testing.T) {
	one, many := AppInput{Keys: make([]uint32, 1<<16), Bins: 1},
		AppInput{Keys: make([]uint32, 1<<16), Bins: 1024}
	for _, name := range appDevices {
		cfg := AppConfig{Device: appProfile(t, name), Application: Summation, Type: device.F32}
		naive := appForm{}.run(t, cfg, one)
		last := func(r AppResult) uint64 { return r.Kernels[1].Cycles }
		if spread := (appForm{}).run(t, cfg, many); last(spread) >= last(naive) {
			t.Errorf("%s: 1,024 sums take %d cycles, one sum %d", name, last(spread), last(naive))
		}
		for _, m := range []impl.Spec{methodSR, methodVR} {
			if reduced := (appForm{method: m}).run(t, cfg, one); reduced.US >= naive.US {
				t.Errorf("%s: one sum by %s takes %.1f us, by naive %.1f us", name, m, reduced.US, naive.US)
			}
		}
	}
}

// TestKept gathers words 4 KiB apart from an array of the size of L2, of which
// none, half or all is kept while the call's footprint exceeds L2.
func TestKept(t *testing.T) {
	var took [3]uint64
	for i := range took {
		s := newAppSession(AppConfig{Device: appProfile(t, "gtx680")}, device.U32)
		n := s.Machine.L2Bytes / 4
		s.counters(n)
		gathered := s.Machine.Buffers[s.counters(n)]
		gathered.Kept = gathered.Bytes() * uint64(i) / 2
		b := machine.NewBuilder("gather", 0)
		at := b.Add(b.Tid(), b.Mul(machine.BlockID, imm(256)))
		b.Store(kernel.BufTarget, at, b.Load(1, b.And(b.Mul(at, imm(1031)), imm(n-1))))
		if s.runBlocks(b.Done(), n/256, 256, 0); s.Err != nil {
			t.Fatal(s.Err)
		}
		if s.Output(kernel.BufTarget)[n-1] != machine.Poison {
			t.Fatal("a kept array gave a wrong value")
		}
		took[i] = s.Times[0].Cycles
	}
	if took[1] > took[0]*3/4 || took[2] >= took[1] {
		t.Errorf("none, half and all of an array kept take %v cycles", took)
	}
}
