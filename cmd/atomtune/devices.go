package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/model"
)

func newDevices(e *env) *cobra.Command {
	var f deviceFlags
	cmd := newCommand("devices [NAME]", command.AtMost(1, "devices takes one NAME, but got %q too"))
	cmd.ValidArgs = device.Names()
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) > 0 && f.all && f.tree:
			return command.Usagef("devices: --all and --tree exclude each other")
		case len(args) > 0:
			return showDevice(e, args[0], f)
		case f != deviceFlags{}:
			return command.Usagef("devices --all, --tree and --model take the NAME of a device")
		}
		return listDevices(e)
	})
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "show every quantity of NAME, with unit, source and rationale")
	flags.BoolVar(&f.tree, "tree", false, "show the regression tree of NAME alone")
	flags.StringVar(&f.model, "model", "",
		input.AtMost(model.MostBytes, "`file` of the model whose tree is shown (default: the built-in model of NAME)"))
	return cmd
}

type deviceFlags struct {
	all, tree bool
	model     string
}

type deviceRow struct {
	Name         string  `json:"name"`
	Title        string  `json:"title"`
	Vendor       string  `json:"vendor"`
	Architecture string  `json:"architecture"`
	SMs          float64 `json:"sms"`
	WarpLanes    float64 `json:"warp_lanes"`
	ClockMHz     float64 `json:"clock_mhz"`
	Profile      string  `json:"profile"` // of what it is made: device.Profile.Origin
}

func listDevices(e *env) error {
	var document struct {
		Devices []deviceRow `json:"devices"`
	}
	for _, name := range device.Names() {
		d, err := device.Builtin(name)
		if err != nil {
			return err
		}
		document.Devices = append(document.Devices, deviceRow{d.Name, d.Title, d.Vendor,
			d.Architecture, d.Core.SMs.Value, d.Core.WarpLanes.Value, d.Core.Clock.Value, d.Origin()})
	}
	return report.EmitPage(e, document, func(p *report.Page) {
		report.Table(p, "name|device|architecture|>SMs|>warp|>MHz|profile", document.Devices,
			func(r deviceRow) report.Row {
				return report.Row{r.Name, r.Title, r.Architecture, r.SMs, r.WarpLanes, r.ClockMHz, r.Profile}
			})
	})
}

func showDevice(e *env, name string, f deviceFlags) error {
	d, err := device.Load(name)
	if err != nil {
		return err
	}
	tree, err := deviceTreeOf(d, f.model)
	if err != nil {
		return err
	}
	var document any = tree
	if !f.tree { // the document is the profile itself
		profile, err := d.Encode()
		if err != nil {
			return fmt.Errorf("device %s: %w", d.Name, err)
		}
		document = json.RawMessage(profile)
	}
	if e.JSON {
		e.Warn(d.Doubts()...)
	}
	return report.EmitPage(e, document, func(p *report.Page) {
		switch {
		case f.tree:
			printDeviceTree(p, name, tree)
		case f.all:
			printQuantities(p, d)
		default:
			printDevice(p, d)
			printDeviceTree(p, name, tree)
		}
		p.Warnings(d.Doubts())
	})
}

// facts lists name, value, unit, source and rationale of every fact of a profile under the names
// that its file uses, in the order of the file; maps by key.
func facts(v reflect.Value, name string) (rows [][5]string) {
	switch fact := v.Interface().(type) {
	case device.Quantity:
		unit := strings.TrimPrefix(fact.Unit, "1") // of a pure number
		return [][5]string{{name, report.Number(fact.Value), unit, fact.Source, fact.Rationale}}
	case device.Capability:
		return [][5]string{{name, report.YesNo(fact.Value), "", fact.Source, fact.Rationale}}
	case device.SliceHash:
		text := fmt.Sprintf("mod %d, low %x, fold %x, small arrays at %d of pages of %d",
			fact.Modulus, fact.Low, fact.Fold, fact.SmallBase, fact.Page)
		return [][5]string{{name, text, "", fact.Source, fact.Rationale}}
	}
	within := func(part string) string { return strings.TrimPrefix(name+"."+part, ".") }
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return facts(v.Elem(), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			rows = append(rows, facts(v.Field(i), within(tag))...)
		}
	case reflect.Map:
		keys := map[string]reflect.Value{}
		for _, k := range v.MapKeys() {
			keys[fmt.Sprint(k)] = v.MapIndex(k)
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			rows = append(rows, facts(keys[k], within(k))...)
		}
	default:
		// The profile's own name stands above the table.
		if text := fmt.Sprint(v); text != "" && strings.Contains(name, ".") {
			rows = [][5]string{{name, text}}
		}
	}
	return rows
}
