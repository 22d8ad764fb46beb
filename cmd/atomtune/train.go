package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

type trainFlags struct {
	flags   *pflag.FlagSet
	target  string
	device  string
	sweep   model.Sweep
	collect training.CollectOptions
	shard   string
	merge   []string
	out     string
	joined  string
	beside  bool // the checkpoint stands beside the output, and goes once that is written
	measuredFlags
}

// keep names the checkpoint beside the output, unless one was named, and says what it is for.
func (f *trainFlags) keep(e *env) {
	if f.beside = f.collect.Checkpoint == ""; f.beside {
		f.collect.Checkpoint = f.out + ".journal"
	}
	e.Keeps("%s has the finished part; the same command resumes", f.collect.Checkpoint)
}

// write writes the output, compressed if it is named .gz, and removes the checkpoint that stands beside it.
func (f *trainFlags) write(data []byte, err error) error {
	if err := writeEncoded(f.out, data, err); err != nil || !f.beside {
		return err
	}
	checkpoint := f.collect.Checkpoint
	f.collect.Checkpoint = ""
	return wholefile.Discard(checkpoint)
}

func newTrain(e *env) *cobra.Command {
	var f trainFlags
	cmd := newCommand("train --out FILE", cobra.ArbitraryArgs)
	input.RegisterDevice(cmd, &f.device)
	flags := cmd.Flags()
	f.flags = flags
	flags.StringVar(&f.target, "target", "model",
		"what to train: `model`, or dispatch for the decision tree that chooses on the GPU")
	registerSweep(flags, &f.sweep)
	flags.StringVar(&f.joined, "rows", "",
		"`file` to write: the rows of all parts as one checkpoint, with --merge")
	flags.StringVar(&f.out, "out", "", "`file` to write: the model, or the checkpoint of a part")
	flags.StringVar(&f.collect.Checkpoint, "journal", "", input.AtMost(wholefile.Most,
		"`file` that saves finished points"))
	flags.StringVar(&f.collect.From, "from", "",
		input.AtMost(wholefile.Most, "reuse the unchanged points of this `checkpoint` of the same sweep"))
	flags.StringVar(&f.shard, "shard", "", "simulate only part `i/n` of the points, i from 0 to n-1")
	flags.StringArrayVar(&f.merge, "merge", nil,
		input.AtMost(wholefile.Most, "make the model from this `checkpoint` (repeat, or give more as arguments)"))
	flags.IntVar(&f.collect.Workers, "workers", 0, "points simulated at once (0: one per core)")
	f.measuredFlags.register(flags)
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		if err := f.check(args); err != nil {
			return err
		}
		d, err := device.Load(f.device)
		if err == nil {
			err = wholefile.Writable(f.out)
		}
		switch {
		case err != nil:
			return err
		case f.measured: // whose document has the warnings
			return trainMeasured(e, d, &f)
		}
		e.Warn(d.Doubts()...)
		if f.target == "dispatch" {
			return trainDispatch(e, d, &f)
		}
		return makeModel(e, d, &f)
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
	flags.Uint64Var(&s.ShortUpdates, "short-updates", 1<<18, "longest stream of seven in eight parameter "+
		"sweeps, in updates (0: as the others)")
	flags.IntVar(&s.Line, "line", 8, "`points` of a parameter sweep, placed around the decision "+
		"boundary (0: points drawn one by one)")
	flags.Float64Var(&s.Screen, "screen", 1.5,
		"leave out implementations whose closed form exceeds this many `times` the least (0: none)")
}

// The flags that train --target dispatch takes, those of train --measurements, and those that are its own.
var (
	dispatchUse = []string{"target", "device", "out", "journal", "workers", "points", "seed",
		"min-updates", "max-updates", "max-bins", "short-updates", "line", "json"}
	measuredUse  = []string{"measurements", "streams", "model", "no-model", "part", "device", "out", "json"}
	simulatedUse = measuredUse[1:5]
)

// check refuses flags that contradict each other, and fills in what they name: the part to simulate,
// whose checkpoint may be named by --out, the checkpoints to merge, and the files of measurements.
func (f *trainFlags) check(args []string) (err error) {
	tree := f.target == "dispatch"
	f.measured = !tree && f.flags.Changed("measurements")
	f.flags.Visit(func(flag *pflag.Flag) {
		switch {
		case err != nil:
		case tree && !slices.Contains(dispatchUse, flag.Name):
			err = command.Usagef("--%s cannot be used with train --target dispatch", flag.Name)
		case f.measured && !slices.Contains(measuredUse, flag.Name):
			err = command.Usagef("train --measurements simulates nothing: --%s does not apply", flag.Name)
		case !f.measured && slices.Contains(simulatedUse, flag.Name):
			err = command.Usagef("train --%s needs --measurements", flag.Name)
		}
	})
	sharded, merged := f.shard != "", len(f.merge) > 0
	switch {
	case !tree && f.target != "model":
		return command.Usagef("train --target %s: want model, dispatch", f.target)
	case err != nil:
		return err
	case len(args) > 0 && !merged:
		return command.Usagef("train takes no argument without --merge, but got %q", args[0])
	case merged && (sharded || f.collect.Checkpoint != "" || f.collect.From != ""):
		return command.Usagef("train --merge simulates nothing: --shard, --journal and --from do not apply")
	case sharded && f.collect.Checkpoint != "" && f.out != "":
		return command.Usagef("train --shard makes no model: give its checkpoint as --journal or as --out, not both")
	case f.joined != "" && !merged:
		return command.Usagef("train --rows puts parts together: it needs --merge")
	case sharded && f.collect.Checkpoint == "" && f.out == "":
		return command.Usagef("train --shard needs the checkpoint of the part, as --out or as --journal")
	case f.out == "" && f.joined == "" && !sharded:
		return command.Usagef("train needs --out, the file to write")
	case !tree && !f.measured && !merged && f.sweep.Points > 0 && f.sweep.Points < training.MinRows:
		return command.Usagef("train --points %d: a model needs %d points at least", f.sweep.Points, training.MinRows)
	}
	if f.measured {
		if err := f.find(); err != nil {
			return err
		}
	}
	if s := &f.sweep; !f.flags.Changed("short-updates") && (s.ShortUpdates < s.MinUpdates ||
		s.ShortUpdates > s.MaxUpdates) {
		s.ShortUpdates = 0
	}
	f.merge = append(f.merge, args...)
	read := [][2]string{{"from", f.collect.From}, {"measurements", f.calls}, {"streams", f.streams}, {"model", f.model}}
	for _, path := range f.merge {
		read = append(read, [2]string{"merge", path})
	}
	if err = differ([][2]string{{"out", f.out}, {"rows", f.joined}, {"journal", f.collect.Checkpoint}},
		read); err != nil {
		return err
	}
	if sharded {
		if f.collect.Checkpoint == "" {
			f.collect.Checkpoint, f.out = f.out, ""
		}
		f.collect.Shard, err = training.ParseShard(f.shard)
	}
	return err
}

// differ refuses a file to write that is another one to write, or one to read; each stands behind its flag.
func differ(outputs, inputs [][2]string) error {
	for i, out := range outputs {
		for _, other := range slices.Concat(outputs[i+1:], inputs) {
			if out[1] != "" && other[1] != "" && sameFile(out[1], other[1]) {
				return command.Usagef("train writes --%s %s, but --%s %s is the same file", out[0], out[1], other[0],
					other[1])
			}
		}
	}
	return nil
}

// sameFile reports whether two paths lead to the same file, which need not exist.
func sameFile(a, b string) bool {
	fullA, errA := filepath.Abs(a)
	fullB, errB := filepath.Abs(b)
	if errA == nil && errB == nil && fullA == fullB {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// makeModel makes the model, or a part of its checkpoint.
func makeModel(e *env, d *device.Profile, f *trainFlags) error {
	start := e.Now()
	sweep, rows, err := trainingRows(e, d, f)
	if err != nil {
		return err
	}
	doc := trainDocument{Device: d.Name, Points: sweep.Points, Seed: sweep.Seed, Shard: f.collect.Shard.String(),
		Rows: len(rows), RowsFile: f.joined, Model: f.out, Warnings: d.Doubts()}
	if f.out != "" {
		m, err := training.Fit(e.Context(), d, sweep, rows)
		if err != nil {
			return err
		}
		if err := f.write(m.Encode()); err != nil {
			return err
		}
		doc.Evaluation, doc.Leaves = &m.Evaluation, len(m.Tree.Leaves)
	}
	doc.Checkpoint, doc.ElapsedS = f.collect.Checkpoint, e.Now().Sub(start).Seconds()
	return e.Emit(doc, func(w *bytes.Buffer) { printTraining(w, doc) })
}

// trainingRows returns the sweep and its rows: simulated ones, or those of checkpoints to merge.
func trainingRows(e *env, d *device.Profile, f *trainFlags) (model.Sweep, []training.Row, error) {
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
	rows, err := training.Collect(e.Context(), d, f.sweep, simulator{}, f.collect)
	if err != nil {
		progress.Cut()
	}
	return f.sweep, rows, err
}

type simulator struct{}

// Simulate implements training.Simulator.
func (simulator) Simulate(v impl.Spec, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	return hwsim.Estimate(hwsim.Config{Device: d, Call: c, Implementation: v, Coarse: true}, indices, bins)
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

// mergeRows returns the rows of the checkpoints and their sweep, with which flags that were given must agree.
func mergeRows(d *device.Profile, f *trainFlags) (sweep model.Sweep, rows []training.Row, err error) {
	head, rows, err := training.Merge(f.merge...)
	if err != nil {
		return sweep, nil, err
	}
	if head.ProfileHash != model.ProfileHash(d) {
		return sweep, nil, fmt.Errorf("%s: %w: it was simulated for device %s with another profile "+
			"than that of %s", f.merge[0], training.ErrCheckpoint, head.Device, d.Name)
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
		data, errEncode := training.EncodeCheckpoint(head, rows)
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
	// What follows, but for the last, is left out if there is none.
	Checkpoint string            `json:"journal,omitempty"`
	RowsFile   string            `json:"rows_file,omitempty"` // the parts' rows as one checkpoint
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
	for _, file := range [][2]string{{"journal", doc.Checkpoint}, {"rows", doc.RowsFile}, {"model", doc.Model}} {
		if file[1] != "" {
			report.Fprintf(w, "%s: %s\n", file[0], file[1])
		}
	}
	e := doc.Evaluation
	if e == nil {
		return
	}
	report.Fprintf(w, "tree: %s\n", report.Counted(doc.Leaves, "leaf"))
	if doc.Leaves == 1 {
		w.WriteString("it corrects nothing: no tree chose as well as the cost model alone on unseen families\n")
	}
	printLosses(w, "\ntime of the choice over the best time, on families that the tree had not seen:\n\n",
		lossCells("by the tree", e.Tree), lossCells("by the cost model", e.ClosedForm), lossCells("always naive",
			e.Naive))
	if e.Naive.Points < e.Tree.Points {
		w.WriteString("\nScreening left implementations out: \"always naive\" counts only the points where naive\n" +
			"was left in, which are kinder to it than the others.\n")
	}
}

// printLosses prints what choices lose, under a heading.
func printLosses(w *bytes.Buffer, heading string, rows ...report.Row) {
	w.WriteString(heading)
	report.Cells(w, "choices|>points|>geometric mean|>p90|>max", rows)
}

func lossCells(name string, l model.Loss) report.Row {
	return report.Row{name, fmt.Sprint(l.Points), l.GeometricMean, l.P90, l.Max}
}
