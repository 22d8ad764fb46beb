package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/cuda/emit"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

type emitFlags struct {
	stream      input.StreamFlags
	call        input.CallFlags
	constraints choice.Flags
	impl        string
	to          string
	launch      launchFlag
	out         string
}

// emitTargets are the languages in which programs are written.
var emitTargets = []string{"cuda"}

func newEmit(e *env) *cobra.Command {
	var f emitFlags
	cmd := &cobra.Command{
		Use:   "emit [FILE]",
		Short: "Write a CUDA program for an index stream that checks and times itself",
		Args:  command.AtMost(1, "emit takes one FILE, but got %q too"),
	}
	explain(cmd, input.DefaultStream)
	command.Append(cmd, input.Families())
	f.call.Register(cmd)
	f.stream.Register(cmd, e.Stdin)
	f.stream.RegisterTaken(cmd)
	f.constraints.Register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.to, "to", "cuda", "`language` of the program: "+input.List(emitTargets))
	flags.StringVar(&f.impl, "impl", "",
		"`name` of the implementation (default: the one that choose puts first)")
	f.launch.register(flags, "launch the main kernel so")
	flags.StringVar(&f.out, "out", "", "`file` to write (default: standard output)")
	command.CompleteFlag(cmd, "to", emitTargets)
	command.CompleteFlag(cmd, "impl", input.Names(variant.Ranked(true)))
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		path := input.DefaultStream
		if len(args) > 0 {
			path = args[0]
		}
		o, err := f.options(flags.Changed)
		if err != nil {
			return err
		}
		return emitProgram(e, path, f, o)
	})
	return cmd
}

// options are those of the choice: among all that there is code for, or the one that is named.
func (f *emitFlags) options(given func(flag string) bool) (o tuner.Options, err error) {
	if f.to != "cuda" {
		return o, command.Usagef("--to %s: want %s", f.to, input.List(emitTargets))
	}
	if o, err = f.constraints.Options(given); err != nil {
		return o, err
	}
	o.Call, o.Launch = f.call.Call, f.launch.Launch
	o.SearchLaunch = o.Launch == device.Launch{}
	code := func(v variant.Variant) error { return (&emit.Call{Variant: v, Call: o.Call}).Check() }
	if f.impl == "" {
		for _, v := range append(variant.Ranked(true), o.Only...) {
			if code(v) != nil && !slices.Contains(o.Exclude, v) {
				o.Exclude = append(o.Exclude, v)
			}
		}
		return o, nil
	}
	if given("only") || given("exclude") {
		return o, command.Usagef("--impl names the implementation: --only and --exclude do not go with it")
	}
	v, err := variant.Parse(f.impl)
	if err != nil {
		return o, fmt.Errorf("--impl: %w", err)
	}
	o.Only = []variant.Variant{v}
	return o, code(v)
}

// emitDocument is what emit prints: the program, or the file that it was written to.
type emitDocument struct {
	Device string `json:"device"`
	input.Taken
	Implementation variant.Variant `json:"implementation"`
	Launch         device.Shape    `json:"launch"` // all 0 where there are several kernels
	PredictedUS    float64         `json:"predicted_us"`
	Exact          bool            `json:"exact"` // the program makes the very stream
	Lines          int             `json:"lines"`
	File           string          `json:"file,omitempty"`
	Source         string          `json:"source,omitempty"`
	Warnings       []string        `json:"warnings,omitempty"`
}

func emitProgram(e *env, path string, f emitFlags, o tuner.Options) error {
	if err := wholefile.Writable(f.out); err != nil {
		return err
	}
	d, err := device.Load(f.call.Device)
	if err != nil {
		return err
	}
	if d.Vendor != emit.Vendor {
		return command.Usagef("--device %s: %s runs no CUDA", f.call.Device, d.Title)
	}
	s, err := input.LoadWhole(e, path, f.stream, "programs take every index for one")
	if err != nil {
		return err
	}
	p, err := programFor(&s, d, o)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	return f.write(e, &p, &s, d)
}

// write prints the program, or writes it to the file that was named.
func (f *emitFlags) write(e *env, p *emit.Program, s *input.Loaded, d *device.Profile) error {
	source, err := p.Source()
	if err != nil {
		return err
	}
	doc := emitDocument{Device: d.Name, Taken: s.Taken, Implementation: p.Variant, Launch: p.Shape,
		PredictedUS: p.PredictedUS, Exact: p.Stream.Exact(), Lines: strings.Count(source, "\n"),
		File: f.out, Warnings: input.Doubts(e, d)}
	if f.out == "" {
		doc.Source = source
		return e.EmitExact(doc, func(w *bytes.Buffer) { w.WriteString(source) })
	}
	if err := wholefile.Write(f.out, []byte(source)); err != nil {
		return err
	}
	return e.Emit(doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s: %s on %s for %s, %s lines, predicted %s us\n", doc.File,
			doc.Implementation, d.Title, p.Stream.Name, report.Count(doc.Lines),
			report.Number(doc.PredictedUS))
	})
}

// programFor chooses for the stream.
func programFor(s *input.Loaded, d *device.Profile, o tuner.Options) (p emit.Program, err error) {
	if len(s.Indices) == 0 {
		return p, errNoUpdates
	}
	how := collision.Options{Bins: s.Bins, WarpSize: int(d.Core.WarpLanes.Value)}
	stats, err := collision.Analyze(s.Indices, how)
	if err != nil {
		return p, err
	}
	decision, err := tuner.Choose(&stats, d, o)
	if err != nil {
		return p, err
	}
	if first := decision.Ranking[0].Implementation; first.Scatter {
		// The program lays the updates anew before it takes times.
		o.Only, o.Exclude, o.Relaid = []variant.Variant{first}, nil, true
		if decision, err = tuner.Choose(&stats, d, o); err != nil {
			return p, err
		}
	}
	first, notes := decision.Ranking[0], model.ProfileNotes(d)
	if before := decision.Beforehand(); before != "" {
		notes = append(notes, before)
	}
	p = emit.Program{Device: d.Title, PredictedUS: first.PredictedUS, Notes: notes,
		Stream: emit.Stream{Name: s.Title()}, Call: emit.Call{Variant: first.Implementation, Call: o.Call,
			Shape: first.Launch, Bins: s.Bins}}
	if name, made := strings.CutPrefix(s.File, input.SynthPrefix); made {
		spec, err := synth.Parse(name)
		if err != nil {
			return p, err
		}
		p.Stream.Name, p.Stream.Synth = s.File, &spec
	}
	p.Stream.Describe(s.Indices, s.Bins)
	return p, nil
}

// errNoUpdates reports a stream for which there is nothing to time.
var errNoUpdates = errors.New("a stream without an update")
