package libcuda_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/libcuda"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/standin"
)

func TestMain(m *testing.M) {
	os.Exit(standin.Run(m, libcuda.LibraryVariable, libcuda.ManagementVariable))
}

func openDriver(t *testing.T) *libcuda.GPU {
	t.Helper()
	l := must.Get(libcuda.Open())(t)
	g := must.Get(l.Open(0))(t)
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func mustKernel(t *testing.T, g *libcuda.GPU, name string) driver.Kernel {
	t.Helper()
	module := "launch"
	if name != "spin" {
		module = "global_throughput"
	}
	k, err := g.Kernel(module, name)
	if err != nil || k.Name() != name || k.Module() != module {
		t.Fatal(k, err)
	}
	return k
}

// TestDescription: every attribute has its unit and value.
func TestDescription(t *testing.T) {
	g := openDriver(t)
	if sm, memory := g.Clocks(); sm != 1480 || memory != 1990 {
		t.Errorf("%d and %d MHz", sm, memory)
	}
	d := g.Describe()
	if d.UUID != "GPU-00112233-4455-6677-8899-aabbccddeeff" || d.Name != "Stand-in GPU" || d.Major != 9 || d.Minor != 0 || d.Driver != "580.1.2" ||
		d.CUDA != "13.0" || len(d.Attributes) != 16 {
		t.Errorf("%+v", d)
	}
	for name, want := range map[string]float64{
		"sm_count": 4, "warp_lanes": 32, "sm_clock_max": 1500, "memory_clock_max": 2000,
		"memory_bus":             512,
		"shared_bytes_per_block": 232448, "shared_bytes_reserved": 1024, "max_blocks_per_sm": 32,
		"global_bytes": 1 << 30,
	} {
		if got := d.Attribute(name); got != want {
			t.Errorf("%s %v, want %v", name, got, want)
		}
	}
}

// TestMemory: what is uploaded comes back, in part too, and what is cleared is
// zero; a piece holds no more than it was made for.
func TestMemory(t *testing.T) {
	g := openDriver(t)
	m := must.Get(g.Alloc(8))(t)
	got := make([]byte, 8)
	for _, err := range []error{
		g.Upload(m, []byte("abcdefgh")), g.Clear(m, 3), g.Download(got, m), g.Upload(m, nil),
		g.Clear(m, 0), g.Wait(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if string(got) != "\x00\x00\x00defgh" {
		t.Errorf("%q", got)
	}
	for _, err := range []error{g.Upload(m, make([]byte, 9)), g.Download(make([]byte, 9), m),
		g.Clear(m, 9)} {
		if !errors.Is(err, driver.ErrDriver) {
			t.Error(err)
		}
	}
	g.Free(m)
	if _, err := g.Alloc(2 << 30); !errors.Is(err, driver.ErrMemory) || !strings.Contains(err.Error(), "2.000 GiB") {
		t.Error(err)
	}
	if none, err := g.Alloc(0); err != nil || none != (driver.Memory{}) {
		t.Error(none, err)
	}
}

// TestTime: the time between events is that of what was enqueued, 2 us and the
// kernel's own, and a kernel gets its arguments.
func TestTime(t *testing.T) {
	g := openDriver(t)
	k := mustKernel(t, g, "spin")
	m := must.Get(g.Alloc(3 * 16))(t)
	us, err := g.Time(func() error {
		return g.Launch(k, device.Shape{Blocks: 3, Threads: 32},
			uint64(15000), m)
	})
	if err != nil || us != 12 {
		t.Errorf("%v us, %v, want 12", us, err)
	}
	got := make([]byte, 3*16)
	if err := g.Download(got, m); err != nil || got[32] != 15000&255 || got[33] != 15000>>8 {
		t.Errorf("%v, %v", got, err)
	}
	failed := errors.New("not enqueued")
	if _, err := g.Time(func() error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}

// TestArguments: a launch with arguments that the kernel does not have is
// refused before the driver sees it.
func TestArguments(t *testing.T) {
	g := openDriver(t)
	k := mustKernel(t, g, "global_throughput_f32_add_line")
	m := must.Get(g.Alloc(64))(t)
	l := device.Shape{Blocks: 1, Threads: 32}
	must.Do(t, g.Launch(k, l, m, uint32(1), int32(-2), float32(3), uint32(4)))
	for words, args := range map[string][]any{
		"5":           {m},
		"parameter 0": {uint32(0), uint32(1), uint32(2), float32(3), uint32(4)},
		"parameter 1": {m, uint64(1), uint32(2), float32(3), uint32(4)},
		"parameter 3": {m, uint32(1), uint32(2), float64(3), uint32(4)},
		"parameter 4": {m, uint32(1), uint32(2), float32(3), 4},
	} {
		if err := g.Launch(k, l, args...); !errors.Is(err, driver.ErrLaunch) ||
			!strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
	if _, err := g.Kernel("launch", "nowhere"); !errors.Is(err, ptx.ErrKernel) ||
		!strings.Contains(err.Error(), "nowhere") {
		t.Error(err)
	}
	if err := g.Launch(nil, l); !errors.Is(err, driver.ErrLaunch) {
		t.Error(err)
	}
}

// TestShared: a kernel may have the shared memory that it is launched with, and
// the driver's number of blocks takes account of it.
func TestShared(t *testing.T) {
	g := openDriver(t)
	k := mustKernel(t, g, "spin")
	for bytes, want := range map[uint64]int{0: 8, 100000: 2, 232448: 1} {
		if got, err := g.Resident(k, 256, bytes); err != nil || got != want {
			t.Errorf("%d bytes: %d blocks, %v, want %d", bytes, got, err, want)
		}
	}
	if _, err := g.Resident(k, 256, 300000); err == nil || !strings.Contains(err.Error(), "300000") {
		t.Error(err)
	}
}

// TestModules: a module is loaded once.
func TestModules(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv(standin.LogVariable, log)
	g := openDriver(t)
	for range 2 {
		mustKernel(t, g, "spin")
		mustKernel(t, g, "global_throughput_f32_add_line")
		runtime.GC() // what the driver was given must not matter any more
	}
	if text := string(must.Get(os.ReadFile(log))(t)); strings.Count(text, "module ") != 2 {
		t.Errorf("%s", text)
	}
}

// TestWorkingFolder: no library is loaded from the folder that the program happens to run in, and a
// relative path is refused, though the library is there.
func TestWorkingFolder(t *testing.T) {
	path := os.Getenv(libcuda.LibraryVariable)
	data := must.Get(os.ReadFile(path))(t)
	t.Chdir(t.TempDir())
	const name = "libstandin-of-this-folder.so"
	must.Do(t, os.WriteFile(name, data, 0o600))
	t.Setenv(libcuda.LibraryVariable, name)
	if _, err := libcuda.Open(); !errors.Is(err, driver.ErrNoDriver) {
		t.Errorf("%s of the working folder: %v", name, err)
	}
	for _, relative := range []string{"./" + name, "../" + name, "folder/../" + name} {
		t.Setenv(libcuda.LibraryVariable, relative)
		if _, err := libcuda.Open(); !errors.Is(err, driver.ErrNoDriver) ||
			!strings.Contains(err.Error(), relative) {
			t.Errorf("%s: %v", relative, err)
		}
	}
	t.Setenv(libcuda.LibraryVariable, path)
	t.Setenv(libcuda.ManagementVariable, "./"+name)
	if sm, memory := openDriver(t).Clocks(); sm != 0 || memory != 0 {
		t.Errorf("clocks of a management library by a relative path: %d, %d", sm, memory)
	}
}

// TestAfterFailures: after a failure that is known to be harmless the device goes on, after any other
// one each call says that failure, and nothing is asked of the driver. What a kernel died of says so.
func TestAfterFailures(t *testing.T) {
	harmless := []int{1, 2, 200, 209, 218, 221, 222, 400, 500, 600, 701, 720, 800, 801}
	kinds := map[error][]int{
		driver.ErrMemory: {2}, driver.ErrNoDriver: {34}, driver.ErrNoDevice: {46, 100, 101},
		driver.ErrModule: {200, 209, 218, 222, 500}, driver.ErrTimeout: {702},
		driver.ErrLaunch: {700, 701, 710, 714, 715, 716, 717, 718, 719},
		driver.ErrDriver: {1, 4, 201, 214, 221, 400, 600, 699, 703, 709, 711, 713, 720, 800, 801, 999},
	}
	for kind, codes := range kinds {
		for _, code := range codes {
			g := openDriver(t)
			t.Setenv(standin.FaultVariable, fmt.Sprintf("once:1:%d", code))
			first := g.Wait()
			if !errors.Is(first, kind) || !strings.Contains(first.Error(), fmt.Sprintf("(%d", code)) ||
				strings.Contains(first.Error(), "launch of") {
				t.Errorf("%d: %v, want %v", code, first, kind)
			}
			second := g.Wait()
			goesOn := slices.Contains(harmless, code)
			if sm, memory := g.Clocks(); goesOn && second != nil || !goesOn && (second != first || sm+memory > 0) {
				t.Errorf("%d: %v, then %v, clocks %d and %d", code, first, second, sm, memory)
			}
			t.Setenv(standin.FaultVariable, "")
		}
	}
}
