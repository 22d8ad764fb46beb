package gpu_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/bindings/gpu"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/standin"
	"github.com/atomtune/atomtune/tuner/plan"
)

// logged returns the lines of the stand-in's log that begin with a word, without it, while a job is done.
func logged(t *testing.T, word string, job func()) (list []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	t.Setenv(standin.LogVariable, path)
	job()
	t.Setenv(standin.LogVariable, "")
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if after, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), word+" "); ok {
			list = append(list, after)
		}
	}
	return list
}

// hotStream has one target in half of its updates, of 4096.
func hotStream() []uint32 {
	index := make([]uint32, 1<<14)
	for u := range index {
		index[u] = uint32(u%2*u*u) % 4096
	}
	return index
}

// TestFixedLaunch: the launch that the options fix is that of the kernel, whether the implementation is
// named, predicted or plain atomics, and no other one is searched.
func TestFixedLaunch(t *testing.T) {
	onStandin(t)
	d, index := open(t), hotStream()
	predicted := gpu.Options{Profile: "h200", Calls: 1000, Launch: "7x1024x4"}
	var chosen gpu.Choice
	predicted.Device, predicted.Chosen = d, &chosen
	must.Do(t, gpu.Histogram(t.Context(), make([]uint32, 4096), index, predicted))
	k, _ := kernels.Update(chosen.Implementation, device.Call{Operand: device.One}, 4)
	for _, c := range []struct {
		o             gpu.Options
		fault, launch string
	}{
		{gpu.Options{Implementation: "match", Launch: "7x64"}, "", "update_match_u32_one 7 64 "},
		{gpu.Options{Implementation: "private:r=2", Launch: "5x96x4"}, "", "update_private_naive_u32_one_x4 5 96 "},
		{gpu.Options{Launch: "3x32"}, "", "update_naive_u32_one 3 32 "}, // there is no profile
		{predicted, "", k.Name + " 7 1024 "},
		{predicted, "registers:" + k.Name, "update_naive_u32_one_x4 7 1024 "}, // there is no room
	} {
		t.Setenv(standin.FaultVariable, c.fault)
		c.o.Device, c.o.Chosen = d, &chosen
		launches := logged(t, "launch", func() {
			must.Do(t, gpu.Histogram(t.Context(), make([]uint32, 4096), index, c.o))
		})
		if len(launches) != 1 || !strings.HasPrefix(launches[0], c.launch) || chosen.Launch.String() != c.o.Launch {
			t.Errorf("%+v: %q in %v, want %q", c.o, launches, chosen.Launch, c.launch)
		}
	}
}

// TestPlans: the plan of a call is for this very call, and runs in its launch.
func TestPlans(t *testing.T) {
	onStandin(t)
	d, ctx := open(t), t.Context()
	index := []uint32{3, 1, 3}
	var c gpu.Choice
	o := gpu.Options{Device: d, Chosen: &c, Implementation: "match", Launch: "5x64"}
	fetch := func() error {
		return gpu.FetchAdd(ctx, make([]float64, 4), make([]float64, 3), index, make([]float64, 3), o)
	}
	for _, call := range []struct {
		does device.Call
		make func() error
	}{
		{device.Call{Type: device.U64}, func() error { return gpu.ScatterAdd(ctx, make([]uint64, 4), index, make([]uint64, 3), o) }},
		{device.Call{Type: device.I32, Operand: device.One}, func() error { return gpu.Histogram(ctx, make([]int32, 4), index, o) }},
		{device.Call{Type: device.F64, Returns: true}, fetch},
	} {
		want := plan.Plan{Key: plan.Key{Device: d.Name(), Version: plan.Version, Type: call.does.Type,
			Operand: call.does.Operand, Returns: call.does.Returns, Updates: 3, Bins: 4,
			Sample: plan.Sample(3, func(u uint64) uint32 { return index[u] })},
			Implementation: impl.Spec{Reduction: impl.Match}, Launch: device.Launch{Blocks: 5, Threads: 64}}
		must.Do(t, call.make())
		if diff := cmp.Diff(want, c.Plan); diff != "" {
			t.Errorf("%+v:\n%s", call.does, diff)
		}
	}
	o = gpu.Options{Device: d, Chosen: &c, Plans: string(must.Get(plan.Put(nil, c.Plan))(t))}
	launches := logged(t, "launch", func() { must.Do(t, fetch()) })
	if c.Why != "planned" || len(launches) != 1 || !strings.HasPrefix(launches[0], "update_match_old_f64_loaded 5 64 ") {
		t.Errorf("%+v: %q", c, launches)
	}
}

// TestProfileFile: a profile is read once, also where it comes from a file.
func TestProfileFile(t *testing.T) {
	onStandin(t)
	d := open(t)
	path := filepath.Join(t.TempDir(), "mine.json")
	must.Do(t, os.WriteFile(path, must.Get(must.Get(device.Builtin("h200"))(t).Encode())(t), 0o600))
	for _, launch := range []string{"", "5x64", "6x64"} {
		must.Do(t, gpu.Histogram(t.Context(), make([]uint32, 4), []uint32{3}, gpu.Options{Device: d, Profile: path, Launch: launch}))
		must.Do(t, os.RemoveAll(path))
	}
}

// TestLengths: values and old values are as many as the indices, neither fewer nor more.
func TestLengths(t *testing.T) {
	onStandin(t)
	d, ctx := open(t), t.Context()
	index := []uint32{1, 0}
	o, at := gpu.Options{Device: d, Implementation: "naive"}, upload(t, d, index)
	fits := func(what string, fits bool, calls ...error) {
		t.Helper()
		for i, err := range calls {
			if fits != (err == nil) || !fits && !errors.Is(err, gpu.ErrLength) {
				t.Errorf("%s, call %d: %v", what, i, err)
			}
		}
	}
	for n := 1; n < 4; n++ {
		out, some := []int64{7, 8}, make([]int64, n)
		there, more, two := upload(t, d, out), upload(t, d, some), upload(t, d, out)
		fits("values", n == 2, gpu.ScatterAdd(ctx, out, index, some, o), there.ScatterAdd(ctx, at, more))
		fits("values and old values", n == 2, gpu.FetchAdd(ctx, out, make([]int64, 2), index, some, o),
			there.FetchAdd(ctx, two, at, more))
		fits("old values", n == 2, gpu.FetchAdd(ctx, out, some, index, make([]int64, 2), o),
			there.FetchAdd(ctx, more, at, upload(t, d, make([]int64, 2))))
		fits("a slice and a buffer", n == 2, there.Read(ctx, make([]int64, n)), two.Write(ctx, some))
		if got := read(t, there); n != 2 && (!slices.Equal(got, []int64{7, 8}) || !slices.Equal(out, got)) {
			t.Errorf("of %d values: %v, %v", n, out, got)
		}
	}
}

// TestBuffersOfAllTypes: Clear, Write and Read are of all elements, however wide, and of none.
func TestBuffersOfAllTypes(t *testing.T) {
	onStandin(t)
	d := open(t)
	cleared[uint32](t, d)
	cleared[float64](t, d)
}

func cleared[T gpu.Number](t *testing.T, d *gpu.Device) {
	t.Helper()
	for _, n := range []int{0, 1, 5} {
		b := must.Get(gpu.Zeros[T](t.Context(), d, n))(t)
		if got := read(t, b); len(got) != n || slices.ContainsFunc(got, func(v T) bool { return v != 0 }) {
			t.Errorf("zeros are %v", got)
		}
		ones := slices.Repeat([]T{1}, n)
		must.Do(t, b.Write(t.Context(), ones))
		if got := read(t, b); !slices.Equal(got, ones) {
			t.Errorf("ones are %v", got)
		}
		must.Do(t, b.Clear(t.Context()))
		if got := read(t, b); !slices.Equal(got, make([]T, n)) {
			t.Errorf("cleared are %v", got)
		}
	}
}

// TestFewUpdates: a call on buffers with one update makes it, and one without any chooses nothing.
func TestFewUpdates(t *testing.T) {
	onStandin(t)
	d := open(t)
	for n := range 2 {
		out, index := must.Get(gpu.Zeros[uint32](t.Context(), d, 2))(t), upload(t, d, make([]uint32, n))
		var c gpu.Choice
		must.Do(t, out.Histogram(t.Context(), index, gpu.Options{Implementation: "naive", Chosen: &c}))
		if got := read(t, out); got[0] != uint32(n) || (c.Why == "") != (n == 0) {
			t.Errorf("%d updates: %v by %+v", n, got, c)
		}
	}
}

// TestKeptChoices: what is kept of indices on the device serves calls of the same kind on the same targets
// alone, and no longer than the indices stay.
func TestKeptChoices(t *testing.T) {
	onStandin(t)
	d, ctx := open(t), t.Context()
	index := upload(t, d, []uint32{5, 3, 3})
	six, five := must.Get(gpu.Zeros[uint32](ctx, d, 6))(t), must.Get(gpu.Zeros[uint32](ctx, d, 5))(t)
	var c gpu.Choice
	for _, name := range []string{"naive", "match", "hot:s=64", "naive"} {
		must.Do(t, six.Histogram(ctx, index, gpu.Options{Implementation: name, Chosen: &c}))
		if c.Implementation.String() != name || c.Plan.Operand != device.One {
			t.Errorf("%+v, want %s", c, name)
		}
		must.Do(t, six.ScatterAdd(ctx, index, upload(t, d, make([]uint32, 3)), gpu.Options{Implementation: name, Chosen: &c}))
		if c.Implementation.String() != name || c.Plan.Operand != device.Loaded {
			t.Errorf("%+v, want %s", c, name)
		}
		if err := five.Histogram(ctx, index, gpu.Options{Implementation: name}); !errors.Is(err, gpu.ErrIndex) {
			t.Errorf("target 5 of 5: %v", err)
		}
	}
	must.Do(t, index.Write(ctx, []uint32{5, 6, 3}))
	if err := six.Histogram(ctx, index, gpu.Options{Implementation: "naive"}); !errors.Is(err, gpu.ErrIndex) {
		t.Errorf("indices that were written: %v", err)
	}
	if got := read(t, six); !slices.Equal(got, []uint32{0, 0, 0, 8, 0, 4}) {
		t.Errorf("%v", got)
	}
}

// TestLaunchesServed: a choice on a buffer serves 1,000 calls and one on a slice a single one, unless the
// options say otherwise: for one call no sample is worth its time, and no launch is searched.
func TestLaunchesServed(t *testing.T) {
	onStandin(t)
	d, ctx := open(t), t.Context()
	stream := slices.Repeat(hotStream(), 16)
	index, out := upload(t, d, stream), must.Get(gpu.Zeros[uint32](ctx, d, 4096))(t)
	for _, c := range []struct{ slice, buffer int }{{1000, 0}, {0, 1}, {1, 1}, {1000, 1000}} {
		var on, off gpu.Choice
		must.Do(t, gpu.Histogram(ctx, make([]uint32, 4096), stream, gpu.Options{Device: d, Profile: "h200",
			Calls: c.slice, Chosen: &off}))
		must.Do(t, out.Histogram(ctx, index, gpu.Options{Profile: "h200", Calls: c.buffer, Chosen: &on}))
		if on.Implementation != off.Implementation || on.Launch != off.Launch || on.PredictedUS != off.PredictedUS ||
			(on.Launch.Threads > 0) != (max(c.slice, c.buffer) > 1) {
			t.Errorf("%+v: %+v and %+v", c, on, off)
		}
	}
}

// TestMemory: calls and buffers give back what they take.
func TestMemory(t *testing.T) {
	onStandin(t)
	d, ctx := open(t), t.Context()
	job := func() {
		index, values, old := []uint32{0, 2}, []uint64{1, 2}, make([]uint64, 2)
		for _, name := range []string{"naive", "hot:s=64", "hot:s=64,sample=2048"} {
			must.Do(t, gpu.FetchAdd(ctx, make([]uint64, 3), old, index, values, gpu.Options{Device: d, Implementation: name}))
			must.Do(t, gpu.Histogram(ctx, make([]uint32, 3), index, gpu.Options{Device: d, Implementation: name}))
		}
		b := upload(t, d, values)
		must.Do(t, b.ScatterAdd(ctx, upload(t, d, []uint32{0, 0}), upload(t, d, values)))
		must.Do(t, b.Free(ctx))
	}
	taken, back := logged(t, "alloc", job), logged(t, "free", job)
	if len(taken) < 20 || len(back)+2 != len(taken) { // of the buffers one is freed
		t.Errorf("%d pieces of memory were taken and %d given back", len(taken), len(back))
	}
}
