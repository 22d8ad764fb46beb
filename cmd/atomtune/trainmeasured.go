package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/tuner/model"
)

// measuredFlags are the flags of train --measurements.
type measuredFlags struct {
	file    string
	streams string
	model   string
	bare    bool
	cmd     *cobra.Command
	lines   map[string]int // of the streams' labels in their file
}

func (f *measuredFlags) register(cmd *cobra.Command) {
	f.cmd = cmd
	flags := cmd.Flags()
	flags.StringVar(&f.file, "measurements", "", "correct a model by the calls in this `file`, or folder, of atomprobe")
	flags.StringVar(&f.streams, "streams", "", "with --measurements: `file` with the streams' statistics (default: "+recordings.StreamsFile+" beside it)")
	flags.StringVar(&f.model, "model", "", "with --measurements: `file` of the model to correct (default: the built-in model of the device)")
	flags.BoolVar(&f.bare, "no-model", false, "with --measurements: correct the closed forms alone")
}

// measuredUse are the flags that train --measurements takes; simulatedUse those of
// its own that other uses of train do not.
var (
	measuredUse  = map[string]bool{"measurements": true, "streams": true, "model": true, "no-model": true, "device": true, "out": true, "json": true}
	simulatedUse = map[string]bool{"streams": true, "model": true, "no-model": true}
)

// check refuses flags that belong to another use of train, and reports whether
// this one is meant.
func (f *measuredFlags) check(args []string, out string) (given bool, err error) {
	given = f.cmd.Flags().Changed("measurements")
	f.cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch {
		case err != nil:
		case given && !measuredUse[flag.Name]:
			err = command.Usagef("train --measurements simulates nothing: --%s does not apply", flag.Name)
		case !given && simulatedUse[flag.Name]:
			err = command.Usagef("train --%s needs --measurements", flag.Name)
		}
	})
	switch {
	case err != nil || !given:
		return given, err
	case f.file == "":
		return true, command.Usagef("train --measurements: the name of the file is empty")
	case len(args) > 0:
		return true, command.Usagef("train --measurements takes no argument, but got %q", args[0])
	case f.model != "" && f.bare:
		return true, command.Usagef("train: --model and --no-model exclude each other")
	case out == "":
		return true, command.Usagef("train needs --out, the file to write")
	}
	return true, f.apart(out)
}

// trainMeasured corrects a model by measured calls.
func (e *env) trainMeasured(ctx context.Context, d *device.Profile, f measuredFlags, out string) error {
	if err := wholefile.Writable(out); err != nil {
		return err
	}
	start := e.Now()
	doc := measuredDocument{Device: d.Name, Model: out, Warnings: []string{}}
	base, err := f.base(d, &doc)
	if err != nil {
		return err
	}
	points, err := f.points(d, &doc)
	if err != nil {
		return err
	}
	for _, text := range doc.Warnings {
		e.Note("warning: %s", text)
	}
	model, err := calibration.Calibrate(ctx, d, base, points, calibration.Options{})
	if wrong := new(calibration.StreamError); errors.As(err, &wrong) {
		return fmt.Errorf("%s:%d: %s: %w", doc.Statistics, f.lines[wrong.Label], wrong.Label, wrong.Fault)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doc.Measurements, err)
	}
	if err := writeModel(out, model); err != nil {
		return err
	}
	doc.fill(model, points)
	doc.ElapsedS = e.Now().Sub(start).Seconds()
	return e.Emit(doc, func(w *bytes.Buffer) { printMeasured(w, doc) })
}

// base returns the model to correct, nil for the closed forms alone.
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
func (f *measuredFlags) points(d *device.Profile, doc *measuredDocument) ([]calibration.Measured, error) {
	doc.Measurements = f.callsFile()
	data, err := os.ReadFile(doc.Measurements)
	if err != nil {
		return nil, err
	}
	from, calls, err := recordings.DecodeCalls(doc.Measurements, data)
	if err != nil {
		return nil, err
	}
	if !sameGPU(from.GPU, d.Title) {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s was measured on %q, and the profile %s is of the %s",
			doc.Measurements, from.GPU, d.Name, d.Title))
	}
	streams, err := f.statistics(doc)
	if err != nil {
		return nil, err
	}
	points, passed, err := calibration.MeasuredPoints(calls, streams)
	doc.Passed = passed
	if wrong := new(calibration.CallError); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s:%d: %w (%s)", doc.Measurements, lineOfRow(doc.Measurements, data, wrong.Index), err, doc.Statistics)
	}
	if err == nil && len(points) == 0 {
		err = fmt.Errorf("%s: no call was measured with a right result (%s passed over)", doc.Measurements, report.Counted(passed, "call"))
	}
	return points, err
}

// statistics reads those of the streams.
func (f *measuredFlags) statistics(doc *measuredDocument) ([]recordings.Stream, error) {
	doc.Statistics = f.streamsFile()
	data, err := os.ReadFile(doc.Statistics)
	if errors.Is(err, fs.ErrNotExist) && f.streams == "" {
		return nil, fmt.Errorf("%w: the calls' streams are named by --streams", err)
	}
	if err != nil {
		return nil, err
	}
	streams, err := recordings.DecodeStreams(doc.Statistics, data)
	f.lines = map[string]int{}
	for i, s := range streams {
		f.lines[s.Label] = i + 1 // a line each
	}
	return streams, err
}

// lineOfRow returns the line of a row of a table that was read, behind comments
// and the names of the columns.
func lineOfRow(name string, data []byte, row int) int {
	plain, err := recordings.Plain(name, data)
	if err != nil {
		return 0 // it was read before
	}
	line := 0
	for text := range bytes.Lines(plain) {
		line++
		if len(bytes.TrimSpace(text)) == 0 || text[0] == '#' {
			continue
		}
		if row--; row < -1 { // the first is that of the names
			break
		}
	}
	return line
}
