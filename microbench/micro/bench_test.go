package micro

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/microbench/job"
)

// benchSuites are the suites of single quantities.
func benchSuites(d driver.Description, o Options) []job.Job {
	var jobs []job.Job
	for _, suite := range []string{"call", "memory", "warp", "shared", "global", "returns", "instruction"} {
		jobs = append(jobs, Jobs(suite, d, o)...)
	}
	return jobs
}

// hostJob uses no device and takes its time: see TestHostRelayout.
const hostJob = "host_relayout"

// benchRun is all else that the suites measure on a stand-in.
type benchRun struct {
	gpu      *benchGPU
	readings []recordings.Reading
	warnings []string
	err      error
}

func runBench(d driver.Description, o Options) benchRun {
	run := benchRun{gpu: newBenchGPU(d)}
	run.gpu.asked = new(golden.Digest)
	for _, job := range benchSuites(d, o) {
		if job.Key == hostJob {
			continue
		}
		r, err := job.Run(context.Background(), run.gpu, nil)
		if err != nil {
			run.err = fmt.Errorf("%s %s: %w", job.Suite, job.Key, err)
			return run
		}
		run.readings = append(run.readings, r.Readings...)
		run.warnings = append(run.warnings, r.Warnings...)
	}
	return run
}

// The runs on the largest device that several tests look at.
var (
	fullRun  = sync.OnceValue(func() benchRun { return runBench(hopper(), Options{}) })
	quickRun = sync.OnceValue(func() benchRun { return runBench(hopper(), Options{Quick: true}) })
)

// must is the run, if nothing went wrong.
func (r benchRun) must(t *testing.T) benchRun {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err)
	}
	r.gpu.verify(t)
	return r
}

func readingKey(r recordings.Reading) string { return r.Suite + " " + r.Name + " " + r.Parameters }

// TestReadings: readings stand once, in their bounds, with their kernels and shapes; a quick run measures some
// of what a full one does, of everything something. testdata/measured.txt holds their names and values.
func TestReadings(t *testing.T) {
	full, quick := fullRun().must(t), quickRun().must(t)
	if len(full.warnings)+len(quick.warnings) > 0 {
		t.Errorf("warnings %q, %q", full.warnings, quick.warnings)
	}
	all, kinds, quickly := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range full.readings {
		checkReading(t, r, all, false)
		kinds[r.Suite+r.Name] = true
	}
	if _, err := recordings.EncodeReadings(recordings.Provenance{}, full.readings); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, r := range quick.readings {
		checkReading(t, r, seen, true)
		if quickly[r.Suite+r.Name] = true; !all[readingKey(r)] {
			t.Errorf("only a quick run has %s", readingKey(r))
		}
	}
	if len(quickly) != len(kinds) || 2*len(quick.readings) > len(full.readings) {
		t.Errorf("a quick run has %d readings of %d kinds, a full one %d of %d", len(quick.readings), len(quickly),
			len(full.readings), len(kinds))
	}
	for _, op := range contendedOperations { // what two warps do that share words is measured in a quick run too
		if key := "shared contention op=" + op + " warps=2 colliding_warps=2 colliding_lanes=32 degree=1"; !seen[key] {
			t.Errorf("no reading %s", key)
		}
	}
}

func checkReading(t *testing.T, r recordings.Reading, seen map[string]bool, quick bool) {
	t.Helper()
	if seen[readingKey(r)] {
		t.Errorf("%s occurs twice", readingKey(r))
	}
	seen[readingKey(r)] = true
	least := 5
	if quick {
		least = 3
	}
	if !(r.Value > 0) || r.Low > r.Value || r.High < r.Value || math.IsInf(r.High, 0) ||
		r.Repeats < least {
		t.Errorf("%s: %g in %g to %g, %d repeats", readingKey(r), r.Value, r.Low, r.High, r.Repeats)
	}
	if r.Kernel == "" || r.Launch == "" {
		t.Errorf("%s by %q, launched as %q", readingKey(r), r.Kernel, r.Launch)
	}
	atomic := strings.Contains(r.Parameters, "_add") && !strings.Contains(r.Parameters, "alu_add") ||
		strings.Contains(r.Parameters, "_cas")
	if atomic && !strings.Contains(r.Instruction, "atom.") && !strings.Contains(r.Instruction,
		"red.") && !strings.Contains(r.Instruction, "redux.") {
		t.Errorf("%s names instruction %q", readingKey(r), r.Instruction)
	}
}

// TestEveryKernelIsLaunched: there is no kernel of these modules that nobody
// measures.
func TestEveryKernelIsLaunched(t *testing.T) {
	g, pad := fullRun().must(t).gpu, newBenchGPU(hopper())
	runAll(t, pad, Jobs("scratchpad", g.description, Options{Quick: true}))
	checked := 0
	for _, module := range ptx.Modules() {
		if strings.HasPrefix(module, "calls_") {
			continue
		}
		m := must.Get(ptx.Load(module))(t)
		for _, k := range m.Kernels {
			checked++
			if name := module + "/" + k.Name; !g.launched[name] && !pad.launched[name] {
				t.Errorf("nobody launches %s of module %s", k.Name, module)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d kernels were looked for", checked)
	}
}

func runAll(t *testing.T, g *benchGPU, jobs []job.Job) []job.Result {
	t.Helper()
	var all []job.Result
	for _, job := range jobs {
		r, err := job.Run(t.Context(), g, nil)
		if err != nil {
			t.Fatalf("%s %s: %v", job.Suite, job.Key, err)
		}
		all = append(all, r)
	}
	g.verify(t)
	return all
}

// TestArithmetic holds readings against what the stand-in's times give.
func TestArithmetic(t *testing.T) {
	values := map[string]float64{}
	for _, r := range fullRun().must(t).readings {
		values[readingKey(r)] = r.Value
	}
	const chain = stepCycles + float64(startCycles)/chainLength
	for key, want := range map[string]float64{
		"call sm_clock ":                                                                               fakeMHz,
		"call empty_kernels launches=3":                                                                startUS + 3*chainLength*stepUS,
		"call clear_kernel bytes=4096":                                                                 startUS + 1 + chainLength*stepUS,
		"call dependent_kernel_spin ":                                                                  20,
		"call dependent_kernels launches=5":                                                            startUS + 5*(20+chainLength*stepUS),
		"memory read_bandwidth bytes=1048576":                                                          132 * 2048 * 16 * 8 / 1e-6,
		"memory copy_bandwidth bytes=1048576":                                                          2 * 132 * 2048 * 16 * 8 / 1e-6,
		"memory load_latency bytes=1048576":                                                            stepCycles + float64(startCycles)/4096,
		"warp latency op=match_any keys=8":                                                             stepCycles,
		"warp throughput op=shuffle keys=1":                                                            stepCycles / 128.,
		"warp barrier threads=512":                                                                     stepCycles,
		"warp issue op=alu_add warps=1":                                                                stepCycles / 8.,
		"warp issue op=alu_shift warps=64":                                                             stepCycles / (8 * 64.),
		"shared throughput op=u32_add conflict=none degree=1 warps=1":                                  stepCycles,
		"shared throughput op=f64_add conflict=bank degree=8 warps=16":                                 stepCycles / 16.,
		"shared contention op=f32_add warps=1 colliding_warps=0 colliding_lanes=1 degree=8":            chain,
		"global chain op=i64_add pattern=position degree=16":                                           chain,
		"global throughput op=u32_add spread=warp targets=64 stride=256 sms=132":                       1e3 * stepUS / (132 * 32.),
		"global throughput op=f64_add spread=line targets=262144 stride=128 sms=33":                    1e3 * stepUS / (33 * 32.),
		"global footprint op=f32_add bytes=4294967296":                                                 1e3 * stepUS / (132 * 32.),
		"returns throughput op=f64_add result=stored spread=apart sectors=8 warps=8 sms=132":           1e3 * stepUS / (132 * 8.),
		"returns throughput op=u32_add result=used spread=apart sectors=4 warps=32 sms=1":              1e3 * stepUS / 32.,
		"instruction chain op=u32_add space=shared operand=one result=used address=static":             chain,
		"instruction throughput op=u32_add space=shared operand=one result=used address=static":        stepCycles / 32.,
		"instruction throughput op=f32_add space=global operand=runtime result=unused address=runtime": 1e3 * stepUS / (132 * 32.),
	} {
		got, ok := values[key]
		if !ok || math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s: %g, want %g", key, got, want)
		}
	}
}
