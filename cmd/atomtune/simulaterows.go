package main

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/tuner/model"
)

// mostRowElements is the number of elements up to which calls are simulated as a whole. The time of
// longer ones is estimated from samples.
const mostRowElements = 1 << 24

// simulateRowsDocument is a simulated call that updates rows. What a sample does not tell is null.
type simulateRowsDocument struct {
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

// simulateRows simulates a call that updates rows, the whole of it or samples.
func simulateRows(e *env, path string, f simulateFlags, call rows.Call) error {
	d, err := device.Load(f.call.Device)
	if err != nil {
		return err
	}
	form, slots, err := rows.ParseImplementation(f.impl)
	if err != nil {
		return command.Usagef("--impl with --width: %v", err)
	}
	if err := rows.Check(d, call); err != nil {
		return err
	}
	shape, err := call.Shape(d, form, slots)
	if err != nil {
		return err
	}
	s, err := input.Load(e, path, f.stream.Options, f.limit)
	if err != nil {
		return err
	}
	if err := s.Whole("no lane without one is simulated"); err != nil {
		return err
	}
	doc := simulateRowsDocument{File: s.File, Taken: s.Taken, Device: d.Name, Type: call.Kind.Target(),
		ValueType: call.Kind.Value(), Width: call.Width, Clear: !call.Keeps, Implementation: f.impl,
		Launch: shape.Launch(d), Seed: f.seed, Bins: s.Bins, Updates: uint64(len(s.Indices)), Correct: true,
		Sampled: uint64(len(s.Indices))*call.Width > mostRowElements, Kernels: []hwsim.KernelTime{},
		Warnings: append(s.Warnings(), model.EstimateNotes(d)...), profile: d, call: call, stream: s.Title()}
	for _, text := range doc.Warnings {
		e.Note("warning: %s", text)
	}
	progress := report.NewBar(e, "simulating "+f.impl, 0, report.UnitsDefault)
	progress.Show()
	defer progress.Stop()
	start := e.Now()
	cfg := hwsim.RowConfig{Device: d, Call: call, Form: form, Slots: slots, Seed: f.seed}
	if err := doc.simulate(cfg, s.Indices); err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	doc.WallS = e.Now().Sub(start).Seconds()
	progress.Stop()
	return printRowSimulation(e, doc)
}

func (doc *simulateRowsDocument) simulate(cfg hwsim.RowConfig, indices []uint32) (err error) {
	if doc.Sampled {
		doc.US, err = hwsim.EstimateRows(cfg, indices, doc.Bins)
		doc.Cycles = uint64(doc.US*cfg.Device.Core.Clock.Value + 0.5)
		return err
	}
	r, err := hwsim.RunRows(cfg, indices, doc.Bins)
	doc.US, doc.Cycles, doc.Correct, doc.Kernels = r.US, r.Cycles, r.Correct, r.Kernels
	doc.WarpInstructions, doc.Events = &r.WarpInstructions, &r.Events
	return err
}

// printRowSimulation prints the result, and fails if the sums are wrong.
func printRowSimulation(e *env, doc simulateRowsDocument) error {
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
			printKernels(p, doc.Kernels)
		}
	})
	if err == nil && !doc.Correct {
		return fmt.Errorf("%s: %s on %s: %w", doc.File, doc.Implementation, doc.Device, errWrongSums)
	}
	return err
}
