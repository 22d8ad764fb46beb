package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/bench"
)

const benchLong = `bench scatter compares the call that chooses its implementation with PyTorch
(scatter_add_, index_add_, bincount), CUB (HistogramEven, sort and reduce by
key), plain atomics and the best of all implementations and launches: how many
times as long each takes, how close the call is to the floor, and which
statements about it are met.

It reads tables that bindings/cuda/bench/scatter.py measured, packed by gzip or
not, one of each GPU. --more adds implementations that were measured later.
--out writes BENCH.md and, for each GPU, figures as SVG and PNG: the time over
the floor on every stream, sorted.

bench rows reads a table of bindings/cuda/bench/rows.py and says how far the
prices of updates of rows are off, and with --simulated how far simulated times
are. --simulate N adds every N-th case to that file and resumes after an
interruption.`

const benchExample = `  atomlab bench scatter --run lab/bench/recorded/h200.csv.gz
  atomlab bench scatter --run h200.csv --run h100.csv --out doc
  atomlab bench scatter --run h200.csv --more ladder.csv
  atomlab bench rows --run rows.csv
  atomlab bench rows --run rows.csv --simulated simulated.csv --simulate 10`

type benchFlags struct {
	runs, more     []string
	out, simulated string
	every          int
}

func newBench(e *env) *cobra.Command {
	var flags benchFlags
	suites := []string{"scatter", "rows"}
	cmd := &cobra.Command{
		Use:       "bench SUITE --run TABLE",
		Short:     "Compare measured calls with libraries, and with predicted times of rows",
		Long:      benchLong,
		Example:   benchExample,
		ValidArgs: suites,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(suites, args[0]) {
				return command.Usagef("bench takes a suite (there are %s)", strings.Join(suites, ", "))
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
	f.StringVar(&flags.simulated, "simulated", "", input.AtMost(wholefile.Most, "of rows: `file` of simulated times"))
	f.IntVar(&flags.every, "simulate", 0, "of rows: simulate each `N`th case that --simulated lacks")
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		switch {
		case len(flags.runs) == 0:
			return command.Usagef("bench %s needs --run, a table that bindings/cuda/bench/%[1]s.py measured", args[0])
		case args[0] == "rows":
			return e.benchRows(flags)
		}
		return e.benchScatter(flags)
	})
	return cmd
}

type benchDocument struct {
	Reports []*bench.Report `json:"reports"`
	Written []string        `json:"written"`
}

func (e *env) benchScatter(f benchFlags) error {
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
		if doc.Written, err = writeBench(f.out, doc.Reports); err != nil {
			return err
		}
	}
	return e.Emit(doc, func(w *bytes.Buffer) {
		w.Write(bench.Document(doc.Reports))
		for _, path := range doc.Written {
			report.Fprintf(w, "wrote %s\n", path)
		}
	})
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
