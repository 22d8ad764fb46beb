package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/papers"
)

// errNotReproduced reports a statement that holds no longer, or again.
var errNotReproduced = errors.New("a status is wrong")

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	options papers.Options
	items   []string
	out     string
}

// reproduceDocument is what reproduce prints.
type reproduceDocument struct {
	Paper   string       `json:"paper"`
	Rows    []papers.Row `json:"rows"`
	Failed  []string     `json:"failed"`
	Differ  []string     `json:"differ"` // with images of the user's own
	Written []string     `json:"written"`
	tables  []papers.Table
}

func newReproduce(e *env) *cobra.Command {
	var (
		flags  reproduceFlags
		stream input.StreamFlags
	)
	cmd := &cobra.Command{
		Use:       "reproduce PAPER [IMAGE...]",
		Short:     "Recompute a paper's experiments and hold its statements against them",
		Long:      reproduceHelp(),
		Example:   reproduceExample,
		ValidArgs: paperKeys(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || !slices.Contains(paperKeys(), args[0]) {
				return command.Usagef("reproduce takes the key of a paper (there are %s)", input.List(paperKeys()))
			}
			return nil
		},
	}
	stream.Register(cmd, e.Stdin)
	f := cmd.Flags()
	f.StringSliceVar(&flags.items, "item", nil, "`experiment` of the paper to make (repeat; default: all)")
	f.StringVar(&flags.out, "out", "", "`folder` for figures and tables")
	f.IntVar(&flags.options.Patterns, "patterns", 0, "gomezluna13: random access `patterns` per vote space (0: 1,000,000)")
	f.IntVar(&flags.options.Objects, "objects", 0, "gomezluna13: `objects` that k-means assigns (0: 212,340)")
	f.IntVar(&flags.options.Scale, "scale", 0, "egielski14, westphal15: inputs so many `times` as large (0: 1)")
	f.Uint64Var(&flags.options.Seed, "seed", 0, "`seed` of whatever is drawn at random")
	completeItems(cmd)
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		return e.reproduce(cmd.Context(), args, flags, stream)
	})
	return cmd
}

// fewestPatterns is how many random patterns the statements need.
const fewestPatterns = 20_000

func (e *env) reproduce(ctx context.Context, args []string, f reproduceFlags, stream input.StreamFlags) error {
	if ctx == nil {
		ctx = context.Background()
	}
	paper := paperOf(args[0])
	if err := f.check(paper, args[1:]); err != nil {
		return err
	}
	experiments, err := f.chosen(paper)
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
	if err := e.Emit(doc, func(w *bytes.Buffer) { printRows(w, doc) }); err != nil {
		return err
	}
	if len(doc.Failed) > 0 {
		return fmt.Errorf("%s: %w: %s", doc.Paper, errNotReproduced, doc.Failed[0])
	}
	return nil
}

// check reports flags and images that the paper has no use for, or too few
// patterns.
func (f *reproduceFlags) check(paper papers.Paper, images []string) error {
	if s := f.options.Scale; s != 0 && !paper.Scaled {
		return command.Usagef("--scale %d: %s has no inputs to scale", s, paper.Key)
	}
	switch n := f.options.Patterns; {
	case paper.Inputs && n != 0 && n < fewestPatterns:
		return command.Usagef("--patterns %d: want 0 or at least %d, below which chance decides what holds", n, fewestPatterns)
	case paper.Inputs:
		return nil
	case n != 0:
		return command.Usagef("--patterns %d: %s has no random patterns", n, paper.Key)
	case f.options.Objects != 0:
		return command.Usagef("--objects %d: %s assigns no objects", f.options.Objects, paper.Key)
	case len(images) > 0:
		return command.Usagef("%s: %s takes no images", images[0], paper.Key)
	}
	return nil
}

// chosen lists the experiments that the flags name, in the order of the paper.
func (f *reproduceFlags) chosen(paper papers.Paper) ([]papers.Experiment, error) {
	if len(f.items) == 0 {
		return paper.Experiments, nil
	}
	names := experimentNames(paper)
	for _, item := range f.items {
		if !slices.Contains(names, item) {
			return nil, command.Usagef("--item %q: %s has %s", item, paper.Key, input.List(names))
		}
	}
	return slices.DeleteFunc(paper.Experiments, func(x papers.Experiment) bool { return !slices.Contains(f.items, x.Name) }), nil
}

// images reads the given images as streams of pixels.
func (e *env) images(paths []string, stream input.StreamFlags) ([]papers.Image, error) {
	var all []papers.Image
	for _, path := range paths {
		s, err := input.Load(&e.Env, path, stream.Options, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, papers.Image{Name: s.Name, Pixels: s.Indices, Levels: uint32(s.Bins)})
	}
	return all, nil
}

// experiment makes one experiment and writes its figure and tables.
func (e *env) experiment(ctx context.Context, x papers.Experiment, f reproduceFlags, doc *reproduceDocument) error {
	const parts = 1000
	progress := report.NewBar(&e.Env, x.Name, parts, report.UnitsDefault)
	defer progress.Stop()
	f.options.Progress = func(done, total float64) { progress.Set(int64(done / total * parts)) }
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
		files, err := drawn(filepath.Join(f.out, x.Name), out.Page)
		if err != nil {
			return err
		}
		doc.Written = append(doc.Written, files...)
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
