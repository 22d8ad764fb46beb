package kernels_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

// recorder is a GPU that notes what is launched on it.
type recorder struct {
	driver.GPU
	launches []string
	next     uint64
	resident int
}

type named struct{ module, name string }

func (k named) Name() string   { return k.name }
func (k named) Module() string { return k.module }

func (r *recorder) Kernel(module, name string) (driver.Kernel, error) {
	return named{module, name}, nil
}

func (r *recorder) Alloc(bytes uint64) (driver.Memory, error) {
	r.next += 1 << 20
	return driver.Memory{Address: r.next, Bytes: bytes}, nil
}

func (r *recorder) Free(driver.Memory) {}

func (r *recorder) Resident(driver.Kernel, int, uint64) (int, error) { return r.resident, nil }

func (r *recorder) Launch(k driver.Kernel, l device.Shape, args ...any) error {
	r.launches = append(r.launches, fmt.Sprintf("%s/%s %s %v", k.Module(), k.Name(), l.Recorded(), args))
	return nil
}

var h200 = driver.Description{Major: 9, Attributes: []driver.Attribute{
	{Name: "sm_count", Value: 132}, {Name: "warp_lanes", Value: 32},
	{Name: "max_threads_per_sm", Value: 2048}, {Name: "max_blocks_per_sm", Value: 32},
	{Name: "max_threads_per_block", Value: 1024}, {Name: "shared_bytes_per_sm", Value: 233472},
	{Name: "shared_bytes_per_block", Value: 232448},
}}

// TestPrepare: the kernels of each kind of implementation, in their order, with what they take.
func TestPrepare(t *testing.T) {
	memory := func(at uint64) driver.Memory { return driver.Memory{Address: at, Bytes: 8} }
	for _, c := range []struct {
		name  string
		does  device.Call
		fixed device.Launch
		want  []string
	}{
		{"naive", device.Call{Type: device.I32, Operand: device.One}, device.Launch{}, []string{
			"calls_u32/update_naive_u32_one 264x256+0 [{1 8} {3 8} 100000]"}},
		{"naive", device.Call{Type: device.U32}, device.Launch{Blocks: 3000}, []string{
			"calls_u32/update_naive_u32_loaded 3000x256+0 [{1 8} {3 8} {4 8} 100000]"}},
		{"peers:masks=hash", device.Call{Type: device.F64, Operand: device.One}, device.Launch{}, []string{
			"calls_hash_f64/update_peers_hash_f64_one 264x256+4096 [{1 8} {3 8} 100000]"}},
		{"sr:scope=block", device.Call{Type: device.F64, Operand: device.One}, device.Launch{}, []string{
			"calls_block_f64/update_sr_block_f64_one 264x256+768 [{1 8} {3 8} 100000]"}},
		{"match", device.Call{Type: device.F64, Returns: true}, device.Launch{}, []string{
			"calls_match_f64/update_match_old_f64_loaded 264x256+0 [{1 8} {2 8} {3 8} {4 8} 100000]"}},
		{"private:r=2,pad=1", device.Call{Type: device.F32},
			device.Launch{Blocks: 132, Threads: 1024, Unroll: 4}, []string{
				"calls_x4_f32/update_private_naive_f32_loaded_x4 132x1024+808 " +
					"[{1 8} {3 8} {4 8} 100000 100 2 1 0]"}},
		{"private:ranges=2", device.Call{Type: device.I64}, device.Launch{}, []string{
			"calls_ranges_u64/update_private_ranges_naive_u64_loaded 264x256+400 " +
				"[{1 8} {3 8} {4 8} 100000 100 1 0 0 2]"}},
		{"hot:s=64,r=4", device.Call{Type: device.U32}, device.Launch{}, []string{
			"calls_hot_u32/update_hot_naive_u32_loaded 264x256+1296 " +
				"[{1 8} {3 8} {4 8} 100000 {5 8} 64 4]"}},
		{"hot:s=64,r=4,sample=2048", device.Call{Type: device.U32}, device.Launch{}, []string{
			"calls_hot_sample/sample_hot 1x1024+16896 [{1048576 256} {3 8} 100000 64 2048]",
			"calls_hot_u32/update_hot_naive_u32_loaded 264x256+1296 " +
				"[{1 8} {3 8} {4 8} 100000 {1048576 256} 64 4]"}},
		{"threadprivate", device.Call{Type: device.F32}, device.Launch{}, []string{
			"calls_f32/update_threadprivate_f32_loaded 264x256+102400 " +
				"[{1048576 105600} {3 8} {4 8} 100000 100]",
			"calls_f32/sum_partials_f32 13x256+0 [{1 8} {1048576 105600} 100 264]"}},
	} {
		g := &recorder{resident: 2}
		s := driver.NewSession(t.Context(), g)
		call := kernels.Call{Implementation: must.Get(impl.Parse(c.name))(t), Does: c.does, Fixed: c.fixed,
			Bins: 100, Updates: 100000, Target: memory(1), Old: memory(2), Index: memory(3),
			Values: memory(4), Tags: memory(5)}
		if why := call.Lacks(&h200); why != "" {
			t.Errorf("%s: %s", c.name, why)
		}
		main, steps := call.Prepare(s, kernels.Limits(&h200))
		steps.Enqueue(s)
		if s.Err() != nil || !slices.Equal(g.launches, c.want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, s.Err(), strings.Join(g.launches, "\n"),
				strings.Join(c.want, "\n"))
		}
		if k := main.Kernel; !strings.Contains(k.Name(), "update_") {
			t.Errorf("%s: the main kernel is %s", c.name, k.Name())
		}
	}
}

// TestRefused: what has no kernel or does not fit fails before anything is launched.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name     string
		resident int
		want     error
	}{{"sort", 1, kernels.ErrNone}, {"vr:m=2", 1, kernels.ErrNone}, {"naive", 0, kernels.ErrShape}} {
		g := &recorder{resident: c.resident}
		s := driver.NewSession(t.Context(), g)
		call := kernels.Call{Implementation: must.Get(impl.Parse(c.name))(t), Bins: 1, Updates: 1}
		_, steps := call.Prepare(s, kernels.Limits(&h200))
		steps.Enqueue(s)
		if !errors.Is(s.Err(), c.want) || len(g.launches) > 0 {
			t.Errorf("%s: %v, %v", c.name, s.Err(), g.launches)
		}
	}
}

// TestLacks: each reason for which a device cannot run a call.
func TestLacks(t *testing.T) {
	old := h200
	old.Major = 6
	for _, c := range []struct {
		name, want string
		on         *driver.Description
		bins       uint64
		fixed      device.Launch
	}{
		{"sort", "", &h200, 1, device.Launch{}},
		{"vr:m=2", "", &h200, 1, device.Launch{}},
		{"match", "2", &h200, 1, device.Launch{Unroll: 2}},
		{"match", "7.0", &old, 1, device.Launch{}},
		{"private", "400000", &h200, 100000, device.Launch{}},
		{"threadprivate", "100000", &h200, 100000, device.Launch{}},
		{"naive", "33", &h200, 1, device.Launch{Threads: 33}},
	} {
		call := kernels.Call{Implementation: must.Get(impl.Parse(c.name))(t), Bins: c.bins, Fixed: c.fixed}
		if got := call.Lacks(c.on); got == "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestJustFits: a call that takes all of a block's shared memory runs, and one that takes a byte more does not.
func TestJustFits(t *testing.T) {
	for _, c := range []struct {
		name  string
		typ   device.Type
		bins  uint64
		fixed device.Launch
		bytes float64
	}{
		{"private", device.U32, 50000, device.Launch{}, 200000},
		{"private:r=2,pad=1", device.F64, 100, device.Launch{Threads: 64}, 2 * 101 * 8},
		{"private:ranges=2", device.I64, 101, device.Launch{}, 51 * 8},
		{"hot:s=64,r=4", device.U32, 1 << 20, device.Launch{}, 4*64 + 4*65*4},
		{"threadprivate", device.F32, 100, device.Launch{}, 32 * 100 * 4},
		{"threadprivate", device.U32, 64, device.Launch{Threads: 128}, 128 * 64 * 4},
	} {
		d := h200
		d.Attributes = slices.Clone(h200.Attributes)
		at := slices.IndexFunc(d.Attributes, func(a driver.Attribute) bool { return a.Name == "shared_bytes_per_block" })
		call := kernels.Call{Implementation: must.Get(impl.Parse(c.name))(t), Does: device.Call{Type: c.typ},
			Bins: c.bins, Fixed: c.fixed}
		for less := range 2 {
			d.Attributes[at].Value = c.bytes - float64(less)
			if why := call.Lacks(&d); (why == "") != (less == 0) {
				t.Errorf("%s of %d targets in %v bytes: %q", c.name, c.bins, d.Attributes[at].Value, why)
			}
		}
	}
}

// TestOldest: the oldest device for which there are kernels runs them.
func TestOldest(t *testing.T) {
	d := h200
	call := kernels.Call{Implementation: impl.Spec{Reduction: impl.Match}, Bins: 1}
	k, _ := kernels.Update(call.Implementation, call.Does, 1)
	for capability, runs := range map[int]bool{k.Target: true, k.Target - 1: false} {
		d.Major, d.Minor = capability/10, capability%10
		if why := call.Lacks(&d); (why == "") != runs {
			t.Errorf("capability %s: %q", d.Capability(), why)
		}
	}
}
