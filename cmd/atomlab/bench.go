package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/bench"
)

const benchLong = `bench scatter compares the one call that chooses its form with PyTorch (scatter_add_,
index_add_, bincount), CUB (HistogramEven, sort and reduce by key), plain atomics and
the best of all implementations and launches: how many times as long each takes, which share of
the time is the floor, and which statements on the call are met.

With --run it reads tables that cuda/bench/scatter.py wrote, packed by gzip or not, of
one GPU each. Without, it measures on the GPU at hand: --python is started on --script
with the FOLDERs, which hold streams as atomprobe streams writes them. That needs nvcc
and PyTorch. --table keeps what was measured. --only measures some implementations
alone: with --more such a table adds those that the run of its GPU lacks.

With --out it writes BENCH.md and, for each GPU, a figure as SVG and PNG: the time over
the floor on every stream, sorted. Statements that are not met are no failure.

bench rows reads a --run of cuda/bench/rows.py and says how far the prices of updates of
rows are off, and with --simulated how far simulated times are. --simulate N adds to that
file those of each N-th case; an interrupted command goes on where it was.`

const benchExample = `  atomlab bench scatter --run lab/bench/recorded/h200.csv.gz
  atomlab bench scatter --run h200.csv --run h100.csv --out doc
  atomlab bench scatter --run h200.csv --more ladder.csv
  atomlab bench scatter --only ladder,atomtune --table ladder.csv streams/recorded
  atomlab bench scatter --budget 240 --table h200.csv streams/recorded streams/real
  atomlab bench rows --run rows.csv
  atomlab bench rows --run rows.csv --simulated simulated.csv --simulate 10`

type benchFlags struct {
	runs, more                 []string
	only                       string
	out, table, python, script string
	budget                     float64
	simulated                  string
	every                      int
}

// The suites.
const (
	benchScatter = "scatter"
	benchRows    = "rows"
)

var benchSuites = []string{benchScatter, benchRows}

func newBench(e *env) *cobra.Command {
	var flags benchFlags
	cmd := &cobra.Command{
		Use:       "bench SUITE [FOLDER...]",
		Short:     "Compare the call with libraries as users would",
		Long:      benchLong,
		Example:   benchExample,
		ValidArgs: benchSuites,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || !slices.Contains(benchSuites, args[0]) {
				return command.Usagef("bench takes a suite first (there are %s)", strings.Join(benchSuites, ", "))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&flags.runs, "run", nil,
		input.AtMost(wholefile.Most, "`table` of a run to read (repeat for several GPUs)"))
	f.StringSliceVar(&flags.more, "more", nil,
		input.AtMost(wholefile.Most, "`table` with implementations that the run of its GPU lacks"))
	f.StringVar(&flags.out, "out", "", "`folder` for BENCH.md and figures")
	f.StringVar(&flags.table, "table", "", input.AtMost(wholefile.Most, "`file` that keeps what is measured"))
	f.StringVar(&flags.python, "python", "python3", "`program` with PyTorch")
	f.StringVar(&flags.script, "script", "cuda/bench/scatter.py", "`script` of the bench")
	f.StringVar(&flags.only, "only", "", "`implementations` to measure, with commas between")
	f.Float64Var(&flags.budget, "budget", 240, "`seconds` after which no stream is begun")
	f.StringVar(&flags.simulated, "simulated", "", input.AtMost(wholefile.Most, "of rows: `file` of simulated times"))
	f.IntVar(&flags.every, "simulate", 0, "of rows: simulate each `N`th case that --simulated lacks")
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		if args[0] == benchRows {
			return e.benchRows(flags, args[1:])
		}
		return e.benchScatter(flags, args[1:])
	})
	return cmd
}

func (f *benchFlags) check(folders []string) error {
	switch {
	case len(f.runs) > 0 && len(folders) > 0:
		return command.Usagef("bench scatter takes --run or FOLDERs to measure, not both")
	case len(f.runs) > 0 && f.table != "":
		return command.Usagef("--table keeps what is measured, and --run measures nothing")
	case len(f.runs) > 0 && f.only != "":
		return command.Usagef("--only says what is measured, and --run measures nothing")
	case len(f.runs) == 0 && len(folders) == 0:
		return command.Usagef("bench scatter needs --run, or FOLDERs of streams to measure")
	case f.budget <= 0:
		return command.Usagef("--budget %v: want more than 0", f.budget)
	}
	return nil
}

type benchDocument struct {
	Reports []*bench.Report `json:"reports"`
	Written []string        `json:"written"`
}

func (e *env) benchScatter(f benchFlags, folders []string) error {
	if err := f.check(folders); err != nil {
		return err
	}
	if len(folders) > 0 {
		remove, err := e.measureScatter(&f, folders)
		defer remove()
		if err != nil {
			return err
		}
	}
	runs, err := f.read()
	if err != nil {
		return err
	}
	doc := benchDocument{Written: []string{}}
	for i, run := range runs {
		r, err := bench.NewReport(run)
		if err != nil {
			return fmt.Errorf("%s: %w", f.runs[i], err)
		}
		doc.Reports = append(doc.Reports, r)
	}
	if f.out != "" {
		var err error
		if doc.Written, err = writeBench(f.out, doc.Reports); err != nil {
			return err
		}
	}
	return e.Emit(doc, func(w *bytes.Buffer) { printBench(w, doc) })
}

// read reads the runs, one of each GPU, with what further tables add.
func (f *benchFlags) read() (runs []*bench.Run, err error) {
	seen := map[string]string{}
	for _, path := range f.runs {
		run, err := bench.Read(path)
		if err != nil {
			return nil, err
		}
		if before, twice := seen[run.GPU]; twice {
			return nil, fmt.Errorf("%s and %s are both of the GPU %s", before, path, run.GPU)
		}
		seen[run.GPU] = path
		runs = append(runs, run)
	}
	for _, path := range f.more {
		more, err := bench.Read(path)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(runs, func(r *bench.Run) bool { return r.GPU == more.GPU })
		if at < 0 {
			return nil, fmt.Errorf("--more %s: no --run is of the GPU %s", path, more.GPU)
		}
		if err := runs[at].Join(more); err != nil {
			return nil, fmt.Errorf("--more %s: %w", path, err)
		}
	}
	return runs, nil
}

// measureScatter runs the bench and makes its table the run to read. remove ends what was
// written for that alone.
func (e *env) measureScatter(f *benchFlags, folders []string) (remove func(), err error) {
	remove = func() {}
	path := f.table
	if path == "" {
		folder, err := os.MkdirTemp("", "atomlab-bench-")
		if err != nil {
			return remove, err
		}
		wholefile.Temporary(folder)
		remove = func() { os.RemoveAll(folder) } // nothing depends on it any more
		path = filepath.Join(folder, "run.csv")
	}
	if f.table != "" {
		e.Keeps("%s holds the streams that were measured, which --run reads; for the others name another --table", path)
	}
	f.runs = []string{path}
	args := []string{f.script, "--out", path, "--budget", strconv.FormatFloat(f.budget, 'g', -1, 64)}
	if f.only != "" {
		args = append(args, "--only", f.only)
	}
	args = append(args, folders...)
	told := &notes{env: e}
	defer told.end()
	if err := e.start(e.Context(), told, f.python, args...); err != nil {
		return remove, fmt.Errorf("%s %s: %w", f.python, f.script, err)
	}
	return remove, nil
}

// notes notes what another program tells, line by line.
type notes struct {
	env  *env
	line []byte
}

// Write takes text of any length.
func (n *notes) Write(text []byte) (int, error) {
	for part := range bytes.Lines(text) {
		n.line = append(n.line, part...)
		if bytes.HasSuffix(part, []byte("\n")) || len(n.line) > longestNote {
			n.end()
		}
	}
	return len(text), nil
}

const longestNote = 1 << 16 // bytes

// end notes what has come of a line.
func (n *notes) end() {
	if line := bytes.TrimRight(n.line, "\r\n"); len(line) > 0 {
		n.env.Note("%s", line)
	}
	n.line = n.line[:0]
}

// startProgram runs a program that tells what it does.
func startProgram(ctx context.Context, told io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = told, told
	cmd.WaitDelay = 100 * time.Millisecond // for what it has started and does not end with it
	return cmd.Run()
}

// writeBench writes the document and the figures.
func writeBench(folder string, reports []*bench.Report) (written []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	for _, r := range reports {
		figures := r.Figures()
		for _, name := range slices.Sorted(maps.Keys(figures)) {
			files, err := drawn(filepath.Join(folder, name), figures[name])
			if err != nil {
				return nil, err
			}
			written = append(written, files...)
		}
	}
	path := filepath.Join(folder, "BENCH.md")
	return append(written, path), wholefile.Write(path, bench.Document(reports))
}

func printBench(w *bytes.Buffer, doc benchDocument) {
	for _, r := range doc.Reports {
		report.Fprintf(w, "%s:", r.GPU)
		for _, g := range r.GroupNames() {
			report.Fprintf(w, " %d %s", r.Groups[g], g)
		}
		report.Fprintf(w, " streams; %d of %d statements met\n\n", r.Met(), len(r.Statements))
		report.Table(w, "64:statement|>value|limit|>rows|", r.Statements, func(s bench.Statement) report.Row {
			if s.Rows == 0 {
				return report.Row{s.Text, "-", s.Bound(), s.Rows, s.Verdict()}
			}
			return report.Row{s.Text, s.Value, s.Bound(), s.Rows, s.Verdict()}
		})
		w.WriteString("\ntimes as long as the call:\n")
		report.Table(w, "other|call|>streams|>mean|>nine of ten|>least|>most|>with a plan|"+
			">floor/call %|>floor/other %", r.Comparisons, comparisonRow)
		w.WriteString("\nwhere the call takes longest beside the best implementation:\n")
		report.Table(w, "64:stream|call|>us|ran|>best us|best implementation|>times", r.Losses,
			func(l bench.Loss) report.Row {
				return report.Row{l.Stream, l.Kind, l.US, l.Chosen, l.BestUS, l.Best, l.Times}
			})
		w.WriteByte('\n')
	}
	for _, path := range doc.Written {
		report.Fprintf(w, "wrote %s\n", path)
	}
}

func comparisonRow(c bench.Comparison) report.Row {
	plan := "-"
	if c.Planned != nil {
		plan = report.Number(c.Planned.GeometricMean)
	}
	return report.Row{c.Rival, c.Kind, c.Streams, c.GeometricMean, c.P10, c.Least, c.Most, plan,
		fmt.Sprintf("%.0f", c.FloorPercent), fmt.Sprintf("%.0f", c.RivalPercent)}
}
