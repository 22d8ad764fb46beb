package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/bindings/cuda/emit"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
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

var emitTargets = []string{"cuda"}

func newEmit(e *env) *cobra.Command {
	var f emitFlags
	cmd := newCommand("emit [FILE]", command.AtMost(1, "emit takes one FILE, but got %q too"), input.DefaultStream)
	f.call.Register(cmd, &f.stream)
	f.stream.RegisterTaken(cmd, e.Stdin)
	f.constraints.Register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.to, "to", "cuda", "`language` of the program: ")
	flags.StringVar(&f.impl, "impl", "",
		"`name` of the implementation (default: the one that choose puts first)")
	flags.Var(&f.launch, "launch", "launch the main kernel so: "+launchSpellings)
	flags.StringVar(&f.out, "out", "", "`file` to write (default: standard output)")
	input.OneOf(cmd, "to", emitTargets)
	command.CompleteFlag(cmd, "impl", input.Names(impl.Ranked()))
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		return f.emit(e, input.OrDefault(args)[0], flags.Changed)
	})
	return cmd
}

// options are those of the choice: among all that there is code for, or the one that is named.
func (f *emitFlags) options(given func(flag string) bool) (o tuner.Options, err error) {
	if f.to != "cuda" {
		return o, command.Usagef("--to %s: want %s", f.to, input.List(emitTargets))
	}
	if err = f.call.Finish(&f.stream, given); err != nil {
		return o, err
	}
	if o, err = f.constraints.Options(f.call.Call, given); err != nil {
		return o, err
	}
	o.Launches, o.SearchLaunch = f.launch.list, true
	code := func(v impl.Spec) error { return (&emit.Call{Implementation: v, Call: o.Call}).Check() }
	if f.impl == "" {
		for _, v := range append(impl.Ranked(), o.Only...) {
			if !o.Call.Wide() && code(v) != nil && !slices.Contains(o.Exclude, v) {
				o.Exclude = append(o.Exclude, v)
			}
		}
		return o, nil
	}
	if given("only") || given("exclude") {
		return o, command.Usagef("--only and --exclude cannot be used with --impl, which names the implementation")
	}
	v, err := o.Call.Parse(f.impl)
	if err != nil {
		return o, fmt.Errorf("--impl: %w", err)
	}
	o.Only = []impl.Spec{v}
	return o, code(v)
}

// emitDocument is what emit prints: the program, or the file that it was written to.
type emitDocument struct {
	Device string `json:"device"`
	tuner.Taken
	Implementation impl.Spec    `json:"implementation"`
	Launch         device.Shape `json:"launch"` // all 0 where there are several kernels
	PredictedUS    float64      `json:"predicted_us"`
	Exact          bool         `json:"exact"` // the program makes the very stream
	Lines          int          `json:"lines"`
	File           string       `json:"file,omitempty"`
	Source         string       `json:"source,omitempty"`
	Warnings       []string     `json:"warnings,omitempty"`
}

// emit chooses for the stream of the path, and prints the program or writes it to the file that was named.
func (f *emitFlags) emit(e *env, path string, given func(flag string) bool) error {
	o, err := f.options(given)
	if err != nil {
		return err
	}
	if err := wholefile.Writable(f.out); err != nil {
		return err
	}
	d, err := device.Load(f.call.Device)
	if err != nil {
		return err
	}
	if d.Vendor != emit.Vendor {
		return command.Usagef("--device %s: %s does not run CUDA", f.call.Device, d.Title)
	}
	s, err := input.LoadWhole(e, path, f.stream, "emitted programs treat every index as an update")
	if err != nil {
		return err
	}
	o.Call = s.Of(o.Call)
	p, err := programFor(e, s, d, o)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	source, err := p.Source()
	if err != nil {
		return err
	}
	doc := emitDocument{Device: d.Name, Taken: s.Taken, Implementation: p.Implementation, Launch: p.Shape,
		PredictedUS: p.PredictedUS, Exact: p.Stream.Exact(), Lines: strings.Count(source, "\n"),
		File: f.out, Warnings: e.Warn(d.Doubts()...)}
	if f.out == "" {
		doc.Source = source
	}
	return publish(e, f.out, []byte(source), doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s: %s on %s for %s, %s lines, predicted %s us\n", doc.File,
			doc.Implementation, d.Title, p.Stream.Name, report.Count(doc.Lines),
			report.Number(doc.PredictedUS))
	})
}

func programFor(e *env, s *input.Source, d *device.Profile, o tuner.Options) (p emit.Program, err error) {
	if len(s.Indices) == 0 {
		return p, errNoUpdates
	}
	o.Reading.From = math.MaxUint64
	decision, err := tuner.ChooseSource(e.Context(), s, d, o)
	if err != nil {
		return p, err
	}
	if first := decision.Ranking[0].Implementation; first.Scatter {
		// The program lays the updates anew before it takes times.
		o.Only, o.Exclude, o.Relaid = []impl.Spec{first}, nil, true
		if decision, err = tuner.Choose(decision.Stream.Stats, d, o); err != nil {
			return p, err
		}
	}
	first, notes := decision.Ranking[0], model.ProfileNotes(d)
	if before := decision.Beforehand(); before != "" {
		notes = append(notes, before)
	}
	if counted := s.TargetsCounted(s.Bins()); counted != "" {
		notes = append(notes, counted)
	}
	p = emit.Program{Device: d.Title, PredictedUS: first.PredictedUS, Notes: notes,
		Stream: emit.Stream{Name: s.Title()}, Call: emit.Call{Implementation: first.Implementation, Call: o.Call,
			Shape: first.Launch, Bins: s.Bins()}}
	if name, made := strings.CutPrefix(s.File, input.SynthPrefix); made {
		spec, err := synth.Parse(name)
		if err != nil {
			return p, err
		}
		p.Stream.Name, p.Stream.Synth = s.File, &spec
	}
	p.Stream.Describe(s.Indices, s.Bins())
	return p, nil
}

var errNoUpdates = errors.New("a stream without an update")
