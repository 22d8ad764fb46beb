package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomprobe/driver"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/probe/gpu"
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
	Number            int             `json:"number"`
	Name              string          `json:"name"`
	ComputeCapability string          `json:"compute_capability"`
	Driver            string          `json:"driver"`
	CUDA              string          `json:"cuda"`
	SMClock           int             `json:"sm_clock_mhz"`     // now; 0 unknown
	MemoryClock       int             `json:"memory_clock_mhz"` // now; 0 unknown
	Attributes        []gpu.Attribute `json:"attributes"`
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
	rows := []deviceRow{}
	cells := [][]string{{"number", "device", "compute capability", "SMs", "memory (GiB)", "driver",
		"CUDA"}}
	for i := range max(1, count) { // the first says that there is none
		d, err := l.Describe(i)
		if err != nil {
			return err
		}
		sm, memory := l.Clocks(i)
		rows = append(rows, deviceRow{i, d.Name, d.Capability(), d.Driver, d.CUDA, sm, memory,
			d.Attributes})
		cells = append(cells, []string{
			strconv.Itoa(i), d.Name, d.Capability(),
			strconv.FormatFloat(d.Attribute("sm_count"), 'f', -1, 64),
			fmt.Sprintf("%.1f", d.Attribute("global_bytes")/(1<<30)), d.Driver, d.CUDA,
		})
	}
	document := struct {
		Devices []deviceRow `json:"devices"`
	}{rows}
	return e.Emit(document, func(w *bytes.Buffer) { writeTable(w, cells) })
}

// writeTable writes rows whose columns stand below each other.
func writeTable(w *bytes.Buffer, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, cells := range rows {
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	t.Flush() // into a buffer, which takes everything
}
