package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/gpu/libcuda"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/probe/micro"
)

const devicesLong = `devices lists the GPUs that the driver finds, with their numbers for --device.
With --json it gives every attribute that suite device records.`

// newList returns the command of that name, which prints what list finds.
func newList(name, short, long string, list func() error) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Long:    long,
		Example: fmt.Sprintf("  atomprobe %[1]s\n  atomprobe %[1]s --json", name),
		Args:    command.NoArguments,
		RunE:    command.Action(func(*cobra.Command, []string) error { return list() }),
	}
}

type deviceRow struct {
	Number            int                `json:"number"`
	Name              string             `json:"name"`
	ComputeCapability string             `json:"compute_capability"`
	Driver            string             `json:"driver"`
	CUDA              string             `json:"cuda"`
	SMClock           int                `json:"sm_clock_mhz"`     // now; 0 unknown
	MemoryClock       int                `json:"memory_clock_mhz"` // now; 0 unknown
	Attributes        []driver.Attribute `json:"attributes"`
}

func (e *env) listDevices() error {
	l, err := libcuda.Open()
	count := 0
	if err == nil {
		count, err = l.Count()
	}
	if err != nil {
		return err
	}
	rows := []deviceRow{}
	var lines []report.Row
	for i := range max(1, count) { // the first says that there is none
		d, err := l.Describe(i)
		if err != nil {
			return err
		}
		sm, memory := l.Clocks(i)
		rows = append(rows, deviceRow{i, d.Name, d.Capability(), d.Driver, d.CUDA, sm, memory,
			d.Attributes})
		lines = append(lines, report.Row{i, d.Name, d.Capability(), d.Attribute("sm_count"),
			fmt.Sprintf("%.1f", d.Attribute("global_bytes")/(1<<30)), d.Driver, d.CUDA})
	}
	return e.Emit(map[string]any{"devices": rows}, func(w *bytes.Buffer) {
		report.Cells(w, "number|device|compute capability|SMs|memory (GiB)|driver|CUDA", lines)
	})
}

const kernelsLong = `kernels lists the embedded modules: the PTX version and the compute capability
that each asks for, what it was made with, and the kernels with the instructions
of their PTX that matter: atomics, exchanges between lanes, barriers, accesses to
shared memory. It needs no driver.`

type moduleOutput struct {
	Module   string         `json:"module"`
	PTX      string         `json:"ptx"`
	Target   string         `json:"target"`
	Compiler string         `json:"compiler"`
	Flags    string         `json:"flags"`
	Sources  []sourceOutput `json:"sources"`
	Kernels  []kernelOutput `json:"kernels"`
}

type sourceOutput struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

type kernelOutput struct {
	Kernel       string            `json:"kernel"`
	Parameters   []string          `json:"parameters"`
	Instructions []ptx.Instruction `json:"instructions"`
}

func (e *env) listKernels() error {
	var modules []moduleOutput
	var lines []report.Row
	for _, name := range ptx.Modules() {
		m, err := ptx.Load(name)
		if err != nil {
			return err
		}
		out := moduleOutput{
			Module: name, PTX: m.Version.String(), Target: fmt.Sprintf("sm_%d", m.Target),
			Compiler: m.Compiler, Flags: m.Flags,
		}
		for _, path := range slices.Sorted(maps.Keys(m.Sources)) {
			out.Sources = append(out.Sources, sourceOutput{path, m.Sources[path]})
		}
		for _, k := range m.Kernels {
			instructions, err := ptx.Instructions(name, k.Name)
			if err != nil {
				return err
			}
			words := make([]string, len(instructions))
			for i, instruction := range instructions {
				words[i] = fmt.Sprintf("%s x%d", instruction.Opcode, instruction.Count)
			}
			out.Kernels = append(out.Kernels,
				kernelOutput{k.Name, append([]string{}, k.Parameters...), instructions})
			lines = append(lines, report.Row{name, out.PTX, out.Target, k.Name, strings.Join(words, ", ")})
		}
		modules = append(modules, out)
	}
	return e.Emit(map[string]any{"modules": modules}, func(w *bytes.Buffer) {
		report.Cells(w, "module|PTX|target|kernel|instructions", lines)
	})
}

func newLaunch(e *env) *cobra.Command {
	var flags measureFlags
	cases := strings.Join(micro.CounterCases(), ", ")
	cmd := &cobra.Command{
		Use:   "launch CASE",
		Short: "Launch the kernel of one case of suite counters",
		Long: "launch launches the kernel of one case of suite counters once, for a profiler to look " +
			"at:\n" + cases + ".",
		Example:   "  atomprobe launch shared_u32_position",
		Hidden:    true,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: micro.CounterCases(),
	}
	cmd.Flags().IntVar(&flags.device, "device", 0, "`number` of the GPU, as devices lists it")
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return command.Usagef("launch takes one CASE of %s", cases)
		}
		gpu, err := flags.open(nil)
		if err != nil {
			return err
		}
		defer gpu.Close() // the process ends anyway
		kernel, err := micro.LaunchCase(gpu, args[0])
		if err != nil {
			return err
		}
		document := map[string]string{"case": args[0], "kernel": kernel}
		return e.Emit(document, func(w *bytes.Buffer) { report.Fprintf(w, "%s: %s\n", args[0], kernel) })
	})
	return cmd
}
