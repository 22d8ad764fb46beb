package gpu_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu"
	"github.com/atomtune/atomtune/internal/must"
)

// upload returns a buffer of a device, freed after the test.
func upload[T gpu.Number](t *testing.T, d *gpu.Device, from []T) *gpu.Buffer[T] {
	t.Helper()
	return must.Get(gpu.Upload(t.Context(), d, from))(t)
}

// read returns what a buffer holds.
func read[T gpu.Number](t *testing.T, b *gpu.Buffer[T]) []T {
	t.Helper()
	to := make([]T, b.Len())
	must.Do(t, b.Read(t.Context(), to))
	return to
}

// TestGPUBuffers: calls on buffers follow each other on the device, whatever the types.
func TestGPUBuffers(t *testing.T) {
	d := open(t)
	t.Run("u32", func(t *testing.T) { follow[uint32](t, d) })
	t.Run("i32", func(t *testing.T) { follow[int32](t, d) })
	t.Run("f32", func(t *testing.T) { follow[float32](t, d) })
	t.Run("u64", func(t *testing.T) { follow[uint64](t, d) })
	t.Run("i64", func(t *testing.T) { follow[int64](t, d) })
	t.Run("f64", func(t *testing.T) { follow[float64](t, d) })
}

func follow[T gpu.Number](t *testing.T, d *gpu.Device) {
	r := rand.New(rand.NewPCG(7, 8))
	ctx, o := t.Context(), gpu.Options{Profile: "h200", Calls: 3}
	for _, s := range streams(t) {
		c := newTrial[T](r, s)
		out, index, values := upload(t, d, c.begin), upload(t, d, c.index), upload(t, d, c.values)
		for range 3 {
			must.Do(t, out.ScatterAdd(ctx, index, values, o))
		}
		must.Do(t, out.Histogram(ctx, index, o))
		sums := serial(serial(serial(c.begin, c.index, c.values), c.index, c.values), c.index, c.values)
		sums = serial(sums, c.index, slices.Repeat([]T{1}, len(c.index)))
		if got := read(t, out); !slices.Equal(got, sums) {
			t.Errorf("%s: sums differ", s.name)
		}
		must.Do(t, out.Write(ctx, c.begin))
		old := must.Get(gpu.Zeros[T](ctx, d, len(c.index)))(t)
		must.Do(t, out.FetchAdd(ctx, old, index, values, o))
		c.out, c.old = read(t, out), read(t, old)
		if wrong := c.wrong("fetch", true); wrong != "" {
			t.Errorf("%s: %s", s.name, wrong)
		}
		for _, free := range []error{out.Free(ctx), index.Free(ctx), values.Free(ctx), old.Free(ctx)} {
			if free != nil {
				t.Error(free)
			}
		}
	}
}

// TestGPUIndicesInPlace: indices that a call on the device wrote are checked and looked at anew.
func TestGPUIndicesInPlace(t *testing.T) {
	d, ctx := open(t), t.Context()
	index := upload(t, d, []uint32{0, 1, 1, 2})
	out := upload(t, d, make([]int32, 4))
	var chosen gpu.Choice
	o := gpu.Options{Implementation: "hot:s=64", Chosen: &chosen}
	wide := upload(t, d, make([]int32, 64))
	if err := wide.Histogram(ctx, index, o); err != nil || chosen.Why != "named" {
		t.Fatal(err, chosen)
	}
	counts := upload(t, d, []uint32{0, 0, 0, 0})
	must.Do(t, counts.Histogram(ctx, index))
	for range 2 { // 1, 2, 1, 0 are the indices
		must.Do(t, out.Histogram(ctx, counts))
	}
	if got := read(t, out); !slices.Equal(got, []int32{2, 4, 2, 0}) {
		t.Errorf("%v", got)
	}
	if err := counts.Histogram(ctx, index); err != nil { // 2, 4, 2, 0
		t.Fatal(err)
	}
	if err := out.Histogram(ctx, counts); !errors.Is(err, gpu.ErrIndex) ||
		!strings.Contains(err.Error(), "update 1 ") {
		t.Error(err)
	}
	if got := read(t, out); !slices.Equal(got, []int32{2, 4, 2, 0}) {
		t.Errorf("%v after an index out of range", got)
	}
	must.Do(t, counts.Clear(ctx))
	must.Do(t, out.Histogram(ctx, counts))
	if got := read(t, out); !slices.Equal(got, []int32{6, 4, 2, 0}) {
		t.Errorf("%v after all indices are 0", got)
	}
}

// TestGPUManyTargets: of 2^31 targets and more on a real GPU, those of the updates change alone.
func TestGPUManyTargets(t *testing.T) {
	d, ctx := open(t), t.Context()
	bins := 1<<20 + 5
	if real {
		bins = 1<<31 + 5
	}
	last := uint32(bins - 1)
	index := upload(t, d, []uint32{last, 0, last, last - 4, last / 2})
	want := map[uint32]uint32{0: 1, last: 2, last - 4: 1, last / 2: 1}
	out := must.Get(gpu.Zeros[uint32](ctx, d, bins))(t)
	for _, name := range []string{"naive", "match", "sr", "hot:s=64,sample=2048", ""} {
		o := gpu.Options{Implementation: name, Profile: "h200"}
		must.Do(t, out.Histogram(ctx, index, o))
	}
	for k, n := range read(t, out) {
		if n > 0 && n != 5*want[uint32(k)] {
			t.Fatalf("target %d is %d after 5 calls", k, n)
		}
		if n > 0 {
			delete(want, uint32(k))
		}
	}
	if len(want) > 0 {
		t.Errorf("no update of %v has arrived", want)
	}
}

// TestWrongBuffers: each is one clear error.
func TestWrongBuffers(t *testing.T) {
	onStandin(t)
	d, other, ctx := open(t), open(t), t.Context()
	out, index := upload(t, d, make([]uint32, 4)), upload(t, d, make([]uint32, 3))
	values, foreign := upload(t, d, make([]uint32, 2)), upload(t, other, make([]uint32, 3))
	freed := upload(t, d, make([]uint32, 3))
	must.Do(t, freed.Free(ctx))
	_, below := gpu.Zeros[float32](ctx, d, -1)
	_, large := gpu.Zeros[float64](ctx, d, 1<<40)
	_, wrapped := gpu.Zeros[float64](ctx, d, 1<<61+1)
	_, narrow := gpu.Zeros[int32](ctx, d, 1<<62)
	for _, c := range []struct {
		err, want error
		words     string
	}{
		{out.ScatterAdd(ctx, index, values), gpu.ErrLength, "3"},
		{out.FetchAdd(ctx, values, index, freed), gpu.ErrBuffer, ""},
		{out.ScatterAdd(ctx, index, freed), gpu.ErrBuffer, ""},
		{freed.Free(ctx), gpu.ErrBuffer, ""},
		{out.Histogram(ctx, foreign), gpu.ErrBuffer, ""},
		{index.ScatterAdd(ctx, index, index), gpu.ErrBuffer, ""},
		{out.FetchAdd(ctx, index, index, index), gpu.ErrBuffer, ""},
		{out.FetchAdd(ctx, out, index, index), gpu.ErrBuffer, ""},
		{out.Histogram(ctx, index, gpu.Options{Device: other}), gpu.ErrOptions, ""},
		{out.Histogram(ctx, index, gpu.Options{Launch: "x"}), gpu.ErrOptions, "Launch"},
		{out.Write(ctx, make([]uint32, 5)), gpu.ErrLength, "5"},
		{out.Read(ctx, nil), gpu.ErrLength, "0"},
		{below, gpu.ErrLength, "-1"},
		{large, gpu.ErrMemory, "8192"},
		{wrapped, gpu.ErrLength, "2305843009213693953"},
		{narrow, gpu.ErrLength, "4611686018427387904"},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(c.err.Error(), c.words) {
			t.Errorf("%v, want %v with %q", c.err, c.want, c.words)
		}
	}
	if got := read(t, out); !slices.Equal(got, make([]uint32, 4)) {
		t.Errorf("%v after calls that failed", got)
	}
	if err := out.ScatterAdd(ctx, index, index); err != nil { // both are read alone
		t.Error(err)
	}
}
