package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/speedup"
)

const devicesLong = `devices lists the built-in devices. With NAME, or the path of a profile file, it
shows every quantity of that device with its unit, source and rationale, and from
how many lanes on one target sr and vr should reduce there.

With --json and NAME it prints the profile itself, so that a copy can be edited
and given to --device.`

func newDevices(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "devices [NAME]",
		Short:   "List the devices, or show what is known of one",
		Long:    devicesLong,
		Example: "  atomtune devices\n  atomtune devices h200\n  atomtune devices --json gtx680",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return command.Usagef("devices takes one NAME, but got %q too", args[1])
			}
			return nil
		},
		ValidArgs: device.Names(),
		RunE: command.Action(func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listDevices(e)
			}
			return showDevice(e, args[0])
		}),
	}
}

// deviceRow is one device of the list.
type deviceRow struct {
	Name         string  `json:"name"`
	Title        string  `json:"title"`
	Vendor       string  `json:"vendor"`
	Architecture string  `json:"architecture"`
	SMs          float64 `json:"sms"`
	WarpLanes    float64 `json:"warp_lanes"`
	ClockMHz     float64 `json:"clock_mhz"`
}

func listDevices(e *env) error {
	var rows []deviceRow
	for _, name := range device.Names() {
		d, err := device.Builtin(name)
		if err != nil {
			return err
		}
		rows = append(rows, deviceRow{d.Name, d.Title, d.Vendor, d.Architecture,
			d.Core.SMs.Value, d.Core.WarpLanes.Value, d.Core.Clock.Value})
	}
	document := struct {
		Devices []deviceRow `json:"devices"`
	}{rows}
	return e.Emit(document, func(w *bytes.Buffer) {
		t := report.NewTable(report.Left("name"), report.Left("device"),
			report.Left("architecture"), report.Right("SMs"), report.Right("warp (lanes)"),
			report.Right("clock (MHz)"))
		for _, r := range rows {
			t.AppendRow(table.Row{r.Name, r.Title, r.Architecture, report.Number(r.SMs), report.Number(r.WarpLanes), report.Number(r.ClockMHz)})
		}
		report.PrintTable(w, t)
	})
}

func showDevice(e *env, name string) error {
	d, err := device.Load(name)
	if err != nil {
		return err
	}
	profile, err := d.Encode()
	if err != nil {
		return fmt.Errorf("device %s: %w", d.Name, err)
	}
	return e.Emit(json.RawMessage(profile), func(w *bytes.Buffer) {
		fmt.Fprintf(w, "%s: %s (%s, %s)\n", d.Name, d.Title, d.Vendor, d.Architecture)
		sr, vr := speedup.Thresholds(d)
		fmt.Fprintf(w, "thresholds: sr:t=%d, vr:t=%d of %s lanes, by inequalities (1) and (2) of [egielski14]\n\n",
			sr, vr, report.Number(d.Core.WarpLanes.Value))
		t := report.NewTable(report.Left("quantity"), report.Right("value"), report.Left("unit"),
			report.Column{Title: "source", Width: 36}, report.Column{Title: "rationale", Width: 44})
		for _, q := range quantities(d) {
			t.AppendRow(table.Row{q.name, q.value, q.unit, q.source, q.rationale})
		}
		report.PrintTable(w, t)
	})
}
