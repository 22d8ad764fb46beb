package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tables"
	"github.com/atomtune/atomtune/tuner/model"
)

type tablesFlags struct {
	devices, types []string
	operand        device.Operand
	updates        int
	width          uint64
	model, out     string
}

func newTables(e *env) *cobra.Command {
	var f tablesFlags
	cmd := newCommand("tables",
		command.AtMost(0, "tables takes no FILE, but got %q; choose ranks the implementations for a stream"))
	flags := cmd.Flags()
	flags.StringArrayVar(&f.devices, "device", nil, input.DeviceUsage+" (repeat for several)")
	flags.StringSliceVar(&f.types, "type", nil,
		"`type` of the targets: "+input.List(input.TypeNames())+" (several separated by commas)")
	input.RegisterOperand(cmd, &f.operand)
	flags.Uint64Var(&f.width, "width", 0, "each index updates a row of `D` consecutive elements")
	flags.IntVar(&f.updates, "updates", tables.DefaultUpdates, "`number` of updates of a call")
	flags.StringVar(&f.model, "model", "",
		input.AtMost(model.MostBytes, "`file` of a trained model of the only device (default: the built-in model)"))
	flags.StringVar(&f.out, "out", "", "`folder` to write all files into")
	command.CompleteFlag(cmd, "device", device.Names())
	command.CompleteFlag(cmd, "type", input.TypeNames())
	cmd.RunE = command.Action(func(*cobra.Command, []string) error { return makeTables(e, f) })
	return cmd
}

func makeTables(e *env, f tablesFlags) error {
	options, err := f.options()
	if err != nil {
		return err
	}
	if f.out != "" { // before long work
		unmake, err := wholefile.Folder(f.out)
		defer unmake()
		if err != nil {
			return err
		}
	}
	progress := report.NewBar(e, "making tables", 0, report.UnitsDefault)
	defer progress.Stop()
	options.Progress = func(done, total int) { progress.SetOf(int64(done), int64(total)) }
	doc, err := tables.Make(e.Context(), options)
	if err != nil {
		return err
	}
	var written []string
	if f.out != "" {
		if written, err = doc.Write(f.out); err != nil {
			return err
		}
	}
	progress.Stop()
	return e.Emit(doc, func(w *bytes.Buffer) { printTables(w, doc, written) })
}

func printTables(w *bytes.Buffer, doc *tables.Document, written []string) {
	if written == nil {
		for i, name := range doc.Devices() {
			if i > 0 {
				w.WriteByte('\n')
			}
			w.Write(doc.Markdown(name))
		}
		return
	}
	report.Fprintf(w, "%d tables of %s updates, %d streams\n", len(doc.Tables),
		report.Count(doc.Updates), len(doc.Streams))
	for _, path := range written {
		report.Fprintf(w, "%s\n", path)
	}
}

// options returns what the flags mean.
func (f *tablesFlags) options() (o tables.Options, err error) {
	o = tables.Options{Operand: f.operand, Updates: f.updates, Width: f.width}
	if f.updates == 0 {
		return o, command.Usagef("--updates 0: want %d to %d", tables.MinUpdates, tables.MaxUpdates)
	}
	names := f.devices
	if len(names) == 0 {
		names = tables.Documented()
	}
	for _, name := range names {
		d, err := device.Load(name)
		if err != nil {
			return o, err
		}
		o.Devices = append(o.Devices, d)
	}
	for _, name := range f.types {
		t, err := device.ParseElement(name)
		if err != nil {
			return o, err
		}
		o.Types = append(o.Types, device.Type(t))
	}
	if f.model != "" {
		if len(f.devices) != 1 {
			return o, command.Usagef("--model is of one device: name it with --device")
		}
		if o.Model, err = model.Load(f.model); err != nil {
			return o, err
		}
	}
	return o, o.Validate()
}
