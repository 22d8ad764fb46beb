package apps

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/variant"
)

func histogramForms() []appForm {
	forms := []appForm{{original: true}, {original: true, level: ThreadPrivate}}
	for _, level := range []Level{NoPrivate, BlockPrivate, WarpPrivate} {
		for _, m := range []variant.Variant{methodNaive, methodSR, methodVR} {
			forms = append(forms, appForm{level: level, method: m})
		}
	}
	return forms
}

func TestHistogram(t *testing.T) {
	for _, name := range appDevices {
		cfg := AppConfig{Device: appProfile(t, name), Application: Histogram, Type: device.U32, Seed: 5}
		for _, n := range sizes {
			for _, bins := range []uint64{1, 3, 256, 2000} {
				if n > 100 && bins != 256 || n != 65 && bins == 2000 {
					continue
				}
				for _, kind := range []string{"equal", "uniform", "clustered"} {
					if name != "gtx680" && kind == "uniform" {
						continue // which clusters have, too
					}
					in := AppInput{Keys: appKeys(kind, n, bins), Bins: bins}
					for _, f := range histogramForms() {
						if f.level != ThreadPrivate || bins < 2000 { // a block holds no copies of more
							f.run(t, cfg, in)
						}
					}
				}
			}
		}
	}
}

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

// TestTaggedTurns counts the turns of the loop of tagged updates: as many as
// lanes of the warp share a bin.
func TestTaggedTurns(t *testing.T) {
	cfg := AppConfig{Device: appProfile(t, "gtx680"), Application: Histogram, Type: device.U32}
	instructions := func(shared int) uint64 {
		keys := make([]uint32, 32)
		for l := range keys {
			keys[l] = uint32(max(0, l-shared+1))
		}
		return appForm{original: true}.run(t, cfg, AppInput{Keys: keys, Bins: 32}).WarpInstructions
	}
	turn := instructions(2) - instructions(1)
	for shared := 3; shared <= 32; shared++ {
		if got := instructions(shared) - instructions(shared-1); got != turn {
			t.Fatalf("%d lanes on one bin take %d instructions more than %d lanes, want %d", shared, got,
				shared-1, turn)
		}
	}
	if turn < 6 || turn > 10 {
		t.Errorf("a turn takes %d instructions, want a load, an addition, a store, a load and a "+
			"branch with what they need", turn)
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
	turn := us("uniform", 44) - us("uniform", 40)
	if rest := us("uniform", 43) - us("uniform", 40); turn <= 0 || rest < 1.5*turn {
		t.Errorf("four pixels take %.2f us, three after the last four %.2f us", turn, rest)
	}
}

// TestHistogramFault plants a wrong count.
func TestHistogramFault(t *testing.T) {
	in := AppInput{Keys: appKeys("uniform", 100, 8), Bins: 8}
	s := newAppSession(AppConfig{Device: appProfile(t, "h200")}, device.U32)
	right := arith.Reference(countOne(), 0, in.Keys, in.Bins)
	buf := s.filled(right)
	if !s.counted(in, buf) {
		t.Error("a right count is called wrong")
	}
	right[3]++
	if s.counted(in, s.filled(right)) {
		t.Error("a pixel too many goes unnoticed")
	}
}

func TestHistogramErrors(t *testing.T) {
	h200, gtx680 := appProfile(t, "h200"), appProfile(t, "gtx680")
	pixel := AppInput{Keys: []uint32{0}, Bins: 1}
	large := AppInput{Keys: []uint32{0}, Bins: 1 << 20}
	for _, c := range []struct {
		cfg  AppConfig
		in   AppInput
		is   error
		want string
	}{
		{AppConfig{}, pixel, hwsim.ErrStream, "no device"},
		{AppConfig{Device: h200, Application: 9}, pixel, hwsim.ErrStream, "no application 9"},
		{AppConfig{Device: h200, Level: 3}, pixel, hwsim.ErrStream, "no level 3"},
		{AppConfig{Device: h200, Type: device.F32}, pixel, hwsim.ErrStream,
			"type f32, want one of [u32]"},
		{AppConfig{Device: h200}, AppInput{Bins: 1}, hwsim.ErrStream, "0 keys, want 1 to"},
		{AppConfig{Device: h200}, AppInput{Keys: []uint32{0}}, hwsim.ErrStream, "0 bins, want 1 to"},
		{AppConfig{Device: h200}, AppInput{Keys: []uint32{0, 4}, Bins: 4}, hwsim.ErrStream,
			"pixel 1: 4 is not below 4 bins"},
		{AppConfig{Device: h200, Method: methodSS}, pixel, hwsim.ErrStream,
			"method ss, want one of [naive sr vr]"},
		{AppConfig{Device: h200, Method: variant.Variant{Base: 9}}, pixel, hwsim.ErrStream,
			"no such parts"},
		{AppConfig{Device: gtx680, Level: BlockPrivate}, large, device.ErrCannot, "shared memory"},
		{AppConfig{Device: gtx680, Level: WarpPrivate}, large, device.ErrCannot, "shared memory"},
		{AppConfig{Device: gtx680, Original: true}, large, device.ErrCannot,
			"1048576 counters of a warp do not fit"},
		{AppConfig{Device: gtx680, Original: true, Level: ThreadPrivate}, large, device.ErrCannot,
			"1048576 counters of each thread of a warp do not fit"},
	} {
		_, err := RunApplication(c.cfg, c.in)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one of %v with %q", err, c.is, c.want)
		}
	}
}
