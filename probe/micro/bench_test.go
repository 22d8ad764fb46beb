package micro

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/probe/job"
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

type contractLine struct {
	suite, name, parameters, unit string
	count                         int
}

// contract is what the readings are called, with how many a full run has on the
// largest device.
var contract = []contractLine{
	{"call", "sm_clock", ``, "MHz", 1},
	{"call", "empty_kernels", `launches=[12358]`, "us", 5},
	{"call", "clear_kernel", `bytes=\d+`, "us", 10},
	{"call", "dependent_kernels", `launches=[1235]`, "us", 4},
	{"call", "dependent_kernel_spin", ``, "us", 1},
	{"memory", "copy_bandwidth", `bytes=\d+`, "byte/s", 11},
	{"memory", "read_bandwidth", `bytes=\d+`, "byte/s", 11},
	{"memory", "atomic_kernel_bandwidth", `bytes=\d+`, "byte/s", 11},
	{"memory", "load_latency", `bytes=\d+`, "cycle", 8},
	{"warp", "latency", `op=(alu_add|shuffle|ballot|popc|reduce_add|match_any) keys=\d+`, "cycle", 11},
	{"warp", "throughput", `op=(alu_add|shuffle|ballot|popc|reduce_add|match_any) keys=\d+`, "cycle",
		11},
	{"warp", "barrier", `threads=(32|64|128|256|512|1024)`, "cycle", 6},
	{"warp", "issue", `op=(alu_add|alu_shift) warps=(1|2|4|8|16|32|64)`, "cycle", 14},
	{"shared", "throughput", `op=\w+ conflict=(none|position|bank) degree=\d+ warps=\d+`, "cycle",
		592},
	{"shared", "contention",
		`op=(u32_add|f32_add|f64_add|u32_casloop) warps=\d+ colliding_warps=\d+ colliding_lanes=\d+ degree=\d+`, "cycle", 1776},
	{"global", "chain", `op=\w+ pattern=(line|position|lines) degree=\d+`, "cycle", 195},
	{"global", "throughput",
		`op=(u32|f32|u64|f64)_add spread=(warp|lanes|line) targets=\d+ stride=\d+ sms=\d+`, "ns", 1018},
	{"global", "footprint", `op=(u32|f32|f64)_add bytes=\d+`, "ns", 39},
	{"returns", "throughput", `op=(u32|f32|u64|f64)_add result=(unused|beside|used|stored) ` +
		`spread=(word|line|apart) sectors=\d+ warps=\d+ sms=\d+`, "ns", 224},
	{"instruction", "chain", instructionParameters, "cycle", 48},
	{"instruction", "throughput", instructionParameters, "(cycle|ns)", 48},
}

const instructionParameters = `op=(u32|f32|f64)_add space=(shared|global) operand=(one|runtime) result=(used|unused) address=(static|runtime)`

// TestReadings holds names, parameters, units and numbers of the readings against
// the contract with those who read them.
func TestReadings(t *testing.T) {
	for _, quick := range []bool{false, true} {
		run := map[bool]func() benchRun{false: fullRun, true: quickRun}[quick]().must(t)
		if len(run.warnings) > 0 {
			t.Errorf("warnings %q", run.warnings)
		}
		seen := map[string]bool{}
		counts := make([]int, len(contract))
		for _, r := range run.readings {
			checkReading(t, r, seen, quick)
			i := slices.IndexFunc(contract, func(c contractLine) bool {
				return c.suite == r.Suite &&
					c.name == r.Name
			})
			if i < 0 {
				t.Fatalf("no reading is called %s %s", r.Suite, r.Name)
			}
			counts[i]++
			if c := contract[i]; !matchesAll(c.parameters, r.Parameters) || !matchesAll(c.unit, r.Unit) {
				t.Errorf("%s in %s, want %s in %s", readingKey(r), r.Unit, c.parameters, c.unit)
			}
		}
		for i, c := range contract {
			if counts[i] == 0 || !quick && counts[i] != c.count {
				t.Errorf("%d readings %s %s, want %d", counts[i], c.suite, c.name, c.count)
			}
		}
	}
}

func matchesAll(pattern, text string) bool {
	return regexp.MustCompile("^" + pattern + "$").MatchString(text)
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
	if r.Kernel == "" {
		t.Errorf("%s names no kernel", readingKey(r))
	}
	atomic := strings.Contains(r.Parameters, "_add") && !strings.Contains(r.Parameters, "alu_add") ||
		strings.Contains(r.Parameters, "_cas")
	if atomic && !strings.Contains(r.Instruction, "atom.") && !strings.Contains(r.Instruction,
		"red.") && !strings.Contains(r.Instruction, "redux.") {
		t.Errorf("%s names instruction %q", readingKey(r), r.Instruction)
	}
}

// TestQuickIsPart: a quick run measures some of what a full one does, of everything
// something.
func TestQuickIsPart(t *testing.T) {
	full, quick := fullRun().must(t).readings, quickRun().must(t).readings
	all, names := map[string]bool{}, map[string]bool{}
	for _, r := range full {
		all[readingKey(r)] = true
	}
	for _, r := range quick {
		if !all[readingKey(r)] {
			t.Errorf("only a quick run has %s", readingKey(r))
		}
		names[r.Suite+r.Name] = true
	}
	if len(names) != len(contract) || 2*len(quick) > len(full) {
		t.Errorf("a quick run has %d readings of %d kinds, a full one %d of %d", len(quick), len(names),
			len(full), len(contract))
	}
}

// TestEveryKernelIsLaunched: there is no kernel of these modules that nobody
// measures.
func TestEveryKernelIsLaunched(t *testing.T) {
	g := fullRun().must(t).gpu
	runAll(t, g, Jobs("scratchpad", g.description, Options{Quick: true}))
	checked := 0
	for _, module := range ptx.Modules() {
		if strings.HasPrefix(module, "calls_") {
			continue
		}
		m, err := ptx.Load(module)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range m.Kernels {
			checked++
			if !g.launched[module+"/"+k.Name] {
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
