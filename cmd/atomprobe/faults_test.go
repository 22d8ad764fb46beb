package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/standin"
	"github.com/atomtune/atomtune/microbench"
)

// TestFaults: each thing that a driver can refuse is one clear sentence with what
// to do, and exit code 1.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault string
		kind  error
		words string
	}{
		{"no_device", driver.ErrNoDevice, "cuInit CUDA_ERROR_NO_DEVICE (100) nvidia-smi"},
		{"no_devices", driver.ErrNoDevice, "13.0 CUDA_VISIBLE_DEVICES"},
		{"stub", driver.ErrNoDriver, ""},
		{"old_ptx", driver.ErrOldDriver, "9.1 PTX 6. 9.0 CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"},
		{"invalid_ptx", driver.ErrModule, "580.1.2 PTX 6. CUDA_ERROR_INVALID_PTX (218) the stand-in likes no text"},
		{"memory:1", driver.ErrMemory, "sm_clock CUDA_ERROR_OUT_OF_MEMORY (2) 1.000 GiB"},
		{"resources:2", driver.ErrLaunch, "spin CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)"},
		{"address:3", driver.ErrLaunch, "spin CUDA_ERROR_ILLEGAL_ADDRESS (700,"},
		{"timeout:3", driver.ErrTimeout, "spin CUDA_ERROR_LAUNCH_TIMEOUT (702)"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "run")
			run := onStandin("measure", "--quick", "--suite", "call", "--out", folder).
				with(standin.FaultVariable + "=" + c.fault)
			run.fails(t, exitFailed, append(strings.Fields(c.words), c.kind.Error())...)
			if left, err := filepath.Glob(filepath.Join(folder, "*.csv*")); err != nil || len(left) > 0 {
				t.Errorf("%v, %v: a run that failed leaves no result", left, err)
			}
		})
	}
}

// TestNoDriver: without the library, and with one that lacks a function.
func TestNoDriver(t *testing.T) {
	missing := call{library: filepath.Join(t.TempDir(), "libcuda.so.1"), args: []string{"devices"}}
	missing.fails(t, exitFailed, driver.ErrNoDriver.Error(), missing.library)
	old := call{library: oldest, args: []string{"devices"}}
	old.fails(t, exitFailed, driver.ErrOldDriver.Error(),
		"cuOccupancyMaxActiveBlocksPerMultiprocessor", "13.0")
	anonymous := call{library: nameless, args: []string{"--quick", "--suite", "device", "--out",
		filepath.Join(t.TempDir(), "run")}}
	anonymous.done(t)
	if p := readFolder(t, anonymous.args[4]).Provenance; p.GPUUUID != "" || p.GPU == "" {
		t.Errorf("%+v of a driver that gives no UUID", p)
	}
	none := call{library: os.Args[0], args: []string{"devices", "--json"}}
	none.fails(t, exitFailed, os.Args[0])
}

// TestManagementAbsent: without the management library clocks are 0 and the
// driver goes by its version of CUDA.
func TestManagementAbsent(t *testing.T) {
	out := onStandin("devices", "--json").with("ATOMPROBE_LIBNVML=/nowhere").done(t)
	for _, want := range []string{`"driver": "CUDA 13.0"`, `"sm_clock_mhz": 0`, `"memory_clock_mhz": 0`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is missing in %s", want, out)
		}
	}
}

// TestWrongResults: an implementation that leaves another sum is named, its rows
// are kept, and the exit code is 1: sr and sr+ss on each of three streams.
func TestWrongResults(t *testing.T) {
	folder := t.TempDir()
	stream := filepath.Join(folder, "two.txt")
	if err := os.WriteFile(stream, []byte("0\n1\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, "run")
	got := onStandin("--quick", "--suite", "calls", "--specs", fewStreams(t), "--stream", stream, "--out", out).
		with(standin.FaultVariable + "=wrong:update_sr_f32_loaded").run(t)
	if got.Code != exitFailed || !strings.Contains(got.Stderr, microbench.ErrWrong.Error()) ||
		!strings.Contains(got.Stderr, " sr") {
		t.Errorf("%+v", got)
	}
	run := readFolder(t, out)
	wrong := 0
	for _, c := range run.Calls {
		if c.Origin == recordings.Measured && !c.Correct {
			wrong++
			if c.Kernel != "update_sr_f32_loaded" {
				t.Errorf("%s on %s is wrong", c.Kernel, c.Label)
			}
		}
	}
	if wrong != 6 || got.Stdout == "" {
		t.Errorf("%d wrong calls, %s", wrong, got.Stdout)
	}
}
