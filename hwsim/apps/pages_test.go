package apps

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/variant"
)

// drawViews draws n views: clustered is the chance in 8 that a view repeats the
// one before.
func drawViews(seed uint64, n int, pages, visitors uint64, clustered int) AppInput {
	rng := rand.New(rand.NewPCG(seed, 16))
	in := AppInput{Keys: make([]uint32, n), Others: make([]uint32, n), Bins: pages, Width: visitors}
	for i := range in.Keys {
		in.Keys[i], in.Others[i] = uint32(rng.Uint64N(pages)), uint32(rng.Uint64N(visitors))
		if i > 0 && rng.IntN(8) < clustered {
			in.Keys[i], in.Others[i] = in.Keys[i-1], in.Others[i-1]
		}
	}
	return in
}

// distinctViews are n different views.
func distinctViews(seed uint64, n int, pages uint64) AppInput {
	in := AppInput{Bins: pages, Width: (uint64(n) + pages - 1) / pages}
	for _, x := range permuted(seed, n) {
		in.Keys, in.Others = append(in.Keys, uint32(uint64(x)/in.Width)),
			append(in.Others, uint32(uint64(x)%in.Width))
	}
	return in
}

func TestPageViewCount(t *testing.T) {
	inputs := map[string]AppInput{
		"one": {Keys: []uint32{2}, Others: []uint32{5}, Bins: 4, Width: 6},
		"highest": {Keys: []uint32{65534, 65534}, Others: []uint32{65535, 65535}, Bins: 65535,
			Width: 65536},
		"equal": {Keys: slices.Repeat([]uint32{3}, 1500), Others: slices.Repeat([]uint32{1}, 1500),
			Bins: 5, Width: 2},
		"ragged":    drawViews(1, 1025, 7, 9, 0),
		"clustered": drawViews(2, 3000, 300, 40, 7),
		"distinct":  distinctViews(3, 2500, 60),
		"many":      drawViews(4, 6000, 100, 30, 2),
	}
	checked := 0
	for _, dev := range appDevices {
		for form, cfg := range tileMethods(appProfile(t, dev), PageViewCount) {
			for name, in := range inputs {
				before := [2][]uint32{slices.Clone(in.Keys), slices.Clone(in.Others)}
				r, err := RunApplication(cfg, in)
				if err != nil || !r.Correct || r.US <= 0 || r.WarpInstructions == 0 {
					t.Errorf("%s, %s, %s: correct %v, %v us, %v", dev, form, name, r.Correct, r.US, err)
				}
				if !slices.Equal(in.Keys, before[0]) || !slices.Equal(in.Others, before[1]) {
					t.Errorf("%s, %s, %s: the views have changed", dev, form, name)
				}
				checked++
			}
		}
	}
	if want := 3 * 4 * len(inputs); checked != want {
		t.Errorf("%d runs checked, want %d", checked, want)
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
		for form, cfg := range tileMethods(appProfile(t, dev), PageViewCount) {
			if cfg.Original {
				continue
			}
			a := newPageApp(cfg, in)
			if err := a.makeKeys(); err != nil {
				t.Fatal(err)
			}
			if a.n != uint64(len(seen)) {
				t.Errorf("%s, %s: %d keys are left, want %d", dev, form, a.n, len(seen))
			}
		}
	}
}

// TestPageViewFault loses a key before the sort, and the end of one after it:
// neither may pass for correct.
func TestPageViewFault(t *testing.T) {
	in := distinctViews(6, 700, 9)
	lost := newPageApp(AppConfig{Device: appProfile(t, "c2075")}, in)
	if err := lost.makeKeys(); err != nil {
		t.Fatal(err)
	}
	lost.n--
	if err := lost.sortKeys(); err != nil {
		t.Fatal(err)
	}
	if lost.count(); lost.Err != nil || lost.correct(in) {
		t.Errorf("views without one count as correct (%v)", lost.Err)
	}
	unsorted := newPageApp(AppConfig{Device: appProfile(t, "c2075"), Original: true}, in)
	if err := unsorted.makeKeys(); err != nil {
		t.Fatal(err)
	}
	if unsorted.count(); unsorted.Err != nil || unsorted.correct(in) {
		t.Errorf("views that are not sorted count as correct (%v)", unsorted.Err)
	}
}

// TestPageViewDirection is [egielski14] section 4: dropping duplicates in
// blocks wins where there are many, and costs little where there are none.
func TestPageViewDirection(t *testing.T) {
	const n = 1 << 14
	repeated, distinct := drawViews(7, n, 8, 8, 0), distinctViews(8, n, 100)
	for _, dev := range appDevices {
		forms := tileMethods(appProfile(t, dev), PageViewCount)
		for name, in := range map[string]AppInput{"repeated": repeated, "distinct": distinct} {
			us := map[string]float64{}
			for _, form := range []string{"original", "naive"} {
				r, err := RunApplication(forms[form], in)
				if err != nil || !r.Correct {
					t.Fatalf("%s, %s, %s: correct %v, %v", dev, form, name, r.Correct, err)
				}
				us[form] = r.US
			}
			s := us["original"] / us["naive"]
			t.Logf("%s, %s views: %.1f us, %.1f us, %.2f", dev, name, us["original"], us["naive"], s)
			if name == "repeated" && s < 1.3 {
				t.Errorf("%s: dropping duplicates is %.3f times as fast where views repeat, want more than 1.3",
					dev, s)
			}
			if name == "distinct" && (s > 1 || s < 0.6) {
				t.Errorf("%s: dropping duplicates is %.3f times as fast where none repeats, want 0.6 to 1", dev,
					s)
			}
		}
	}
}

func TestPageViewErrors(t *testing.T) {
	cfg := AppConfig{Device: appProfile(t, "gtx680"), Application: PageViewCount}
	peers := cfg
	peers.Method = variant.Variant{Reduction: variant.Peers}
	one := []uint32{1}
	for want, c := range map[string]struct {
		cfg AppConfig
		in  AppInput
	}{
		"0 keys":                {cfg, AppInput{Bins: 2, Width: 2}},
		"0 visitors for 1 keys": {cfg, AppInput{Keys: one, Bins: 2, Width: 2}},
		"0 pages":               {cfg, AppInput{Keys: one, Others: one, Width: 2}},
		"65536 visitors, want 1 to 65535": {cfg, AppInput{Keys: one, Others: one, Bins: 1 << 16,
			Width: 1 << 16}},
		"0 visitors, want 1 to":   {cfg, AppInput{Keys: one, Others: one, Bins: 2}},
		"is not below 1 pages":    {cfg, AppInput{Keys: one, Others: one, Bins: 1, Width: 2}},
		"is not below 1 visitors": {cfg, AppInput{Keys: one, Others: one, Bins: 2, Width: 1}},
		"method peers":            {peers, AppInput{Keys: one, Others: one, Bins: 2, Width: 2}},
	} {
		if _, err := RunApplication(c.cfg, c.in); !errors.Is(err, hwsim.ErrStream) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
