package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/plot"
	"github.com/atomtune/atomtune/reproduce"
)

// errNotReproduced reports a statement that holds no longer, or again.
var errNotReproduced = errors.New("a status is wrong")

const reproduceLong = `reproduce recomputes the experiments of a paper and lists each of its statements
that can be checked: what the paper says, what is found here, and whether that
is enforced or a known gap, with the reason.

gomezluna13 is J. Gómez-Luna, J. M. González-Linares, J. I. Benavides, N. Guil,
Performance Modeling of Atomic Additions on GPU Scratchpad Memory, 2013:
latencies and throughputs of atomic additions on the GeForce GTX 580, the effect
of replication, mapping and padding, k-means and histograms. Figures 8 and 9 are
simulated. Figure 9 uses images made here, or the FILEs given.

All experiments together take a minute or two. With --out each experiment's figure is written as SVG and PNG, and its tables as
CSV. The exit code is 1 if an enforced statement does not hold, or a known gap
has closed; with FILEs, whose pixels may be others than the paper's, a statement
that they do not bear out is only marked.`

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	options reproduce.Options
	items   []string
	out     string
}

// reproduceDocument is what reproduce prints.
type reproduceDocument struct {
	Paper   string          `json:"paper"`
	Rows    []reproduce.Row `json:"rows"`
	Failed  []string        `json:"failed"`
	Differ  []string        `json:"differ"` // with images of the user's own
	Written []string        `json:"written"`
	tables  []reproduce.Table
}

func newReproduce(e *env) *cobra.Command {
	var (
		flags  reproduceFlags
		stream streamFlags
	)
	papers := []string{"gomezluna13"}
	cmd := &cobra.Command{
		Use:   "reproduce gomezluna13 [IMAGE...]",
		Short: "Recompute a paper's experiments and hold its statements against them",
		Long:  reproduceLong,
		Example: `  atomtune reproduce gomezluna13 --item section2.1.2
  atomtune reproduce gomezluna13 --item figure5 --patterns 20000 --out figures
  atomtune reproduce gomezluna13 --item figure2,figure3 --json`,
		ValidArgs: papers,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || !slices.Contains(papers, args[0]) {
				return usagef("reproduce takes the key of a paper (there is %s)", list(papers))
			}
			return nil
		},
	}
	stream.register(cmd, e)
	f := cmd.Flags()
	f.StringSliceVar(&flags.items, "item", nil, "`experiment` to make (repeat; default: all): "+list(experimentNames()))
	f.StringVar(&flags.out, "out", "", "`folder` for figures and tables")
	f.IntVar(&flags.options.Patterns, "patterns", 0, "random access `patterns` per vote space (0: 1,000,000)")
	f.IntVar(&flags.options.Objects, "objects", 0, "`objects` that k-means assigns (0: 212,340)")
	f.Uint64Var(&flags.options.Seed, "seed", 0, "`seed` of patterns, objects and images")
	completeFlag(cmd, "item", experimentNames())
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return e.reproduce(cmd.Context(), args, flags, stream)
	})
	return cmd
}

func experimentNames() []string {
	var names []string
	for _, x := range reproduce.Gomezluna13() {
		names = append(names, x.Name)
	}
	return names
}

// fewestPatterns is how many random patterns the statements need.
const fewestPatterns = 20_000

func (e *env) reproduce(ctx context.Context, args []string, f reproduceFlags, stream streamFlags) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if n := f.options.Patterns; n != 0 && n < fewestPatterns {
		return usagef("--patterns %d: want 0 or at least %d, below which chance decides what holds", n, fewestPatterns)
	}
	experiments, err := f.chosen()
	if err != nil {
		return err
	}
	if f.options.Images, err = e.images(args[1:], stream); err != nil {
		return err
	}
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	doc := reproduceDocument{Paper: args[0], Failed: []string{}, Differ: []string{}, Written: []string{}}
	for _, x := range experiments {
		if err := e.experiment(ctx, x, f, &doc); err != nil {
			return err
		}
	}
	if err := e.emit(doc, func(w *bytes.Buffer) { printRows(w, doc) }); err != nil {
		return err
	}
	if len(doc.Failed) > 0 {
		return fmt.Errorf("%s: %w: %s", doc.Paper, errNotReproduced, doc.Failed[0])
	}
	return nil
}

// chosen lists the experiments that the flags name, in the order of the paper.
func (f *reproduceFlags) chosen() ([]reproduce.Experiment, error) {
	all := reproduce.Gomezluna13()
	if len(f.items) == 0 {
		return all, nil
	}
	for _, item := range f.items {
		if !slices.Contains(experimentNames(), item) {
			return nil, usagef("--item %q: there are %s", item, list(experimentNames()))
		}
	}
	return slices.DeleteFunc(all, func(x reproduce.Experiment) bool { return !slices.Contains(f.items, x.Name) }), nil
}

// images reads the given images as streams of pixels.
func (e *env) images(paths []string, stream streamFlags) ([]reproduce.Image, error) {
	var all []reproduce.Image
	for _, path := range paths {
		s, err := e.load(path, stream.options, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, reproduce.Image{Name: s.name, Pixels: s.indices, Levels: uint32(s.bins)})
	}
	return all, nil
}

// experiment makes one experiment and writes its figure and tables.
func (e *env) experiment(ctx context.Context, x reproduce.Experiment, f reproduceFlags, doc *reproduceDocument) error {
	const parts = 1000
	progress := e.newBar(x.Name, parts, unitsDefault)
	defer progress.stop()
	f.options.Progress = func(done, total float64) { progress.set(int64(done / total * parts)) }
	out, err := x.Run(ctx, f.options)
	if err != nil {
		return err
	}
	doc.Rows = append(doc.Rows, out.Rows...)
	doc.tables = append(doc.tables, out.Tables...)
	for _, r := range out.Rows {
		failure := r.Failure()
		if failure != "" && len(f.options.Images) > 0 {
			doc.Differ = append(doc.Differ, failure)
		} else if failure != "" {
			doc.Failed = append(doc.Failed, failure)
		}
	}
	if f.out == "" {
		return nil
	}
	if len(out.Page.Panels) > 0 {
		name := filepath.Join(f.out, x.Name)
		if err := plot.Write(name, out.Page); err != nil {
			return err
		}
		doc.Written = append(doc.Written, name+".svg", name+".png")
	}
	for _, t := range out.Tables {
		path := filepath.Join(f.out, t.Name+".csv")
		if err := wholefile.Write(path, t.CSV()); err != nil {
			return err
		}
		doc.Written = append(doc.Written, path)
	}
	return nil
}

func printRows(w *bytes.Buffer, doc reproduceDocument) {
	for _, t := range doc.tables {
		printNumbers(w, t)
	}
	t := newTable(column{title: "statement", width: 56}, column{title: "paper", width: 18}, column{title: "ours", width: 18},
		column{title: "unit"}, column{title: "status"}, column{title: "reason", width: 56})
	for _, r := range doc.Rows {
		status := r.Status
		if r.Failure() != "" {
			status = "not so here: " + status
		}
		t.AppendRow(table.Row{r.Item, r.PaperValue, r.Ours, r.Unit, status, r.Reason})
	}
	printTable(w, t)
	gaps := 0
	for _, r := range doc.Rows {
		if r.Status == reproduce.KnownGap {
			gaps++
		}
	}
	fmt.Fprintf(w, "\n%d statements, %d of them known gaps; %d with a wrong status", len(doc.Rows), gaps, len(doc.Failed))
	if len(doc.Differ) > 0 {
		fmt.Fprintf(w, ", %d that these images do not bear out", len(doc.Differ))
	}
	w.WriteByte('\n')
	for _, path := range doc.Written {
		fmt.Fprintf(w, "wrote %s\n", path)
	}
}

// mostNumbers is how many rows of an experiment's table are printed.
const mostNumbers = 40

// printNumbers prints a table of an experiment.
func printNumbers(w *bytes.Buffer, numbers reproduce.Table) {
	columns := make([]column, len(numbers.Columns))
	for i, title := range numbers.Columns {
		columns[i] = column{title: title, right: i > 0}
	}
	fmt.Fprintf(w, "%s\n", numbers.Title)
	t := newTable(columns...)
	for _, cells := range numbers.Cells[:min(len(numbers.Cells), mostNumbers)] {
		row := make(table.Row, len(cells))
		for i, cell := range cells {
			row[i] = cell
		}
		t.AppendRow(row)
	}
	printTable(w, t)
	if more := len(numbers.Cells) - mostNumbers; more > 0 {
		fmt.Fprintf(w, "and %d more rows (--out writes them)\n", more)
	}
	w.WriteByte('\n')
}
