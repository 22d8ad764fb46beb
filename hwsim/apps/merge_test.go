package apps

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/variant"
)

// tileMethods are the forms of the applications that count in shared memory:
// the original, and the ways of adding.
func tileMethods(d *device.Profile, app Application) map[string]AppConfig {
	return map[string]AppConfig{
		"original": {Device: d, Application: app, Original: true},
		"naive":    {Device: d, Application: app, Seed: 3},
		"sr": {Device: d, Application: app, Method: variant.Variant{Reduction: variant.SR},
			Seed: 3},
		"vr": {Device: d, Application: app, Method: variant.Variant{Reduction: variant.VR},
			Seed: 3},
	}
}

// drawKeys draws n numbers below limit.
func drawKeys(seed uint64, n int, limit uint64) []uint32 {
	rng := rand.New(rand.NewPCG(seed, 14))
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = uint32(rng.Uint64N(limit))
	}
	return keys
}

// permuted returns n different numbers in random order.
func permuted(seed uint64, n int) []uint32 {
	keys := make([]uint32, n)
	for i, x := range rand.New(rand.NewPCG(seed, 15)).Perm(n) {
		keys[i] = uint32(x)
	}
	return keys
}

func TestMergeSort(t *testing.T) {
	const top = 1<<32 - 1
	inputs := map[string][]uint32{
		"one":      {7},
		"two":      {9, 2},
		"tile":     drawKeys(1, 256, 20),
		"ragged":   drawKeys(2, 257, 1<<32),
		"highest":  {top, 0, top, top - 1, top},
		"equal":    slices.Repeat([]uint32{top}, 1300),
		"distinct": permuted(3, 1025),
		"skewed":   append(drawKeys(4, 1500, 4), drawKeys(5, 500, 1<<32)...),
		"many":     drawKeys(6, 5000, 300),
	}
	checked := 0
	for _, dev := range appDevices {
		for form, cfg := range tileMethods(appProfile(t, dev), MergeSort) {
			for name, keys := range inputs {
				before := slices.Clone(keys)
				r, err := RunApplication(cfg, AppInput{Keys: keys})
				if err != nil || !r.Correct || r.US <= 0 || r.WarpInstructions == 0 {
					t.Errorf("%s, %s, %s: correct %v, %v us, %v", dev, form, name, r.Correct, r.US, err)
				}
				if !slices.Equal(keys, before) {
					t.Errorf("%s, %s, %s: the keys have changed", dev, form, name)
				}
				checked++
			}
		}
	}
	if want := 3 * 4 * len(inputs); checked != want {
		t.Errorf("%d runs checked, want %d", checked, want)
	}
}

// TestMergeSortFault leaves the merges out, then restores one key less often
// than it occurs: neither may pass for correct.
func TestMergeSortFault(t *testing.T) {
	keys := drawKeys(7, 600, 50)
	d := appProfile(t, "gtx680")
	unmerged := newMergeSorter(AppConfig{Device: d, Original: true}, keys)
	if err := unmerged.sortTiles(); err != nil || unmerged.correct(keys) {
		t.Errorf("tiles that are not merged count as sorted (%v)", err)
	}
	lost := newMergeSorter(AppConfig{Device: d}, keys)
	if err := lost.sortKeys(); err != nil {
		t.Fatal(err)
	}
	lost.Machine.Buffers[lost.freqs].Words[3]--
	if err := lost.restore(); err != nil || lost.correct(keys) {
		t.Errorf("an array that lacks a key counts as restored (%v)", err)
	}
}

// TestMergeSortDirection is [egielski14] section 4: counting duplicates wins
// where there are many, and loses where there are none. On the h200 one wave of
// blocks takes all of so short an array and launches take most of the time, so
// that only the work shows it.
func TestMergeSortDirection(t *testing.T) {
	gain := func(dev string, keys []uint32) (time, work float64) {
		var r [2]AppResult
		for i, form := range []string{"original", "sr"} {
			var err error
			r[i], err = RunApplication(tileMethods(appProfile(t, dev), MergeSort)[form],
				AppInput{Keys: keys})
			if err != nil || !r[i].Correct {
				t.Fatalf("%s, %s: correct %v, %v", dev, form, r[i].Correct, err)
			}
		}
		return r[0].US / r[1].US, float64(r[0].WarpInstructions) / float64(r[1].WarpInstructions)
	}
	for dev, c := range map[string]struct {
		keys  int
		least float64
	}{"gtx680": {1 << 16, 1.2}, "c2075": {1 << 16, 1.2}, "h200": {1 << 14, 0.5}} {
		least := c.least
		few, work := gain(dev, drawKeys(8, c.keys, 16))
		all, _ := gain(dev, permuted(9, 1<<13))
		t.Logf("%s: %.2f times as fast with 16 different keys at 1/%.2f of the work, %.2f times with "+
			"all different", dev, few, work, all)
		if few < least || work < 1.4 {
			t.Errorf("%s: where keys repeat, counting them is %.3f times as fast, want %v, at 1/%.3f of "+
				"the work, want 1/1.4",
				dev, few, least, work)
		}
		if all > 1 || all < 0.5 {
			t.Errorf("%s: counting duplicates is %.3f times as fast where no key repeats, want 0.5 to 1",
				dev, all)
		}
	}
}

func TestMergeSortErrors(t *testing.T) {
	d := appProfile(t, "gtx680")
	for want, c := range map[string]struct {
		cfg AppConfig
		in  AppInput
	}{
		"0 keys": {AppConfig{Device: d}, AppInput{}},
		"method match": {AppConfig{Device: d, Method: variant.Variant{Reduction: variant.Match}},
			AppInput{Keys: []uint32{1}}},
		"method ss": {AppConfig{Device: d, Method: variant.Variant{Scatter: true}},
			AppInput{Keys: []uint32{1}}},
		"no device": {AppConfig{}, AppInput{Keys: []uint32{1}}},
	} {
		c.cfg.Application = MergeSort
		if _, err := RunApplication(c.cfg, c.in); !errors.Is(err, hwsim.ErrStream) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
