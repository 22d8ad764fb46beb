package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/variant"
)

// errWrongSums reports a simulated kernel whose results are not those of the
// updates.
var errWrongSums = errors.New("the simulated results are wrong")

// simulateDocument is what simulate prints.
type simulateDocument struct {
	File             string          `json:"file"`
	Device           string          `json:"device"`
	Type             device.Type     `json:"type"`
	Value            device.Operand  `json:"value"`
	Op               device.Op       `json:"op,omitzero"`
	Returns          bool            `json:"returns"`
	Implementation   variant.Variant `json:"implementation"`
	Seed             uint64          `json:"seed"`
	Bins             uint64          `json:"bins"`
	Cycles           uint64          `json:"cycles"`
	US               float64         `json:"us"`
	Updates          uint64          `json:"updates"`
	WarpInstructions uint64          `json:"warp_instructions"`
	Events           uint64          `json:"events"`
	WallS            float64         `json:"wall_s"`
	Correct          bool            `json:"correct"`
	// HostUS is the part of US that the host takes, Kernels the launches.
	HostUS   float64            `json:"host_us"`
	Kernels  []hwsim.KernelTime `json:"kernels"`
	Warnings []string           `json:"warnings"`
	profile  *device.Profile    // for its title
}

// fill enters the result of a simulation that took wall.
func (doc *simulateDocument) fill(r hwsim.Result, wall time.Duration) {
	doc.Cycles, doc.US, doc.HostUS, doc.Updates = r.Cycles, r.US, r.HostUS, r.Updates
	doc.WarpInstructions, doc.Events, doc.Kernels = r.WarpInstructions, r.Events, r.Kernels
	doc.WallS, doc.Correct = wall.Seconds(), r.Correct
}

// report prints the result, and fails if the sums are wrong.
func (e *env) report(doc simulateDocument) error {
	if err := e.Emit(doc, func(w *bytes.Buffer) { printSimulation(w, doc) }); err != nil {
		return err
	}
	if !doc.Correct {
		return fmt.Errorf("%s: %s on %s: %w", doc.File, doc.Implementation, doc.Device, errWrongSums)
	}
	return nil
}

func printSimulation(w *bytes.Buffer, doc simulateDocument) {
	fmt.Fprintf(w, "%s: %s updates of %s targets\n", doc.File, report.Count(doc.Updates), report.Count(doc.Bins))
	fmt.Fprintf(w, "device: %s, %s\n\n", doc.profile.Title, callText(device.Call{Type: doc.Type, Operand: doc.Value, Op: doc.Op, Returns: doc.Returns}))
	t := report.NewTable(report.Left("implementation"), report.Right("time (us)"),
		report.Right("cycles"), report.Right("warp instructions"), report.Right("events"),
		report.Right("wall (s)"), report.Left("correct"))
	t.AppendRow(table.Row{doc.Implementation, report.Number(doc.US), report.Count(doc.Cycles), report.Count(doc.WarpInstructions),
		report.Count(doc.Events), report.Number(doc.WallS), yesNo(doc.Correct)})
	report.PrintTable(w, t)
	w.WriteByte('\n')
	launches := report.NewTable(report.Left("launch"), report.Right("cycles"))
	for _, k := range doc.Kernels {
		launches.AppendRow(table.Row{k.Name, report.Count(k.Cycles)})
	}
	report.PrintTable(w, launches)
}
