package apps

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// TestSpMVIntervals runs a device of one SM, whose warps each take several
// units, over long rows, short rows and one row: carries go from turn to turn,
// from warp to warp and, of more than 512 warps, from block to block of these.
func TestSpMVIntervals(t *testing.T) {
	small := *appProfile(t, "gtx680")
	small.Core.SMs.Value = 1
	large := appProfile(t, "h200")
	for _, c := range []struct {
		d *device.Profile
		n int
	}{{&small, 6007}, {large, 40009}} {
		for _, rows := range []uint64{1, 3, 70, 4000} {
			cfg := AppConfig{Device: c.d, Application: SpMV, Type: device.F64}
			in := appMatrix("uniform", c.n, rows, 100)
			for _, f := range []appForm{{original: true}, {method: methodSR}, {method: methodSRSS}} {
				f.run(t, cfg, in)
			}
		}
	}
}

// TestModulo runs the remainders that the compacted array needs.
func TestModulo(t *testing.T) {
	const threads = 4096
	for _, n := range []uint64{1, 2, 3, 7, 64, 1000, 4095, 4096, 5000} {
		s := newAppSession(AppConfig{Device: appProfile(t, "gtx680")}, device.U32)
		s.counters(threads)
		b := machine.NewBuilder("modulo", 0)
		at := b.Add(b.Tid(), b.Mul(machine.BlockID, imm(256)))
		b.Store(kernel.BufTarget, at, modulo(b, at, threads, n))
		if s.runBlocks(b.Done(), threads/256, 256, 0); s.Err != nil {
			t.Fatal(s.Err)
		}
		for a, got := range s.Output(kernel.BufTarget) {
			if got != uint64(a)%n {
				t.Fatalf("%d mod %d = %d", a, n, got)
			}
		}
	}
	for n := uint64(3); n <= moduloLimit; n = n*5/4 + 1 { // the reciprocal at the ends of the range
		for a := uint64(moduloLimit - 3); a < moduloLimit; a++ {
			if got := a * ((1<<44)/n + 1) >> 44; got != a/n {
				t.Fatalf("%d div %d = %d", a, n, got)
			}
		}
	}
}

// TestDistinctVisitors checks the serial reference by hand.
func TestDistinctVisitors(t *testing.T) {
	in := AppInput{Keys: []uint32{0, 2, 2, 2, 0}, Others: []uint32{1, 1, 3, 1, 1}, Bins: 4, Width: 4}
	if got, want := distinctVisitors(in), []uint32{1, 0, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("distinct visitors %v, want %v", got, want)
	}
}

// TestPageViewBlocks checks that exactly the duplicates within a block's tile
// are gone before the sort.
func TestPageViewBlocks(t *testing.T) {
	in := drawViews(5, 3*distinctTile+100, 20, 60, 3)
	seen := map[[3]uint32]bool{} // tile, page, visitor
	for i, page := range in.Keys {
		seen[[3]uint32{uint32(i / distinctTile), page, in.Others[i]}] = true
	}
	for _, dev := range appDevices {
		for _, m := range reductions {
			a := newPageApp(AppConfig{Device: appProfile(t, dev), Application: PageViewCount, Method: m, Seed: 3}, in)
			if err := a.makeKeys(); err != nil || a.n != uint64(len(seen)) {
				t.Errorf("%s, %s: %d keys are left, want %d, %v", dev, m, a.n, len(seen), err)
			}
		}
	}
}

// TestSummationLevels: the original takes as many launches as it needs to come
// down to one sum; sums of a compacted array are added up likewise.
func TestSummationLevels(t *testing.T) {
	cfg := AppConfig{Device: appProfile(t, "h200"), Application: Summation, Type: device.F32}
	for _, c := range []struct {
		f       appForm
		n, bins int
		want    string
	}{
		{appForm{original: true}, 512, 1, "reduce"},
		{appForm{original: true}, 513, 1, "reduce reduce"},
		{appForm{original: true}, 1 << 19, 1, "reduce reduce reduce"},
		{appForm{}, 1 << 12, 1, "clear targets sum.naive"},
		{appForm{}, 1 << 12, 512, "clear targets sum.naive reduce"},
		{appForm{method: methodVR}, 1 << 12, 513, "clear targets sum.vr reduce reduce"},
	} {
		var names []string
		for _, k := range c.f.run(t, cfg, AppInput{Keys: make([]uint32, c.n),
			Bins: uint64(c.bins)}).Kernels {
			names = append(names, k.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s of %d elements to %d sums launches %q, want %q", c.f, c.n, c.bins, got, c.want)
		}
	}
}
