package apps

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
)

// appDevices are the devices of [egielski14], and one with native atomics for
// doubles and in shared memory.
var appDevices = []string{"gtx680", "c2075", "h200"}

func appProfile(t testing.TB, name string) *device.Profile {
	t.Helper()
	p, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// appForm is one form of an application.
type appForm struct {
	original bool
	level    Level
	method   impl.Spec
}

func (f appForm) String() string {
	if f.original {
		return fmt.Sprintf("original level %d", f.level)
	}
	return fmt.Sprintf("%s level %d", f.method, f.level)
}

// run runs one form of an application and demands the right output, and its input as it was.
func (f appForm) run(t *testing.T, cfg AppConfig, in AppInput) AppResult {
	t.Helper()
	cfg.Original, cfg.Level, cfg.Method = f.original, f.level, f.method
	keys, others := slices.Clone(in.Keys), slices.Clone(in.Others)
	r, err := RunApplication(cfg, in)
	if err != nil || !r.Correct || !(r.US > 0) || r.WarpInstructions == 0 || len(r.Kernels) == 0 ||
		!slices.Equal(keys, in.Keys) || !slices.Equal(others, in.Others) {
		t.Fatalf("application %d, %s %s of %d elements, %d targets on %s: %+v, %v", cfg.Application, f, cfg.Type,
			len(in.Keys), in.Bins, cfg.Device.Name, r, err)
	}
	return r
}

// formsOf lists the forms of an application.
func formsOf(a Application) []appForm {
	forms := []appForm{{original: true}}
	switch a {
	case Histogram:
		forms = append(forms, appForm{original: true, level: ThreadPrivate})
		for _, level := range []Level{NoPrivate, BlockPrivate, WarpPrivate} {
			for _, m := range reductions {
				forms = append(forms, appForm{level: level, method: m})
			}
		}
		return forms
	case SpMV:
		for _, m := range []impl.Spec{methodNaive, methodSR, methodVR, methodSS, methodSRSS,
			{Reduction: impl.VR, Samples: 2}} {
			forms = append(forms, appForm{method: m})
		}
		return forms
	}
	return append(forms, appForm{}, appForm{method: methodSR}, appForm{method: methodVR})
}

// typesOf lists the element types of an application.
func typesOf(a Application) []device.Type {
	switch a {
	case SpMV:
		return []device.Type{device.F32, device.F64}
	case Summation:
		return []device.Type{device.F32, device.F64, device.I32}
	}
	return []device.Type{device.U32}
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

// appMatrix draws a matrix of n elements.
func appMatrix(kind string, n int, rows, columns uint64) AppInput {
	return AppInput{Keys: slices.Sorted(slices.Values(appKeys(kind, n, rows))),
		Others: appKeys("uniform", n, columns), Bins: rows, Width: columns}
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

// sizes are one element, less than a warp, a warp and more, and a few blocks with
// a rest.
var sizes = []int{1, 7, 32, 65, 1511}

// inputsOf are inputs at the edges of warps, blocks and tiles, and some at random.
func inputsOf(a Application) (list []AppInput) {
	const top = 1<<32 - 1
	switch a {
	case Histogram:
		for _, n := range sizes {
			for _, kind := range []string{"equal", "uniform", "clustered"} {
				list = append(list, AppInput{Keys: appKeys(kind, n, 256), Bins: 256})
			}
		}
		for _, bins := range []uint64{1, 3, 40} {
			list = append(list, AppInput{Keys: appKeys("clustered", 65, bins), Bins: bins})
		}
	case SpMV:
		for _, n := range sizes {
			list = append(list, appMatrix("equal", n, 5, 9), appMatrix("uniform", n, 1, 1),
				appMatrix("uniform", n, 40, 3000), appMatrix("uniform", n, 6000, 50))
		}
	case Summation:
		for _, n := range append(sizes, 511, 512, 513) {
			for _, bins := range []uint64{1, 2, 31, 1000, 3001} {
				list = append(list, AppInput{Keys: make([]uint32, n), Bins: bins})
			}
		}
	case MergeSort:
		for _, keys := range [][]uint32{{7}, {9, 2}, drawKeys(1, 256, 20), drawKeys(2, 257, 1<<32),
			{top, 0, top, top - 1, top}, slices.Repeat([]uint32{top}, 1300), permuted(3, 1025),
			append(drawKeys(4, 1500, 4), drawKeys(5, 500, 1<<32)...)} {
			list = append(list, AppInput{Keys: keys})
		}
	case PageViewCount:
		return []AppInput{{Keys: []uint32{2}, Others: []uint32{5}, Bins: 4, Width: 6},
			{Keys: []uint32{65534, 65534}, Others: []uint32{65535, 65535}, Bins: 65535, Width: 65536},
			{Keys: slices.Repeat([]uint32{3}, 1500), Others: slices.Repeat([]uint32{1}, 1500), Bins: 5, Width: 2},
			drawViews(1, 1025, 7, 9, 0), drawViews(2, 3000, 300, 40, 7), distinctViews(3, 2500, 60)}
	}
	return list
}

// TestApplications runs all forms of all applications, some on warps of 64 lanes, where tags have a bit
// more and segments one distance more.
func TestApplications(t *testing.T) {
	checked := map[Application]int{}
	for a := Histogram; a <= Summation; a++ {
		for d, name := range append(appDevices, "hd5870") {
			p := *appProfile(t, name)
			wide := name == "hd5870"
			if wide {
				p.Core.MaxThreadsPerBlock.Value = 512 // as CUSP's product needs
			}
			for _, typ := range typesOf(a) {
				if wide && (a == MergeSort || a == PageViewCount || p.GlobalAtomic(typ).Mechanism == device.Absent) {
					continue
				}
				for i, in := range inputsOf(a) {
					if len(in.Keys) > 300 && a != SpMV && a != Summation && i%len(appDevices) != d && name != "gtx680" {
						continue // the longer ones in turns
					}
					for _, f := range formsOf(a) {
						if wide && f.level == ThreadPrivate && in.Bins > 40 {
							continue // do not fit
						}
						f.run(t, AppConfig{Device: &p, Application: a, Type: typ, Seed: 3}, in)
						checked[a]++
					}
				}
			}
		}
		if checked[a] < 50 {
			t.Errorf("application %d: %d runs", a, checked[a])
		}
	}
}

// TestApplicationErrors: what an application does not take is refused.
func TestApplicationErrors(t *testing.T) {
	h200, gtx680 := appProfile(t, "h200"), appProfile(t, "gtx680")
	one, two := []uint32{0}, []uint32{0, 1}
	pixel, large := AppInput{Keys: one, Bins: 1}, AppInput{Keys: one, Bins: 1 << 20}
	matrix := func(rows, columns []uint32, n, width uint64) AppInput {
		return AppInput{Keys: rows, Others: columns, Bins: n, Width: width}
	}
	spmv := AppConfig{Device: h200, Application: SpMV, Type: device.F32}
	pages := AppConfig{Device: gtx680, Application: PageViewCount}
	sums := AppConfig{Device: h200, Application: Summation}
	sort := AppConfig{Device: gtx680, Application: MergeSort}
	with := func(cfg AppConfig, method impl.Spec) AppConfig {
		cfg.Method = method
		return cfg
	}
	for _, c := range []struct {
		cfg   AppConfig
		in    AppInput
		is    error
		names string
	}{
		{AppConfig{}, pixel, hwsim.ErrStream, "device"},
		{AppConfig{Application: MergeSort}, pixel, hwsim.ErrStream, "device"},
		{AppConfig{Device: h200, Application: 9}, pixel, hwsim.ErrStream, "9"},
		{AppConfig{Device: h200, Level: 3}, pixel, hwsim.ErrStream, "3"},
		{AppConfig{Device: h200, Type: device.F32}, pixel, hwsim.ErrStream, "f32"},
		{AppConfig{Device: h200}, AppInput{Bins: 1}, hwsim.ErrStream, ""},
		{AppConfig{Device: h200}, AppInput{Keys: one}, hwsim.ErrStream, ""},
		{AppConfig{Device: h200}, AppInput{Keys: []uint32{0, 4}, Bins: 4}, hwsim.ErrStream, "4"},
		{AppConfig{Device: h200, Method: methodSS}, pixel, hwsim.ErrStream, "ss"},
		{AppConfig{Device: h200, Method: impl.Spec{Algorithm: 9}}, pixel, hwsim.ErrStream, ""},
		{AppConfig{Device: gtx680, Level: BlockPrivate}, large, device.ErrCannot, ""},
		{AppConfig{Device: gtx680, Level: WarpPrivate}, large, device.ErrCannot, ""},
		{AppConfig{Device: gtx680, Original: true}, large, device.ErrCannot, "1048576"},
		{AppConfig{Device: gtx680, Original: true, Level: ThreadPrivate}, large, device.ErrCannot, "1048576"},
		{AppConfig{Device: appProfile(t, "hd5870"), Application: SpMV, Type: device.F32, Original: true},
			appMatrix("uniform", 200, 5, 5), device.ErrCannot, "512"},
		{AppConfig{Device: h200, Application: SpMV}, matrix(two, two, 2, 2), hwsim.ErrStream, "u32"},
		{spmv, matrix(nil, nil, 2, 2), hwsim.ErrStream, ""},
		{spmv, matrix(two, two[:1], 2, 2), hwsim.ErrStream, ""},
		{spmv, matrix(two, two, 0, 2), hwsim.ErrStream, ""},
		{spmv, matrix(two, two, 2, 0), hwsim.ErrStream, ""},
		{spmv, matrix([]uint32{1, 0}, two, 2, 2), hwsim.ErrStream, ""},
		{spmv, matrix(two, two, 1, 2), hwsim.ErrStream, ""},
		{spmv, matrix(two, two, 2, 1), hwsim.ErrStream, ""},
		{with(spmv, impl.Spec{Algorithm: impl.Private}), matrix(two, two, 2, 2), hwsim.ErrStream, "private"},
		{sort, AppInput{}, hwsim.ErrStream, ""},
		{with(sort, impl.Spec{Reduction: impl.Match}), pixel, hwsim.ErrStream, "match"},
		{with(sort, methodSS), pixel, hwsim.ErrStream, "ss"},
		{pages, matrix(nil, nil, 2, 2), hwsim.ErrStream, ""},
		{pages, matrix(one, nil, 2, 2), hwsim.ErrStream, ""},
		{pages, matrix(one, one, 0, 2), hwsim.ErrStream, ""},
		{pages, matrix(one, one, 2, 0), hwsim.ErrStream, ""},
		{pages, matrix(one, one, 1<<16, 1<<16), hwsim.ErrStream, "65536"},
		{pages, matrix([]uint32{1}, one, 1, 2), hwsim.ErrStream, ""},
		{pages, matrix(one, []uint32{1}, 2, 1), hwsim.ErrStream, ""},
		{with(pages, impl.Spec{Reduction: impl.Peers}), matrix(one, one, 2, 2), hwsim.ErrStream, "peers"},
		{sums, AppInput{Bins: 1}, hwsim.ErrStream, ""},
		{sums, AppInput{Keys: one}, hwsim.ErrStream, ""},
		{AppConfig{Device: h200, Application: Summation, Type: 9}, pixel, device.ErrType, "9"},
		{with(sums, methodSS), pixel, hwsim.ErrStream, "ss"},
	} {
		if _, err := RunApplication(c.cfg, c.in); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%+v of %+v: error %v, want %v of %q", c.cfg, c.in, err, c.is, c.names)
		}
	}
}
