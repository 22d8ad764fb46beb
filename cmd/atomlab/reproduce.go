package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/checkpoints"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/all"
)

// errNotReproduced reports a statement that holds no longer, or again.
var errNotReproduced = errors.New("a status is wrong")

type reproduceFlags struct {
	options    papers.Options
	items      []string
	out        string
	checkpoint string
}

type reproduceDocument struct {
	Paper   string       `json:"paper"`
	Rows    []papers.Row `json:"rows"`
	Judged  bool         `json:"judged"` // or with images of the user's own, or another scale
	Failed  []string     `json:"failed"`
	Differ  []string     `json:"differ"` // where nothing is judged
	Written []string     `json:"written"`
	// Data are the tables of the files of --data.
	Data   []papers.Table `json:"data,omitempty"`
	tables []papers.Table
}

func newReproduce(e *env) *cobra.Command {
	var (
		flags  reproduceFlags
		stream input.StreamFlags
		keys   []string
	)
	long, studies := reproduceLong+"\n", all.Papers()
	for _, p := range studies {
		keys = append(keys, p.Key)
		long += fmt.Sprintf("\n  of %s:\n", p.Key)
		for _, x := range p.Experiments {
			long += fmt.Sprintf("    %-14s%s\n", x.Name, x.Title)
		}
	}
	cmd := &cobra.Command{
		Use:       "reproduce PAPER [IMAGE...]",
		Short:     "Recompute a paper's experiments and hold its statements against them",
		Long:      strings.TrimSuffix(long, "\n"),
		Example:   reproduceExample,
		ValidArgs: keys,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || !slices.Contains(keys, args[0]) {
				return command.Usagef("reproduce takes the key of a paper (one of %s)", input.List(keys))
			}
			return nil
		},
	}
	stream.Register(cmd, e.Stdin)
	f := cmd.Flags()
	f.StringSliceVar(&flags.items, "item", nil,
		"`experiment` of the paper to make (repeat; default: all)")
	f.StringVar(&flags.out, "out", "", "`folder` for figures and tables")
	o := &flags.options
	f.IntVar(&o.Patterns, "patterns", 0,
		"gomezluna13: random access `patterns` per vote space (0: 1,000,000)")
	f.IntVar(&o.Objects, "objects", 0, "gomezluna13: `objects` that k-means assigns (0: 212,340)")
	f.Float64Var(&o.Scale, "scale", 0,
		"egielski14, westphal15: inputs so many `times` as large (0: 1, which alone is judged)")
	f.StringVar(&o.Data, "data", "",
		"egielski14: `folder` of matrices (Matrix Market) and images to simulate beside the drawn ones")
	f.StringVar(&flags.checkpoint, "journal", "",
		input.AtMost(wholefile.Most, "`file` that keeps simulated times: those in it are not simulated again"))
	f.Uint64Var(&o.Seed, "seed", 0, "`seed` of whatever is drawn at random")
	completeItems(cmd)
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		return e.reproduce(studies[slices.Index(keys, args[0])], args[1:], flags, stream)
	})
	return cmd
}

// dataItem is the item that --data adds to those of a paper.
const dataItem = "data"

// fewestPatterns is how many random patterns the statements need.
const fewestPatterns = 20_000

func (e *env) reproduce(
	paper papers.Paper, images []string, f reproduceFlags, stream input.StreamFlags,
) error {
	if err := f.check(paper, images); err != nil {
		return err
	}
	if f.options.Data != "" {
		paper.Experiments = append([]papers.Experiment{{Name: dataItem,
			Title: "Files of " + f.options.Data, Make: paper.Data}}, paper.Experiments...)
	}
	experiments, err := f.chosen(paper)
	if err != nil {
		return err
	}
	for _, path := range images {
		s, err := input.Load(&e.Env, path, stream)
		if err != nil {
			return err
		}
		s.Simulation(&e.Env, hwsim.MaxBins)
		f.options.Images = append(f.options.Images,
			papers.Image{Name: s.File, Pixels: s.Indices, Levels: uint32(s.Bins())})
	}
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	doc, err := e.document(paper, experiments, f)
	if err != nil {
		return err
	}
	if err := e.Emit(doc, func(w *bytes.Buffer) { printRows(w, doc) }); err != nil {
		return err
	}
	if len(doc.Failed) > 0 {
		return fmt.Errorf("%s: %w: %s", doc.Paper, errNotReproduced, doc.Failed[0])
	}
	return nil
}

// checkpoint opens the checkpoint that was named, else one beside the output, which goes when all is made.
func (e *env) checkpoint(paper papers.Paper, f *reproduceFlags) (end func(made bool) error, err error) {
	path, of := f.checkpoint, ""
	if !paper.Memo || path == "" && f.out == "" {
		return func(bool) error { return nil }, nil
	}
	if path == "" {
		program, err := checkpoints.Binary()
		if err != nil {
			return nil, err
		}
		path, of = filepath.Join(f.out, paper.Key+".journal"), fmt.Sprintf("%s, options %x, by program %s", paper.Key,
			f.options.Fingerprint(), program)
	}
	j, err := papers.OpenCheckpoint(path, of)
	if err != nil && f.checkpoint != "" {
		err = fmt.Errorf("--journal: %w", err)
	}
	if err != nil {
		return nil, err
	}
	e.Keeps("%s has the simulated times; the same command resumes", path)
	f.options.Memo = j.Memo
	return func(made bool) error {
		if made && of != "" {
			return j.Remove()
		}
		return j.Close()
	}, nil
}

// document makes the experiments, with the times of a checkpoint if there is one.
func (e *env) document(paper papers.Paper, experiments []papers.Experiment, f reproduceFlags) (
	doc reproduceDocument, err error) {
	if f.options, err = f.options.Complete(); err != nil {
		return doc, err
	}
	end, err := e.checkpoint(paper, &f)
	if err != nil {
		return doc, err
	}
	defer func() { err = errors.Join(err, end(err == nil)) }()
	none := []string{}
	doc = reproduceDocument{Paper: paper.Key, Rows: []papers.Row{}, Judged: f.options.Judges(), Failed: none,
		Differ: none, Written: none}
	for i, x := range experiments {
		title := fmt.Sprintf("%d of %d: %s, %s", i+1, len(experiments), x.Name, x.Title)
		if err := e.experiment(x, title, f, &doc); err != nil {
			return doc, err
		}
	}
	return doc, doc.numbers(f.out)
}

// numbers draws the paper's numbers beside ours, where both are.
func (doc *reproduceDocument) numbers(folder string) error {
	page := papers.NumbersPage(doc.Paper, doc.Rows)
	if folder == "" || len(page.Panels) == 0 {
		return nil
	}
	return doc.draw(filepath.Join(folder, "numbers"), page)
}

// check reports flags and images that the paper has no use for, or too few
// patterns.
func (f *reproduceFlags) check(paper papers.Paper, images []string) error {
	o := f.options
	switch {
	case f.checkpoint != "" && !paper.Memo:
		return command.Usagef("--journal %s: %s keeps no simulated times", f.checkpoint, paper.Key)
	case o.Data != "" && paper.Data == nil:
		return command.Usagef("--data %s: %s takes no folder of files", o.Data, paper.Key)
	case o.Scale != 0 && !paper.Scaled:
		return command.Usagef("--scale %v: %s has no inputs to scale", o.Scale, paper.Key)
	case paper.Inputs && o.Patterns != 0 && o.Patterns < fewestPatterns:
		return command.Usagef("--patterns %d: want 0 or at least %d, "+
			"below which chance decides what holds", o.Patterns, fewestPatterns)
	case paper.Inputs:
		return nil
	case o.Patterns != 0:
		return command.Usagef("--patterns %d: %s has no random patterns", o.Patterns, paper.Key)
	case o.Objects != 0:
		return command.Usagef("--objects %d: %s assigns no objects", o.Objects, paper.Key)
	case len(images) > 0:
		return command.Usagef("%s: %s takes no images", images[0], paper.Key)
	}
	return nil
}

// chosen lists the experiments that the flags name, in the order of the paper.
func (f *reproduceFlags) chosen(paper papers.Paper) ([]papers.Experiment, error) {
	names := experimentNames(paper)
	for _, item := range f.items {
		if !slices.Contains(names, item) {
			return nil, command.Usagef("--item %q: %s has %s", item, paper.Key, input.List(names))
		}
	}
	return slices.DeleteFunc(paper.Experiments, func(x papers.Experiment) bool {
		return x.Name != dataItem && len(f.items) > 0 && !slices.Contains(f.items, x.Name)
	}), nil
}

// experiment makes one experiment and writes its figure and tables. Its progress is told in
// runs, or in what else the experiment is shared out by.
func (e *env) experiment(
	x papers.Experiment, title string, f reproduceFlags, doc *reproduceDocument,
) error {
	progress := report.NewBar(&e.Env, title, 0, report.UnitsDefault)
	defer progress.Stop()
	f.options.Progress = func(done, total float64) { progress.SetOf(int64(done), int64(total)) }
	out, err := x.Run(e.Context(), f.options)
	if err != nil {
		return err
	}
	doc.Rows = append(doc.Rows, out.Rows...)
	doc.tables = append(doc.tables, out.Tables...)
	if x.Name == dataItem {
		doc.Data = out.Tables
	}
	for _, r := range out.Rows {
		failure := r.Failure()
		if failure != "" && !doc.Judged {
			doc.Differ = append(doc.Differ, failure)
		} else if failure != "" {
			doc.Failed = append(doc.Failed, failure)
		}
	}
	if f.out == "" {
		return nil
	}
	if len(out.Page.Panels) > 0 {
		if err := doc.draw(filepath.Join(f.out, x.Name), out.Page); err != nil {
			return err
		}
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

const reproduceLong = `reproduce recomputes the experiments of a paper. For each statement that can be
checked it lists what the paper says, what is found here, and whether the
statement is enforced or a known gap, with the reason. Some have our own reading
beside them, which is not judged.

gomezluna13 is J. Gómez-Luna, J. M. González-Linares, J. I. Benavides, N. Guil,
Performance Modeling of Atomic Additions on GPU Scratchpad Memory, 2013:
latencies and throughputs of atomic additions on the GeForce GTX 580, the effect
of replication, mapping and padding, k-means and histograms. Figures 8 and 9 are
simulated. Figure 9 uses images made here, or the FILEs given.

elteir11 is M. Elteir, H. Lin, W. Feng, Performance Characterization and
Optimization of Atomic Operations on AMD GPUs, 2011: atomic additions by a
coordinator workgroup against those of the Radeon HD 5870 itself, alone and in
matrix multiplication, k-means, scalar product and string match. All of it is
simulated, and compared with the published equations and a corrected form.

streamhpc is the StreamHPC blog's Atomic operations for floats in OpenCL: its
two compare-and-exchange loops, where ordinary reads may be stale.

egielski14 is I. Egielski, J. Huang, E. Z. Zhang, Massive Atomics for Massive
Parallelism on GPUs, 2014: histogram, sparse matrix product, merge sort, page
view count and summation with atomics that collide less, on the GeForce GTX 680
and the Tesla C2075, and the choice among them by a regression tree. All of it
is simulated on inputs generated here. They are as large as the paper's, so this
takes long. A small --scale such as 0.03 is faster, but judges nothing. With
--data FOLDER the matrices (.mtx) and images (.png, .jpg, .pgm, .tif) below that
folder, gzipped or not, are simulated too. Further tables list their times and
collisions, the implementation that a tree trained on the others chooses, and
its gain. A file that cannot be read is skipped, and listed with the reason.
These tables judge no statement; --item data makes only them.

westphal15 is E. Westphal, Voting and Shuffling to Optimize Atomic Operations,
2015: sums by key of a million cells, plain, reduced within warps first, and
binned in shared memory, on the GeForce GTX 680 and GTX 980 (simulated) and on
the H200 (simulated and measured); get_peers and reduce_peers lane by lane. With
--scale more of the ten million sums are simulated.

With --out each experiment's figure is written as SVG and PNG and its tables as
CSV; "numbers" compares the paper's numbers with ours. File names repeat between
papers, so give each paper its own folder. doc/results/REPRODUCED.md shows these
figures. The exit code is 1 if an enforced statement does not hold or a known
gap has closed. With FILEs, whose pixels may differ from the paper's, or with
another --scale than 1, nothing is judged, and a statement that does not hold is
only marked.

With --out the simulated times of gomezluna13, egielski14 and westphal15 are
saved in PAPER.journal in that folder until everything is finished, so the same
command resumes after an interruption. --journal saves them in a file that
remains. Remove that file after a change of the simulator.

The experiments are`

const reproduceExample = `  atomlab reproduce gomezluna13 --item section2.1.2
  atomlab reproduce gomezluna13 --item figure5 --patterns 20000 --out figures
  atomlab reproduce gomezluna13 --item figure2,figure3 --json
  atomlab reproduce elteir11 --item figure1,figure8 --out figures
  atomlab reproduce streamhpc
  atomlab reproduce westphal15 --item steps --out figures
  atomlab reproduce egielski14 --item table1 --scale 0.03 --out figures
  atomlab reproduce egielski14 --item data --data inputs --out figures`

func experimentNames(paper papers.Paper) []string {
	var names []string
	for _, x := range paper.Experiments {
		names = append(names, x.Name)
	}
	return names
}

// completeItems completes --item by the experiments of the paper that the line
// names, or of all.
func completeItems(cmd *cobra.Command) {
	complete := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, p := range all.Papers() {
			if len(args) == 0 || args[0] == p.Key {
				names = append(names, experimentNames(p)...)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("item", complete); err != nil {
		panic(err) // the flag was registered the line before
	}
}
