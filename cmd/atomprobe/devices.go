package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomprobe/driver"
	"github.com/atomtune/atomtune/internal/command"
)

const devicesLong = `devices lists the GPUs that the driver finds, with their numbers for --device.
With --json it gives every attribute that suite device records.`

func newDevices(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "devices",
		Short:   "List the GPUs that the driver finds",
		Long:    devicesLong,
		Example: "  atomprobe devices\n  atomprobe devices --json",
		Args:    command.NoArguments,
		RunE:    command.Action(func(*cobra.Command, []string) error { return e.listDevices() }),
	}
}

// deviceRow is one device of the list.
type deviceRow struct {
	Number            int               `json:"number"`
	Name              string            `json:"name"`
	ComputeCapability string            `json:"compute_capability"`
	Driver            string            `json:"driver"`
	CUDA              string            `json:"cuda"`
	SMClock           int               `json:"sm_clock_mhz"`     // now; 0 unknown
	MemoryClock       int               `json:"memory_clock_mhz"` // now; 0 unknown
	Attributes        []attributeOutput `json:"attributes"`
	sms, bytes        float64
}

type attributeOutput struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

func (e *env) listDevices() error {
	l, err := driver.Open()
	if err != nil {
		return err
	}
	count, err := l.Count()
	if err != nil {
		return err
	}
	rows := make([]deviceRow, max(1, count))
	for i := range rows { // the first says that there is none
		if rows[i], err = describe(l, i); err != nil {
			return err
		}
	}
	document := struct {
		Devices []deviceRow `json:"devices"`
	}{rows}
	return e.Emit(document, func(w *bytes.Buffer) {
		t := newTable(w, "number", "device", "compute capability", "SMs", "memory (GiB)", "driver", "CUDA")
		for _, r := range rows {
			t.row(strconv.Itoa(r.Number), r.Name, r.ComputeCapability, strconv.FormatFloat(r.sms, 'f', -1, 64),
				fmt.Sprintf("%.1f", r.bytes/(1<<30)), r.Driver, r.CUDA)
		}
		t.end()
	})
}

func describe(l *driver.Library, index int) (deviceRow, error) {
	d, err := l.Describe(index)
	if err != nil {
		return deviceRow{}, err
	}
	r := deviceRow{
		Number: index, Name: d.Name, ComputeCapability: fmt.Sprintf("%d.%d", d.Major, d.Minor),
		Driver: d.Driver, CUDA: d.CUDA, sms: d.Attribute("sm_count"), bytes: d.Attribute("global_bytes"),
	}
	r.SMClock, r.MemoryClock = l.Clocks(index)
	for _, a := range d.Attributes {
		r.Attributes = append(r.Attributes, attributeOutput(a))
	}
	return r, nil
}
