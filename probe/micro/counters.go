package micro

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/probe/gpu"
	"github.com/atomtune/atomtune/probe/job"
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
func (p *Counters) Jobs(d gpu.Description) []job.Job {
	var jobs []job.Job
	for _, c := range counterCases {
		run := func(ctx context.Context, g gpu.GPU, _ any) (job.Result, error) {
			if err := g.Wait(); err != nil {
				return job.Result{}, err
			}
			return p.read(ctx, c, d)
		}
		jobs = append(jobs, job.Job{Suite: "counters", Key: c.name, Content: p.Profiler, Run: run})
	}
	return jobs
}

// read lets the profiler run a case. That it fails is a warning: on many machines
// only an administrator may read counters.
func (p *Counters) read(ctx context.Context, c counterCase, d gpu.Description) (job.Result, error) {
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
	if err != nil {
		err = fmt.Errorf("%w: %s", err, lastLine(out.Bytes(), log.Bytes()))
	}
	var readings []recordings.Reading
	var missing []string
	if err == nil {
		readings, missing, err = parseCounters(out.Bytes(), c, d)
	}
	if err != nil {
		warning := fmt.Sprintf("suite counters, %s: %s: %v", c.name, p.Profiler, err)
		return job.Result{Warnings: []string{warning}}, nil
	}
	r := job.Result{Readings: readings}
	if len(missing) > 0 {
		r.Warnings = []string{fmt.Sprintf("suite counters, %s: the profiler does not give %s",
			c.name, strings.Join(missing, ", "))}
	}
	return r, nil
}

// lastLine is what a program said last.
func lastLine(outputs ...[]byte) string {
	last := "it says nothing"
	for _, text := range outputs {
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				last = line
			}
		}
	}
	return last
}

// parseCounters reads the profiler's table: a row of names, a row of units, a row
// of values for each launch of the case's kernel, of which there is one. Lines
// before the table are the profiler's log.
func parseCounters(
	text []byte, c counterCase, d gpu.Description,
) (all []recordings.Reading, missing []string, err error) {
	at := bytes.Index(text, []byte(`"ID"`))
	if at < 0 {
		return nil, nil, fmt.Errorf("no table in its output: %s", lastLine(text))
	}
	rows := csv.NewReader(bytes.NewReader(text[at:]))
	var table [3][]string
	for i := range table {
		if table[i], err = rows.Read(); err != nil {
			return nil, nil, fmt.Errorf("its table has %d of 3 rows: %w", i, err)
		}
	}
	if _, err := rows.Read(); err != io.EOF {
		return nil, nil, fmt.Errorf("its table has more than one launch")
	}
	column := map[string]int{}
	for i, name := range table[0] {
		column[name] = i
	}
	note := func(name string, value float64, unit string) {
		all = append(all, recordings.Reading{
			Suite: "counters", Name: name, Parameters: "case=" + c.name,
			Value: value, Low: value, High: value, Unit: unit, Repeats: 1,
			Kernel: c.kernel(), Instruction: ptx.Atomics(c.module(), c.kernel()),
			Launch: c.shape(d).String(), Unroll: unrollOf(c.kernel()),
		})
	}
	note("warp_operations", float64(c.operations(d)), "1")
	for _, metric := range counterMetrics {
		i, ok := column[metric]
		value := 0.0
		if ok {
			value, err = strconv.ParseFloat(strings.ReplaceAll(table[2][i], ",", ""), 64)
		}
		if !ok || err != nil || value < 0 {
			missing = append(missing, metric)
			continue
		}
		unit := table[1][i]
		if unit == "" {
			unit = "1"
		}
		note(metric, value, unit)
	}
	if len(missing) == len(counterMetrics) {
		return nil, nil, fmt.Errorf("its table has none of the counters: %s", lastLine(text))
	}
	return all, missing, nil
}
