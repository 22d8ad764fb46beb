package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu"
	"github.com/atomtune/atomtune/impl"
)

// implementations are all that have kernels, one of each implementation with four iterations at once too.
func implementations() (list []gpu.Options) {
	var seen []impl.Spec
	for _, v := range slices.Concat(impl.Candidates(), impl.Sized(), impl.Tables(),
		impl.SampledTables(), impl.RangedCopies()) {
		if v.Scatter || v.Reorders() || v.NeedsGrouped() || slices.Contains(seen, v) ||
			v.Algorithm == impl.Coordinator {
			continue
		}
		seen = append(seen, v)
		list = append(list, gpu.Options{Implementation: v.String()})
	}
	for _, name := range []string{"naive", "match", "private:r=4,pad=1", "hot:s=64,r=4"} {
		list = append(list, gpu.Options{Implementation: name, Launch: "132x1024x4"})
	}
	return append(list, gpu.Options{}, gpu.Options{Profile: "h200"})
}

// TestGPU: every implementation leaves what a serial loop does, for every type of element: of
// loaded values, of ones, and with old values. What does not fit is refused and leaves all as it
// was.
func TestGPU(t *testing.T) {
	d := open(t)
	t.Log(d.Name())
	t.Run("u32", func(t *testing.T) { everything[uint32](t, d) })
	t.Run("i32", func(t *testing.T) { everything[int32](t, d) })
	t.Run("f32", func(t *testing.T) { everything[float32](t, d) })
	t.Run("u64", func(t *testing.T) { everything[uint64](t, d) })
	t.Run("i64", func(t *testing.T) { everything[int64](t, d) })
	t.Run("f64", func(t *testing.T) { everything[float64](t, d) })
}

func everything[T gpu.Number](t *testing.T, d *gpu.Device) {
	r := rand.New(rand.NewPCG(1, 2))
	done, refused := map[string]int{}, 0
	for _, s := range streams(t) {
		c := newTrial[T](r, s)
		for _, o := range implementations() {
			o.Device, o.Chosen = d, new(gpu.Choice)
			for operation, call := range c.calls() {
				err := call(t.Context(), o)
				switch {
				case err == nil:
					done[operation]++
				case o.Implementation != "" && errors.Is(err, gpu.ErrOptions):
					refused++
				default:
					t.Fatalf("%s, %s, %s: %v", s.name, o.Implementation, operation, err)
				}
				if wrong := c.wrong(operation, err == nil); wrong != "" {
					t.Fatalf("%s, %s (%s %s), %s: %s", s.name, o.Implementation,
						o.Chosen.Implementation, o.Chosen.Launch, operation, wrong)
				}
			}
		}
	}
	t.Logf("%v calls are right, %d are refused", done, refused)
	if least := 8 * 40; done["add"] < least || done["histogram"] < least || done["fetch"] < 8*10 {
		t.Errorf("only %v calls were performed", done)
	}
}

// trial is a call with what it must leave.
type trial[T gpu.Number] struct {
	stream
	begin, values []T
	sums, counts  []T // after the call
	out, old      []T
}

func newTrial[T gpu.Number](r *rand.Rand, s stream) *trial[T] {
	c := &trial[T]{stream: s, begin: wholes[T](r, s.bins), values: wholes[T](r, len(s.index))}
	ones := slices.Repeat([]T{1}, len(s.index))
	c.sums, c.counts = serial(c.begin, s.index, c.values), serial(c.begin, s.index, ones)
	c.out, c.old = make([]T, s.bins), make([]T, len(s.index))
	return c
}

type call func(ctx context.Context, o gpu.Options) error

// calls are the three operations, on targets as they were.
func (c *trial[T]) calls() map[string]call {
	return map[string]call{
		"add": func(ctx context.Context, o gpu.Options) error {
			copy(c.out, c.begin)
			return gpu.ScatterAdd(ctx, c.out, c.index, c.values, o)
		},
		"histogram": func(ctx context.Context, o gpu.Options) error {
			copy(c.out, c.begin)
			return gpu.Histogram(ctx, c.out, c.index, o)
		},
		"fetch": func(ctx context.Context, o gpu.Options) error {
			copy(c.out, c.begin)
			clear(c.old)
			return gpu.FetchAdd(ctx, c.out, c.old, c.index, c.values, o)
		},
	}
}

// wrong says what a call left wrong.
func (c *trial[T]) wrong(operation string, performed bool) string {
	want := map[string][]T{"add": c.sums, "histogram": c.counts, "fetch": c.sums}[operation]
	if !performed {
		want = c.begin
	}
	for k, v := range want {
		if c.out[k] != v {
			return fmt.Sprintf("target %d is %v, want %v", k, c.out[k], v)
		}
	}
	if operation != "fetch" || !performed {
		return ""
	}
	return c.disorder()
}

// disorder says whether the old values are those of a serial order: then each update of a target
// leads from what it found to what another one found, and the sums over a hash of these states
// leave the first and the last.
func (c *trial[T]) disorder() string {
	var sum uint64
	for u, k := range c.index {
		sum += state(k, c.old[u]+c.values[u]) - state(k, c.old[u])
	}
	for k := range c.begin {
		sum -= state(uint32(k), c.sums[k]) - state(uint32(k), c.begin[k])
	}
	if sum != 0 {
		return "the old values are those of no serial order"
	}
	return ""
}

// state is a hash of a target and what it holds, a whole number.
func state[T gpu.Number](target uint32, value T) uint64 {
	z := uint64(value)*0x9e3779b97f4a7c15 + uint64(target)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
