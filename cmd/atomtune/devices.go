package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

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

// quantityRow is one fact of a device profile.
type quantityRow struct{ name, value, unit, source, rationale string }

// quantities lists every fact of a profile under the names that its file uses,
// in the order of the file; maps by key.
func quantities(d *device.Profile) []quantityRow {
	var rows []quantityRow
	walk(reflect.ValueOf(*d), "", &rows)
	return rows
}

func walk(v reflect.Value, name string, rows *[]quantityRow) {
	switch fact := v.Interface().(type) {
	case device.Quantity:
		*rows = append(*rows, quantityRow{name, report.Number(fact.Value), unitName(fact.Unit), fact.Source, fact.Rationale})
		return
	case device.Capability:
		*rows = append(*rows, quantityRow{name, yesNo(fact.Value), "", fact.Source, fact.Rationale})
		return
	}
	if h, ok := v.Interface().(device.SliceHash); ok {
		masks := fmt.Sprintf("mod %d, low %x, fold %x, small arrays at %d of pages of %d", h.Modulus, h.Low, h.Fold, h.SmallBase, h.Page)
		*rows = append(*rows, quantityRow{name, masks, "", h.Source, h.Rationale})
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), name, rows)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			walk(v.Field(i), join(name, tag), rows)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, k := range keys {
			walk(v.MapIndex(k), join(name, fmt.Sprint(k)), rows)
		}
	default:
		text := fmt.Sprint(v)
		if text == "" || !strings.Contains(name, ".") {
			return // the profile's own name stands above the table
		}
		*rows = append(*rows, quantityRow{name: name, value: text})
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// unitName leaves out the unit of a pure number.
func unitName(unit string) string {
	if unit == "1" {
		return ""
	}
	return unit
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
