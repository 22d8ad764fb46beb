package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/validation"
)

type measuredFlags struct {
	measured bool // they were given
	calls    string
	streams  string
	named    bool // streams was given
	model    string
	bare     bool
	part     string
	lines    map[string]int // of the streams' labels in their file
}

func (f *measuredFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.calls, "measurements", "",
		input.AtMost(wholefile.Most, "judge a model by the measured calls in this `file` or folder of atomprobe, and set its intervals from them"))
	flags.StringVar(&f.streams, "streams", "", input.AtMost(wholefile.Most, "with --measurements: `file` "+
		"with the streams' statistics (default: "+recordings.StreamsFile+" beside it)"))
	flags.StringVar(&f.model, "model", "", input.AtMost(model.MostBytes, "with --measurements: `file` of the "+
		"model to judge (default: the built-in model of the device)"))
	flags.StringVar(&f.part, "part", "", "with --measurements: use only the streams of this `half`, "+string(recordings.Fit)+" or "+string(recordings.HeldOut)+", split by their labels")
	flags.BoolVar(&f.bare, "no-model", false, "with --measurements: judge only the cost model")
}

// find fills in the names of the files.
func (f *measuredFlags) find() error {
	switch {
	case f.model != "" && f.bare:
		return command.Usagef("train: --model and --no-model exclude each other")
	case !slices.Contains([]recordings.Part{"", recordings.Fit, recordings.HeldOut}, recordings.Part(f.part)):
		return command.Usagef("train --part %s: want %s or %s", f.part, recordings.Fit, recordings.HeldOut)
	}
	f.named = f.streams != ""
	if info, err := os.Stat(f.calls); err == nil && info.IsDir() {
		f.calls = inFolder(f.calls, recordings.CallsFile)
	}
	f.streams = cmp.Or(f.streams, inFolder(filepath.Dir(f.calls), recordings.StreamsFile))
	return nil
}

// inFolder is a file of a folder, without the .gz behind its name if only that exists.
func inFolder(folder, name string) string {
	packed := filepath.Join(folder, name)
	plain := strings.TrimSuffix(packed, ".gz")
	_, err := os.Stat(plain)
	if _, missing := os.Stat(packed); errors.Is(missing, fs.ErrNotExist) && err == nil {
		return plain
	}
	return packed
}

// trainMeasured judges a model by measured calls, which give it intervals.
func trainMeasured(e *env, d *device.Profile, f *trainFlags) error {
	start := e.Now()
	doc := measuredDocument{Device: d.Name, Model: f.out, Warnings: append([]string{}, d.Doubts()...),
		Measurements: f.calls,
		Statistics:   f.streams}
	base, err := f.base(d, &doc)
	if err != nil {
		return err
	}
	points, err := f.points(d, &doc)
	if err != nil {
		return err
	}
	e.Warn(doc.Warnings...)
	m, err := validation.Judge(d, base, points)
	if wrong := new(validation.StreamError); errors.As(err, &wrong) {
		return fmt.Errorf("%s:%d: %s: %w", f.streams, f.lines[wrong.Label], wrong.Label, wrong.Fault)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.calls, err)
	}
	if err := f.write(m.Encode()); err != nil {
		return err
	}
	doc.Intervals = m.Intervals
	doc.ElapsedS = e.Now().Sub(start).Seconds()
	return e.Emit(doc, func(w *bytes.Buffer) { printMeasured(w, doc) })
}

// base returns the model to judge, nil for the closed forms alone.
func (f *measuredFlags) base(d *device.Profile, doc *measuredDocument) (*model.Model, error) {
	if f.bare {
		doc.Base = "closed forms"
		return nil, nil
	}
	if f.model != "" {
		doc.Base = f.model
		return model.Load(f.model)
	}
	base, caveat, err := model.For(d, device.Call{}, nil)
	doc.Base, doc.Caveat = "built-in model", caveat
	if base == nil {
		doc.Base = "closed forms"
	}
	return base, err
}

// points reads the measured points.
func (f *measuredFlags) points(d *device.Profile, doc *measuredDocument) ([]validation.Measured,
	error) {
	data, err := wholefile.Read(f.calls, wholefile.Most)
	if err != nil {
		return nil, err
	}
	from, calls, err := recordings.DecodeCalls(f.calls, data)
	if err != nil {
		return nil, err
	}
	if !sameGPU(from.GPU, d.Title) {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s was measured on %q, and the profile %s is "+
			"of the %s", f.calls, from.GPU, d.Name, d.Title))
	}
	lines, err := wholefile.Read(f.streams, wholefile.Most)
	if errors.Is(err, fs.ErrNotExist) && !f.named {
		return nil, fmt.Errorf("%w: the calls' streams are named by --streams", err)
	}
	if err != nil {
		return nil, err
	}
	streams, err := recordings.DecodeStreams(f.streams, lines)
	if err != nil {
		return nil, err
	}
	f.lines = map[string]int{}
	for i, s := range streams {
		f.lines[s.Label] = i + 1 // a line each
	}
	points, passed, err := validation.MeasuredPoints(calls, streams)
	doc.Passed = passed
	if wrong := new(validation.CallError); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s:%d: %w (%s)", f.calls, lineOfRow(f.calls, data, wrong.Index), err,
			f.streams)
	}
	points = slices.DeleteFunc(points, func(p validation.Measured) bool {
		return f.part != "" && recordings.Half(p.Label) != recordings.Part(f.part)
	})
	if err == nil && len(points) == 0 {
		what := "no call"
		if f.part != "" {
			what += " of part " + f.part
		}
		err = fmt.Errorf("%s: %s was measured with a right result (%s passed over)", f.calls, what,
			report.Counted(passed, "call"))
	}
	return points, err
}

// lineOfRow returns the line of a row of a table, behind comments and the columns' names.
func lineOfRow(name string, data []byte, row int) int {
	plain, _ := recordings.Plain(name, data) // it was read before
	table := csv.NewReader(bytes.NewReader(plain))
	table.Comment = '#'
	for range row + 2 {
		_, _ = table.Read()
	}
	line, _ := table.FieldPos(0)
	return line
}

// sameGPU: a GPU is that of a title, with its maker before it or without, or is not known.
func sameGPU(gpu, title string) bool {
	bare := func(name string) string { return strings.TrimPrefix(strings.ToLower(name), "nvidia ") }
	return gpu == "" || bare(gpu) == bare(title)
}

type measuredDocument struct {
	Device       string           `json:"device"`
	Base         string           `json:"base"` // what was judged
	Caveat       string           `json:"caveat,omitempty"`
	Warnings     []string         `json:"warnings"`
	Measurements string           `json:"measurements"`
	Statistics   string           `json:"statistics"`  // of the streams
	Passed       int              `json:"passed_over"` // predicted, wrong, or in a fixed launch
	Model        string           `json:"model"`
	Intervals    *model.Intervals `json:"intervals"`
	ElapsedS     float64          `json:"elapsed_s"`
}

func printMeasured(w *bytes.Buffer, doc measuredDocument) {
	i := doc.Intervals
	report.Fprintf(w, "%s: %s judged by %s of %s, in %s s\n", doc.Device, doc.Base,
		report.Counted(i.Points, "measured point"), report.Counted(i.Streams, "stream"),
		report.Number(doc.ElapsedS))
	if doc.Caveat != "" {
		report.Fprintf(w, "%s\n", doc.Caveat)
	}
	if doc.Passed > 0 {
		report.Fprintf(w, "passed over: %s predicted, with wrong results or in a fixed launch\n",
			report.Counted(doc.Passed, "call"))
	}
	report.Fprintf(w, "model: %s\n", doc.Model)
	printLosses(w, "\ntime of the choice over the best that was measured:\n\n", lossCells("by the tree", i.Tree),
		lossCells("by the cost model", i.ClosedForm))
	if i.Share < 1 {
		report.Fprintf(w, "\ncorrections are scaled by %s: at full strength the tree lost more on these calls\n",
			report.Number(i.Share))
	}
	w.WriteString("\nmeasured over predicted time, nine of ten calls:\n\n")
	var rows []report.Row
	for class, of := range i.Classes {
		rows = append(rows, report.Row{impl.Class(class).String(), fmt.Sprint(of.Calls), of.Low, of.High})
	}
	report.Cells(w, "class|>calls|>from|>to", rows)
}
