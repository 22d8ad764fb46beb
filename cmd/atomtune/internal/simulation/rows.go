// Package simulation simulates updates of rows for the command simulate, and prints what comes out.
package simulation

import (
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/tuner/model"
)

// mostElements is the number of elements up to which calls are simulated as a whole. The time of
// longer ones is estimated from samples.
const mostElements = 1 << 24

// Rows is a simulated call that updates rows. What a sample does not tell is null.
type Rows struct {
	File string `json:"file"`
	input.Taken
	Device           string             `json:"device"`
	Type             string             `json:"type"`
	ValueType        string             `json:"value_type"`
	Width            uint64             `json:"width"`
	Clear            bool               `json:"clear"`
	Implementation   string             `json:"implementation"`
	Launch           device.Shape       `json:"launch"`
	Seed             uint64             `json:"seed"`
	Bins             uint64             `json:"bins"`
	Sampled          bool               `json:"sampled"`
	Cycles           uint64             `json:"cycles"`
	US               float64            `json:"us"`
	Updates          uint64             `json:"updates"`
	WarpInstructions *uint64            `json:"warp_instructions"`
	Events           *uint64            `json:"events"`
	WallS            float64            `json:"wall_s"`
	Correct          bool               `json:"correct"`
	Kernels          []hwsim.KernelTime `json:"kernels"`
	Warnings         []string           `json:"warnings"`
	profile          *device.Profile
	call             rows.Call
	stream           string
}

// Request is what the command is asked about rows.
type Request struct {
	Device, Implementation string
	Call                   rows.Call
	Stream                 input.StreamFlags
	Seed                   uint64
}

// Answer simulates the call on the stream of the path, the whole of it or samples, and prints it.
func (r Request) Answer(e *command.Env, path string) error {
	d, err := device.Load(r.Device)
	if err != nil {
		return err
	}
	form, slots, err := rows.ParseImplementation(r.Implementation)
	if err != nil {
		return command.Usagef("--impl with --width: %v", err)
	}
	if err := rows.Check(d, r.Call); err != nil {
		return err
	}
	shape, err := r.Call.Shape(d, form, slots)
	if err != nil {
		return err
	}
	s, err := input.LoadWhole(e, path, r.Stream, "no lane without one is simulated")
	if err != nil {
		return err
	}
	c := r.Call
	doc := Rows{File: s.File, Taken: s.Taken, Device: d.Name, Type: c.Kind.Target(),
		ValueType: c.Kind.Value(), Width: c.Width, Clear: !c.Keeps, Implementation: r.Implementation,
		Launch: shape.Launch(d), Seed: r.Seed, Bins: s.Bins, Updates: uint64(len(s.Indices)), Correct: true,
		Sampled: uint64(len(s.Indices))*c.Width > mostElements, Kernels: []hwsim.KernelTime{},
		Warnings: s.Simulation(e, hwsim.MaxBins), profile: d, call: c, stream: s.Title()}
	for _, text := range model.ProfileNotes(d) {
		e.Note("warning: %s", text)
		doc.Warnings = append(doc.Warnings, text)
	}
	progress := report.NewBar(e, "simulating "+r.Implementation, 0, report.UnitsDefault)
	progress.Show()
	defer progress.Stop()
	start := e.Now()
	cfg := hwsim.RowConfig{Device: d, Call: c, Form: form, Slots: slots, Seed: r.Seed}
	if err := doc.simulate(cfg, s.Indices); err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	doc.WallS = e.Now().Sub(start).Seconds()
	progress.Stop()
	return doc.print(e)
}

func (doc *Rows) simulate(cfg hwsim.RowConfig, indices []uint32) (err error) {
	if doc.Sampled {
		doc.US, err = hwsim.EstimateRows(cfg, indices, doc.Bins)
		doc.Cycles = uint64(float64(doc.US*cfg.Device.Core.Clock.Value) + 0.5)
		return err
	}
	r, err := hwsim.RunRows(cfg, indices, doc.Bins)
	doc.US, doc.Cycles, doc.Correct, doc.Kernels = r.US, r.Cycles, r.Correct, r.Kernels
	doc.WarpInstructions, doc.Events = &r.WarpInstructions, &r.Events
	return err
}

// ErrWrongSums reports a simulated kernel whose results are not those of the updates.
var ErrWrongSums = errors.New("the simulated results are wrong")

// print prints the result, and fails if the sums are wrong.
func (doc Rows) print(e *command.Env) error {
	err := report.EmitPage(e, doc, func(p *report.Page) {
		p.Field("stream", "%s: %s of %s", doc.stream, report.Counted(doc.Updates, "update"),
			report.Counted(doc.Bins, "row"))
		p.Field("device", "%s, %s", doc.profile.Title, doc.call.Words())
		if doc.Sampled {
			p.Field("sample", "%s", "the time of the whole is estimated from two samples of it")
		}
		p.WriteByte('\n')
		row := report.Row{doc.Implementation, doc.Launch, doc.US, doc.Cycles, doc.WallS, report.YesNo(doc.Correct)}
		report.Cells(p, "form|?launch|>time (us)|>cycles|???>wall (s)|correct", []report.Row{row})
		if !doc.Sampled {
			p.WriteByte('\n')
			PrintKernels(p, doc.Kernels)
		}
	})
	if err == nil && !doc.Correct {
		return fmt.Errorf("%s: %s on %s: %w", doc.File, doc.Implementation, doc.Device, ErrWrongSums)
	}
	return err
}

// PrintKernels prints the launches of a simulated call.
func PrintKernels(p *report.Page, list []hwsim.KernelTime) {
	report.Table(p, "kernel|>cycles", list, func(k hwsim.KernelTime) report.Row {
		return report.Row{k.Name, k.Cycles}
	})
}
