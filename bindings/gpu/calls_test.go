package gpu_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/standin"
	"github.com/atomtune/atomtune/tuner/plan"
)

// TestWrongCalls: each is one clear error, and nothing is written.
func TestWrongCalls(t *testing.T) {
	onStandin(t)
	d := open(t)
	two := make([]uint64, 2)
	for _, c := range []struct {
		want  error
		words string
		call  func(out []uint64) error
	}{
		{gpu.ErrLength, "3", func(out []uint64) error {
			return gpu.ScatterAdd(t.Context(), out, make([]uint32, 3), two)
		}},
		{gpu.ErrLength, "1", func(out []uint64) error {
			return gpu.FetchAdd(t.Context(), out, two[:1], make([]uint32, 2), two)
		}},
		{gpu.ErrIndex, "update 1 ", func(out []uint64) error {
			return gpu.ScatterAdd(t.Context(), out, []uint32{3, 4}, two)
		}},
		{gpu.ErrIndex, "update 0 ", func([]uint64) error {
			return gpu.Histogram(t.Context(), []int32{}, []uint32{0})
		}},
		{gpu.ErrOptions, "2", func(out []uint64) error {
			return gpu.Histogram(t.Context(), out, nil, gpu.Options{}, gpu.Options{})
		}},
		{gpu.ErrOptions, "fastest", with(t, d, gpu.Options{Implementation: "fastest"})},
		{gpu.ErrOptions, "12", with(t, d, gpu.Options{Launch: "12"})},
		{gpu.ErrOptions, "-1", with(t, d, gpu.Options{Calls: -1})},
		{gpu.ErrOptions, "sort", with(t, d,
			gpu.Options{Implementation: "sort"})},
		{gpu.ErrOptions, "sr+ss", with(t, d, gpu.Options{Implementation: "sr+ss"})},
		{gpu.ErrOptions, "2", with(t, d, gpu.Options{Implementation: "sr", Launch: "1x32x2"})},
		{gpu.ErrOptions, "2048", with(t, d, gpu.Options{Launch: "1x2048"})},
		{nil, "h300", with(t, d, gpu.Options{Profile: "h300"})},
	} {
		out := []uint64{7, 7, 7, 7}
		err := c.call(out)
		if err == nil || c.want != nil && !errors.Is(err, c.want) ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%v, want %v with %q", err, c.want, c.words)
		}
		if !slices.Equal(out, []uint64{7, 7, 7, 7}) {
			t.Errorf("%v: out is %v", err, out)
		}
	}
}

// with returns a call with the options.
func with(t *testing.T, d *gpu.Device, o gpu.Options) func(out []uint64) error {
	o.Device = d
	return func(out []uint64) error { return gpu.Histogram(t.Context(), out, []uint32{1, 3}, o) }
}

// TestNoUpdates: a call without updates needs no GPU and leaves all as it is.
func TestNoUpdates(t *testing.T) {
	out := []float32{1, 2}
	if err := gpu.ScatterAdd(t.Context(), out, nil, nil); err != nil || out[0] != 1 || out[1] != 2 {
		t.Errorf("%v, %v", out, err)
	}
	must.Do(t, gpu.FetchAdd[int64](t.Context(), nil, nil, nil, nil))
}

// TestReadme: what README.md shows of this package is an example that runs.
func TestReadme(t *testing.T) {
	readme := must.Get(os.ReadFile("../../README.md"))(t)
	examples := must.Get(os.ReadFile("example_test.go"))(t)
	_, section, _ := strings.Cut(string(readme), "### From Go on a GPU\n")
	_, code, found := strings.Cut(section, "```go\n")
	code, _, ended := strings.Cut(code, "```\n")
	if !found || !ended || !strings.Contains(code, "gpu.ScatterAdd") ||
		!strings.Contains(string(examples), code) {
		t.Errorf("no example holds\n%s", code)
	}
}

// TestNamedTypes: types made of numbers are added as these.
func TestNamedTypes(t *testing.T) {
	type cents int64
	out := []cents{100, 100}
	err := gpu.ScatterAdd(t.Context(), out, []uint32{1, 1, 0}, []cents{5, -7, 1 << 40})
	if want := []cents{100 + 1<<40, 98}; err != nil || !slices.Equal(out, want) {
		t.Errorf("%v, %v, want %v", out, err, want)
	}
}

// TestChoice: a name comes before a plan, a plan before the tuner's choice, and what serves another
// call is passed over.
func TestChoice(t *testing.T) {
	onStandin(t)
	d := open(t)
	index := make([]uint32, 1<<18)
	for u := range index {
		index[u] = uint32(u*u) % 4096
	}
	choose := func(index []uint32, o gpu.Options) gpu.Choice {
		t.Helper()
		var c gpu.Choice
		o.Device, o.Chosen = d, &c
		must.Do(t, gpu.Histogram(t.Context(), make([]uint32, 4096), index, o))
		return c
	}
	if c := choose(index, gpu.Options{}); !c.Implementation.IsNaive() ||
		!strings.Contains(c.Why, "Stand-in GPU") || c.PredictedUS != 0 {
		t.Errorf("without a profile: %+v", c)
	}
	unseen := choose(index, gpu.Options{Profile: "h200"})
	if !strings.HasPrefix(unseen.Implementation.String(), "private") || unseen.Launch.Threads != 0 {
		t.Errorf("for a call that is worth no sample: %+v", unseen)
	}
	predicted := choose(index, gpu.Options{Profile: "h200", Calls: 1000})
	if !strings.HasPrefix(predicted.Implementation.String(), "private") ||
		predicted.Why != "predicted" || !(predicted.PredictedUS > 0) || predicted.Launch.Threads == 0 {
		t.Errorf("for an H200: %+v", predicted)
	}
	if c := choose(index, gpu.Options{Profile: "a100", Calls: 1000}); !strings.Contains(c.Why, "a100") || !(c.PredictedUS > 0) {
		t.Errorf("by an estimate: %+v", c)
	}
	if c := choose(index, gpu.Options{Profile: "h200", Launch: "7x64"}); c.Launch.String() != "7x64" {
		t.Errorf("in a launch: %+v", c)
	}
	text := must.Get(plan.Put(nil, predicted.Plan))(t)
	plans := gpu.Options{Plans: string(text)}
	if c := choose(index, plans); c.Why != "planned" ||
		c.Implementation != predicted.Implementation || c.Launch != predicted.Launch {
		t.Errorf("with a plan: %+v", c)
	}
	k, _ := kernels.Update(predicted.Implementation, device.Call{Operand: device.One},
		predicted.Launch.Unroll)
	t.Setenv(standin.FaultVariable, "registers:"+k.Name)
	if c := choose(index, gpu.Options{Profile: "h200", Calls: 1000}); c.Launch.Unroll > 1 ||
		c.Implementation != predicted.Implementation {
		t.Errorf("without room for the launch: %+v", c)
	}
	if c := choose(index, plans); c.Why == "planned" {
		t.Errorf("by a plan for which there is no room: %+v", c)
	}
	t.Setenv(standin.FaultVariable, "")
	stale := gpu.Options{Plans: strings.Replace(string(text), "version=", "version=old-", 1)}
	if c := choose(index, stale); c.Why == "planned" {
		t.Errorf("by a plan of another version: %+v", c)
	}
	index[0]++ // is in the sample
	if c := choose(index, plans); c.Why == "planned" {
		t.Errorf("by a plan for another stream: %+v", c)
	}
	plans.Implementation = "match"
	if c := choose(index, plans); c.Why != "named" || c.Implementation.String() != "match" {
		t.Errorf("by a name: %+v", c)
	}
}

// TestGPUSizes: few updates, none for most targets, partial warps and long streams of one target.
func TestGPUSizes(t *testing.T) {
	d := open(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 31, 32, 33, 255, 256, 257, 4097} {
		for _, bins := range []int{1, 2, 33, 5000} {
			s := stream{index: make([]uint32, n), bins: bins}
			for u := range s.index {
				s.index[u] = uint32(r.IntN(bins))
			}
			c := newTrial[float32](r, s)
			for _, o := range []gpu.Options{{Profile: "h200"}, {Implementation: "naive"},
				{Implementation: "hot:s=64,r=4,sample=2048"}, {Implementation: "match"}} {
				o.Device = d
				for operation, call := range c.calls() {
					if err := call(t.Context(), o); err != nil {
						t.Fatalf("%d updates of %d targets: %v", n, bins, err)
					}
					if wrong := c.wrong(operation, true); wrong != "" {
						t.Errorf("%d updates of %d targets, %s, %s: %s", n, bins, o.Implementation,
							operation, wrong)
					}
				}
			}
		}
	}
}

// TestGPUTogether: goroutines share a device.
func TestGPUTogether(t *testing.T) {
	d := open(t)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(5, uint64(g)))
			c := newTrial[uint32](r, stream{index: make([]uint32, 1000+g), bins: 3})
			for range 20 {
				for operation, call := range c.calls() {
					err := call(t.Context(), gpu.Options{Device: d})
					if wrong := c.wrong(operation, true); err != nil || wrong != "" {
						t.Errorf("%s: %v, %s", operation, err, wrong)
					}
				}
			}
		})
	}
	all.Wait()
}

// TestClose: a closed device performs nothing, and closing it again does no harm.
func TestClose(t *testing.T) {
	onStandin(t)
	d, err := gpu.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		must.Do(t, d.Close())
	}
	err = gpu.Histogram(t.Context(), make([]int32, 1), []uint32{0}, gpu.Options{Device: d})
	if !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
}
