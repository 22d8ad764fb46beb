package apps

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// appDevices are the devices of [egielski14], and one with native atomics for
// doubles and in shared memory.
var appDevices = []string{"gtx680", "c2075", "h200"}

// appForm is one form of an application.
type appForm struct {
	original bool
	level    Level
	method   variant.Variant
}

func (f appForm) String() string {
	if f.original {
		return fmt.Sprintf("original level %d", f.level)
	}
	return fmt.Sprintf("%s level %d", f.method, f.level)
}

// run runs one form of an application and demands the right output.
func (f appForm) run(t *testing.T, cfg AppConfig, in AppInput) AppResult {
	t.Helper()
	cfg.Original, cfg.Level, cfg.Method = f.original, f.level, f.method
	r, err := RunApplication(cfg, in)
	if err != nil {
		t.Fatalf("%s %s of %d elements, %d targets on %s: %v", f, cfg.Type, len(in.Keys), in.Bins,
			cfg.Device.Name, err)
	}
	if !r.Correct || !(r.US > 0) || r.WarpInstructions == 0 || len(r.Kernels) == 0 {
		t.Fatalf("%s %s of %d elements, %d targets on %s: %+v", f, cfg.Type, len(in.Keys), in.Bins,
			cfg.Device.Name, r)
	}
	return r
}

// appKeys draws n keys below bins: one value, uniform ones, or clusters of them.
func appKeys(kind string, n int, bins uint64) []uint32 {
	rng := rand.New(rand.NewPCG(uint64(n), bins))
	out := make([]uint32, n)
	for i := range out {
		switch {
		case kind == "equal":
			out[i] = uint32(bins - 1)
		case kind == "clustered" && i > 0 && rng.IntN(12) > 0:
			out[i] = out[i-1]
		default:
			out[i] = uint32(rng.Uint64N(bins))
		}
	}
	return out
}

// sizes are one element, less than a warp, a warp and more, and a few blocks with
// a rest.
var sizes = []int{1, 7, 32, 65, 1511}

func sorted(keys []uint32) []uint32 {
	slices.Sort(keys)
	return keys
}

// TestWideWarps runs the forms on warps of 64 lanes, where tags have a bit more
// and segments one distance more.
func TestWideWarps(t *testing.T) {
	d, larger := appProfile(t, "hd5870"), *appProfile(t, "hd5870")
	larger.Core.MaxThreadsPerBlock.Value = 512 // as CUSP's product needs
	checked := 0
	for _, n := range []int{1, 63, 64, 1500} {
		for _, f := range histogramForms() {
			cfg := AppConfig{Device: d, Application: Histogram, Type: device.U32}
			f.run(t, cfg, AppInput{Keys: appKeys("clustered", n, 40), Bins: 40})
			checked++
		}
		for _, f := range spmvForms() {
			f.run(t, AppConfig{Device: &larger, Application: SpMV, Type: device.F32},
				appMatrix("uniform", n, 11, 300))
			checked++
		}
		for _, f := range summationForms() {
			f.run(t, AppConfig{Device: d, Application: Summation, Type: device.F32},
				AppInput{Keys: make([]uint32, n), Bins: 5})
			checked++
		}
	}
	product := AppConfig{Device: d, Application: SpMV, Type: device.F32, Original: true}
	if _, err := RunApplication(product, appMatrix("uniform", 200, 5, 5)); !errors.Is(err,
		device.ErrCannot) {
		t.Errorf("blocks of 512 threads on %s: %v", d.Name, err)
	}
	if checked != 4*(11+7+4) {
		t.Errorf("%d runs checked", checked)
	}
}

func appProfile(t testing.TB, name string) *device.Profile {
	t.Helper()
	p, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
