package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/source"
)

type exportFlags struct {
	to, out         string
	devices, models []string
}

func newExport(e *env) *cobra.Command {
	var f exportFlags
	cmd := newCommand("export --to TARGET",
		command.AtMost(0, "export takes no FILE, but got %q: name a tree's file by --model"))
	flags := cmd.Flags()
	flags.StringVar(&f.to, "to", "", "`target`: ")
	flags.StringArrayVar(&f.devices, "device", nil, "built-in tree of this `device`: "+
		input.List(dispatch.Devices())+" (repeat for several; default: all)")
	flags.StringArrayVar(&f.models, "model", nil,
		input.AtMost(dispatch.MostBytes, "`file` of a tree that train --target dispatch wrote (repeat for several)"))
	flags.StringVar(&f.out, "out", "", "`file` to write (default: standard output)")
	input.OneOf(cmd, "to", source.Targets())
	command.CompleteFlag(cmd, "device", dispatch.Devices())
	cmd.RunE = command.Action(func(*cobra.Command, []string) error { return export(e, &f) })
	return cmd
}

func export(e *env, f *exportFlags) error {
	if f.to == "" {
		return command.Usagef("export needs --to, one of %s", input.List(source.Targets()))
	}
	if len(f.devices)+len(f.models) == 0 {
		f.devices = dispatch.Devices()
	}
	var trees []*dispatch.Tree
	for i, name := range append(f.devices, f.models...) {
		load, flag := dispatch.Load, "--model"
		if i < len(f.devices) {
			load, flag = dispatch.Embedded, "--device"
		}
		t, err := load(name)
		if err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		trees = append(trees, t)
	}
	text, err := source.Write(f.to, trees...)
	if err != nil {
		return err
	}
	doc := exportDocument{To: f.to, Bytes: len(text), File: f.out}
	for _, t := range trees {
		doc.Trees = append(doc.Trees, exportedTree{t.Device, len(t.Nodes), len(t.Candidates)})
	}
	if f.out == "" {
		doc.Source = string(text)
	}
	return publish(e, f.out, text, doc, func(w *bytes.Buffer) {
		for _, t := range doc.Trees {
			report.Fprintf(w, "%s: %d nodes, %d candidates\n", t.Device, t.Nodes, t.Candidates)
		}
		report.Fprintf(w, "%s: %d bytes\n", doc.File, doc.Bytes)
	})
}

type exportDocument struct {
	To     string         `json:"to"`
	Trees  []exportedTree `json:"trees"`
	Bytes  int            `json:"bytes"`
	File   string         `json:"file,omitempty"`
	Source string         `json:"source,omitempty"` // without --out
}

type exportedTree struct {
	Device     string `json:"device"`
	Nodes      int    `json:"nodes"`
	Candidates int    `json:"actions"`
}
