package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

type trainFlags struct {
	target  string
	flags   *pflag.FlagSet
	device  string
	sweep   model.Sweep
	collect training.CollectOptions
	shard   string
	merge   []string
	out     string
	joined  string
	beside  bool // the journal stands beside the output, and goes once that is written
}

// keep names the journal beside the output, unless one was named, and says what it is for.
func (f *trainFlags) keep(e *env) {
	if f.beside = f.collect.Journal == ""; f.beside {
		f.collect.Journal = f.out + ".journal"
	}
	e.Keeps("%s keeps what is finished, the same command goes on with it", f.collect.Journal)
}

// written removes the journal that stands beside the output, unless writing that gave an error.
func (f *trainFlags) written(err error) error {
	if err != nil || !f.beside {
		return err
	}
	journal := f.collect.Journal
	f.collect.Journal = ""
	return wholefile.Discard(journal)
}

func newTrain(e *env) *cobra.Command {
	var (
		f     trainFlags
		calls measuredFlags
	)
	cmd := &cobra.Command{
		Use:   "train --out FILE",
		Short: "Train the tree of a device on simulated streams",
		Args:  cobra.ArbitraryArgs,
	}
	explain(cmd)
	input.RegisterDevice(cmd, &f.device)
	flags := cmd.Flags()
	f.flags, calls.flags = flags, flags
	flags.StringVar(&f.target, "target", targetModel,
		"what to train: `model`, or dispatch: the decision tree that chooses on the GPU")
	registerSweep(flags, &f.sweep)
	flags.StringVar(&f.joined, "rows", "",
		"`file` to write: the rows of all parts as one journal, with --merge")
	flags.StringVar(&f.out, "out", "", "`file` to write: the model, or the journal of a part")
	flags.StringVar(&f.collect.Journal, "journal", "", input.AtMost(wholefile.Most, "`file` that keeps finished points"))
	flags.StringVar(&f.collect.From, "from", "",
		input.AtMost(wholefile.Most, "take over the points of this `journal` of the same sweep that come out the same"))
	flags.StringVar(&f.shard, "shard", "", "simulate part `i/n` of the points only, i from 0 to n-1")
	flags.StringArrayVar(&f.merge, "merge", nil,
		input.AtMost(wholefile.Most, "make the model from this `journal` (repeat, or name further ones as arguments)"))
	flags.IntVar(&f.collect.Workers, "workers", 0, "points simulated at once (0: as many as cores)")
	calls.register()
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		tree, err := f.checkTarget(args)
		measured := false
		if err == nil && !tree {
			measured, err = calls.check(args, f.out)
		}
		if err == nil && !tree && !measured {
			err = f.check(args)
		}
		if err != nil {
			return err
		}
		d, err := device.Load(f.device)
		if err != nil {
			return err
		}
		if measured { // whose document has the warnings
			return trainMeasured(e, d, &calls, f.out)
		}
		input.Doubts(e, d)
		if tree {
			return trainDispatch(e.Context(), e, d, &f)
		}
		return makeModel(e.Context(), e, d, &f)
	})
	return cmd
}

// trainCommand is the command that trains the tree of a device, a name or the file of a profile.
func trainCommand(device string) string {
	plain := strings.TrimSuffix(device, ".json")
	return fmt.Sprintf("atomtune train --device %s --out %s-model.json.gz", device, plain)
}

// registerSweep adds the flags of a sweep. Their defaults make a first tree on two cores
// in 5 minutes at most: in 4.5 of the H200, in 45 seconds of the GTX 680.
func registerSweep(flags *pflag.FlagSet, s *model.Sweep) {
	flags.IntVar(&s.Points, "points", 144, "`number` of training points")
	flags.Uint64Var(&s.Seed, "seed", 1, "`seed` of the training points")
	flags.Uint64Var(&s.MinUpdates, "min-updates", 1<<10, "shortest stream, in `updates`")
	flags.Uint64Var(&s.MaxUpdates, "max-updates", 1<<23, "longest stream, in `updates`")
	flags.Uint64Var(&s.MaxBins, "max-bins", 1<<22, "most `targets`")
	flags.Uint64Var(&s.ShortUpdates, "short-updates", 1<<18, "length up to which seven of eight "+
		"parameter sweeps are, the others longer; 0, and where no stream is that long: no difference")
	flags.IntVar(&s.Line, "line", 8, "`points` of a parameter sweep, placed around the decision "+
		"boundary (0: points drawn one by one)")
	flags.Float64Var(&s.Screen, "screen", 1.5,
		"leave out implementations whose closed form exceeds `times` the least (0: none)")
}

// check refuses flags that contradict each other, and reads what they name: the part to simulate,
// whose journal may be named by --out, and the journals to merge.
func (f *trainFlags) check(args []string) (err error) {
	const need = training.MinRows
	switch {
	case len(args) > 0 && len(f.merge) == 0:
		return command.Usagef("train takes no argument without --merge, but got %q", args[0])
	case len(f.merge) > 0 && (f.shard != "" || f.collect.Journal != "" || f.collect.From != ""):
		return command.Usagef("train --merge simulates nothing: --shard, --journal and --from do " +
			"not apply")
	case f.shard != "" && f.collect.Journal != "" && f.out != "":
		return command.Usagef("train --shard makes no model: give its journal as --journal or as " +
			"--out, not both")
	case f.joined != "" && len(f.merge) == 0:
		return command.Usagef("train --rows puts parts together: it needs --merge")
	case f.shard != "" && f.collect.Journal == "" && f.out == "":
		return command.Usagef("train --shard needs the journal of the part, as --out or as --journal")
	case f.out == "" && f.joined == "" && (f.shard == "" || f.collect.Journal == ""):
		return command.Usagef("train needs --out, the file to write")
	case len(f.merge) == 0 && f.sweep.Points > 0 && f.sweep.Points < need:
		return command.Usagef("train --points %d: a model needs %d points at least", f.sweep.Points, need)
	}
	if s := &f.sweep; !f.flags.Changed("short-updates") && (s.ShortUpdates < s.MinUpdates || s.ShortUpdates > s.MaxUpdates) {
		s.ShortUpdates = 0
	}
	f.merge = append(f.merge, args...)
	read := []input.FlagFile{{Flag: "from", Path: f.collect.From}}
	for _, path := range f.merge {
		read = append(read, input.FlagFile{Flag: "merge", Path: path})
	}
	err = input.Apart([]input.FlagFile{{Flag: "out", Path: f.out}, {Flag: "rows", Path: f.joined},
		{Flag: "journal", Path: f.collect.Journal}}, read)
	if err == nil && f.shard != "" {
		if f.collect.Journal == "" {
			f.collect.Journal, f.out = f.out, ""
		}
		f.collect.Shard, err = training.ParseShard(f.shard)
	}
	return err
}

// makeModel makes the model, or a part of its journal, until the context ends.
func makeModel(ctx context.Context, e *env, d *device.Profile, f *trainFlags) error {
	if err := wholefile.Writable(f.out); err != nil {
		return err
	}
	start := e.Now()
	sweep, rows, err := trainingRows(ctx, e, d, f)
	if err != nil {
		return err
	}
	doc := trainDocument{
		Device: d.Name, Points: sweep.Points, Seed: sweep.Seed, Shard: f.collect.Shard.String(),
		Rows: len(rows), Journal: f.collect.Journal, RowsFile: f.joined,
		Warnings: d.Doubts(),
	}
	if f.out != "" {
		m, err := training.Fit(ctx, d, sweep, rows)
		if err != nil {
			return err
		}
		data, err := m.Encode()
		if err := f.written(writeEncoded(f.out, data, err)); err != nil {
			return err
		}
		doc.Journal, doc.Model, doc.Evaluation, doc.Leaves = f.collect.Journal, f.out, &m.Evaluation, len(m.Tree.Leaves)
	}
	doc.ElapsedS = e.Now().Sub(start).Seconds()
	return e.Emit(doc, func(w *bytes.Buffer) { printTraining(w, doc) })
}

// trainingRows returns the sweep and its rows: simulated ones, or those of journals to merge.
func trainingRows(ctx context.Context, e *env, d *device.Profile, f *trainFlags) (model.Sweep, []training.Row, error) {
	if len(f.merge) > 0 {
		return mergeRows(d, f)
	}
	f.keep(e)
	var err error
	if f.collect.Simulator, err = training.Fingerprint(simulator{}, d); err != nil {
		return f.sweep, nil, err
	}
	progress := report.NewBar(e, "simulating points", int64(f.sweep.Points), report.UnitsDefault)
	defer progress.Stop()
	f.collect.Progress = func(done, total int) { progress.SetOf(int64(done), int64(total)) }
	rows, err := training.Collect(ctx, d, f.sweep, simulator{}, f.collect)
	if err != nil {
		progress.Cut()
	}
	return f.sweep, rows, err
}

// simulator lets the tuner reach the simulated devices, by the rule's launch or a fixed one.
type simulator struct{ launch device.Launch }

// Simulate implements training.Simulator.
func (s simulator) Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	return hwsim.Estimate(hwsim.Config{Device: d, Call: c, Variant: v, Coarse: true,
		Launch: s.launch}, indices, bins)
}

// writeEncoded writes what could be encoded, compressed if the file's name ends in .gz.
func writeEncoded(path string, data []byte, err error) error {
	if err == nil && strings.HasSuffix(path, ".gz") {
		data, err = gzipped.Pack(data)
	}
	if err != nil {
		return err
	}
	return wholefile.Write(path, data)
}

// mergeRows returns the rows of the journals and their sweep. Flags that were
// given must agree with what the journals say of themselves.
func mergeRows(d *device.Profile, f *trainFlags) (sweep model.Sweep, rows []training.Row, err error) {
	head, rows, err := training.Merge(f.merge...)
	if err != nil {
		return sweep, nil, err
	}
	if head.ProfileHash != model.ProfileHash(d) {
		return sweep, nil, fmt.Errorf("%s: %w: it was simulated for device %s with another profile "+
			"than that of %s", f.merge[0], training.ErrJournal, head.Device, d.Name)
	}
	made := pflag.NewFlagSet("", pflag.ContinueOnError)
	registerSweep(made, &sweep)
	f.sweep, sweep = f.sweep.Normal(), head.Sweep.Normal()
	made.VisitAll(func(has *pflag.Flag) {
		asked := f.flags.Lookup(has.Name)
		if asked.Changed && asked.Value.String() != has.Value.String() {
			err = command.Usagef("%s: simulated with --%s %v, not %v", f.merge[0], has.Name, has.Value,
				asked.Value)
		}
	})
	if err == nil && f.joined != "" {
		data, errEncode := training.EncodeJournal(head, rows)
		err = writeEncoded(f.joined, data, errEncode)
	}
	return head.Sweep, rows, err
}

type trainDocument struct {
	Device string `json:"device"`
	Points int    `json:"points"` // of the sweep
	Seed   uint64 `json:"seed"`
	Shard  string `json:"shard"`
	Rows   int    `json:"rows"` // points that were simulated
	// What follows, but for the last, is left out where there is none.
	Journal    string            `json:"journal,omitempty"`
	RowsFile   string            `json:"rows_file,omitempty"` // the parts' rows as one journal
	Model      string            `json:"model,omitempty"`
	Leaves     int               `json:"leaves,omitempty"` // of the tree
	Evaluation *model.Evaluation `json:"evaluation,omitempty"`
	Warnings   []string          `json:"warnings,omitempty"`
	ElapsedS   float64           `json:"elapsed_s"`
}

func printTraining(w *bytes.Buffer, doc trainDocument) {
	part := ""
	if doc.Shard != (training.Shard{}).String() {
		part = "shard " + doc.Shard + ", "
	}
	report.Fprintf(w, "%s: %s of %s points, %sseed %d, in %s s\n", doc.Device,
		report.Count(doc.Rows), report.Count(doc.Points), part, doc.Seed, report.Number(doc.ElapsedS))
	for _, file := range [][2]string{{"journal", doc.Journal}, {"rows", doc.RowsFile},
		{"model", doc.Model}} {
		if file[1] != "" {
			report.Fprintf(w, "%s: %s\n", file[0], file[1])
		}
	}
	if doc.Model != "" {
		printEvaluation(w, doc)
	}
}

func printEvaluation(w *bytes.Buffer, doc trainDocument) {
	e := doc.Evaluation
	report.Fprintf(w, "tree: %s\n", report.Counted(doc.Leaves, "leaf"))
	if doc.Leaves == 1 {
		w.WriteString("it corrects nothing: no tree chose as well as the closed forms alone on families that " +
			"it had not seen\n")
	}
	w.WriteString("\ntime of the choice over the best time, on families that the tree had not seen:\n\n")
	report.Cells(w, "choices|>points|>geometric mean|>p90|>max", []report.Row{
		lossCells("by the tree", e.Tree), lossCells("by closed forms", e.ClosedForm),
		lossCells("always naive", e.Naive)})
	if e.Naive.Points < e.Tree.Points {
		w.WriteString(naiveNote)
	}
}

func lossCells(name string, l model.Loss) report.Row {
	return report.Row{name, fmt.Sprint(l.Points), l.GeometricMean, l.P90, l.Max}
}

// What the row of a screened sweep means.
const naiveNote = `
Screening left implementations out: "always naive" counts only the points where naive
was left in, which are kinder to it than the others.
`
