package micro

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/microbench/job"
)

// counterMetrics are the hardware counters of suite counters, by their names in
// NVIDIA's profiler. A GPU that lacks one is passed over with a warning.
var counterMetrics = []string{
	"gpu__time_duration.sum",
	// Passes of shared memory beyond the first of an instruction.
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
	"smsp__inst_executed_op_shared_atom.sum",
	// Requests of warps, and the 32-byte sectors that they touch in L2.
	"lts__t_requests_op_atom.sum",
	"lts__t_requests_op_red.sum",
	"lts__t_sectors_op_atom.sum",
	"lts__t_sectors_op_red.sum",
	// Work of the L2's atomic units.
	"lts__d_atomic_input_cycles_active.sum",
	"lts__d_sectors.sum",
	"dram__bytes_read.sum",
	"dram__bytes_write.sum",
}

// Counters names the programs of suite counters.
type Counters struct {
	Profiler string   // path of ncu
	Program  []string // command line that launches the case whose name follows
}

// Jobs returns the jobs of suite counters, one for each case.
func (p *Counters) Jobs(d driver.Description) []job.Job {
	jobs := make([]job.Job, len(counterCases))
	for i, c := range counterCases {
		run := func(ctx context.Context, g driver.GPU, _ any) (job.Result, error) {
			if err := g.Wait(); err != nil {
				return job.Result{}, err
			}
			return p.read(ctx, c, d)
		}
		jobs[i] = job.Job{Suite: "counters", Key: c.name, Content: p.Profiler, Run: run}
	}
	return jobs
}

// read lets the profiler run a case. That it fails is a warning: on many machines
// only an administrator may read counters.
func (p *Counters) read(ctx context.Context, c counterCase, d driver.Description) (job.Result, error) {
	args := []string{
		"--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
		"--metrics", strings.Join(counterMetrics, ","),
	}
	args = append(append(args, p.Program...), c.name)
	command := exec.CommandContext(ctx, p.Profiler, args...)
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	err := command.Run()
	if ctx.Err() != nil {
		return job.Result{}, ctx.Err()
	}
	var r job.Result
	var missing []string
	if err != nil {
		err = fmt.Errorf("%w: %s", err, lastLine(out.String()+"\n"+log.String()))
	} else {
		r.Readings, missing, err = parseCounters(out.Bytes(), c, d)
	}
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("it does not give %s", strings.Join(missing, ", "))
	}
	if err != nil {
		r.Warnings = []string{fmt.Sprintf("suite counters, %s: %s: %v", c.name, p.Profiler, err)}
	}
	return r, nil
}

func lastLine(output string) string {
	output = strings.TrimSpace(output)
	line := strings.TrimSpace(output[strings.LastIndexByte(output, '\n')+1:])
	return cmp.Or(line, "it says nothing")
}

// parseCounters reads the profiler's table: a row of names, a row of units, a row
// of values for each launch of the case's kernel, of which there is one. Lines
// before the table are the profiler's log.
func parseCounters(text []byte, c counterCase,
	d driver.Description) (all []recordings.Reading, missing []string, err error) {
	at := bytes.Index(text, []byte(`"ID"`))
	if at < 0 {
		return nil, nil, fmt.Errorf("no table in its output: %s", lastLine(string(text)))
	}
	table, err := csv.NewReader(bytes.NewReader(text[at:])).ReadAll()
	switch {
	case err != nil || len(table) < 3:
		return nil, nil, fmt.Errorf("its table has %d of 3 rows: %w", len(table), cmp.Or(err, io.EOF))
	case len(table) > 3:
		return nil, nil, fmt.Errorf("its table has more than one launch")
	}
	module, kernel := c.kernel()
	note := func(name string, value float64, unit string) {
		all = append(all, recordings.Reading{
			Suite: "counters", Name: name, Parameters: "case=" + c.name,
			Value: value, Low: value, High: value, Unit: unit, Repeats: 1,
			Kernel: kernel, Instruction: ptx.Atomics(module, kernel),
			Launch: c.shape(d).Recorded(), Unroll: unrollOf(kernel),
		})
	}
	operations := counterSteps
	if c.shared() {
		operations += counterWarmUp
	}
	note("warp_operations", float64(operations*int(c.shape(d).Blocks)*counterThreads/warpLanes), "1")
	for _, metric := range counterMetrics {
		i, value := slices.Index(table[0], metric), -1.0
		if i >= 0 {
			value, err = strconv.ParseFloat(strings.ReplaceAll(table[2][i], ",", ""), 64)
		}
		if err != nil || value < 0 {
			missing = append(missing, metric)
			continue
		}
		note(metric, value, cmp.Or(table[1][i], "1"))
	}
	if len(missing) == len(counterMetrics) {
		return nil, nil, fmt.Errorf("its table has none of the counters: %s", lastLine(string(text)))
	}
	return all, missing, nil
}

// counterCase is one launch whose hardware counters are read: operations of which
// one knows how many requests, passes and sectors they should take.
type counterCase struct {
	name, op string
	lanes    conflict // in shared memory
	// targets in global memory, a power of two, stride bytes apart; 0 for shared memory.
	targets, stride uint64
}

const (
	counterThreads = 256 // of a block
	counterSteps   = 256 // operations of a warp
	counterWarmUp  = 8   // and so many before, in shared memory
)

var counterCases = []counterCase{
	{"shared_u32_none", "u32_add", conflict{"none", 1}, 0, 0},
	{"shared_u32_position", "u32_add", conflict{"position", 32}, 0, 0},
	{"shared_u32_bank", "u32_add", conflict{"bank", 32}, 0, 0},
	{"shared_u32_one_unused_position", "u32_add_one_unused", conflict{"position", 32}, 0, 0},
	{"shared_f32_none", "f32_add", conflict{"none", 1}, 0, 0},
	{"shared_f32_position", "f32_add", conflict{"position", 32}, 0, 0},
	{"shared_f32_bank", "f32_add", conflict{"bank", 32}, 0, 0},
	{"global_one_address", "u32_add_warp", conflict{}, 1, 4},
	{"global_lanes", "u32_add_lanes", conflict{}, 32 << 20 / 32, 32},
	{"global_line", "u32_add_line", conflict{}, 32 << 20 / 128, 128},
	{"global_lanes_256_mib", "u32_add_lanes", conflict{}, 256 << 20 / 32, 32},
}

func (c *counterCase) shared() bool { return c.targets == 0 }

func (c *counterCase) kernel() (module, name string) {
	module = "global_throughput"
	if c.shared() {
		module = "shared_throughput"
	}
	return module, module + "_" + c.op
}

func CounterCases() []string {
	var names []string
	for _, c := range counterCases {
		names = append(names, c.name)
	}
	return names
}

var ErrCase = errors.New("no such case")

// LaunchCase launches the kernel of a case once, waits for it and returns its name. One block adds
// to shared memory, each warp on words of its own, or the device is full of warps that add to
// random targets in global memory. A case that there is not wraps ErrCase.
func LaunchCase(g driver.GPU, name string) (kernel string, err error) {
	i := slices.Index(CounterCases(), name)
	if i < 0 {
		return "", fmt.Errorf("%w: %q (there are %s)", ErrCase, name, strings.Join(CounterCases(), ", "))
	}
	s := driver.NewSession(context.Background(), g)
	defer s.Scope()()
	c := &counterCases[i]
	module, kernel := c.kernel()
	k, l, steps := s.Kernel(module, kernel), c.shape(g.Describe()), uint32(counterSteps)
	if c.shared() {
		place := s.Upload(laneWords(c.lanes.word))
		intervals := s.Alloc(uint64(l.Threads / warpLanes * intervalBytes))
		s.Launch(k, l, place, c.width(), operand(c.op, 3), steps, intervals)
	} else {
		base := s.Zeros(c.targets*c.stride + warpLanes*8)
		dropped := uint32(32 - bits.TrailingZeros64(c.targets))
		s.Launch(k, l, base, dropped, uint32(c.stride), operand(c.op, 3), steps)
	}
	s.Wait()
	return kernel, s.Err()
}

func (c *counterCase) width() uint32 { return uint32(c.lanes.word(warpLanes-1) + warpLanes) }

// shape is that of the case's launch: in global memory eight blocks for each SM.
func (c *counterCase) shape(d driver.Description) device.Shape {
	if !c.shared() {
		return device.Shape{Blocks: 8 * uint64(d.Attribute("sm_count")), Threads: counterThreads}
	}
	bytes := uint64(counterThreads / warpLanes * c.width() * 4)
	return device.Shape{Blocks: 1, Threads: counterThreads, SharedBytes: bytes}
}
