package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/libcuda"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/microbench/micro"
)

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

func (e *env) listDevices([]string) error {
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

func (e *env) listKernels([]string) error {
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
	var flags gpuFlags
	cases := strings.Join(micro.CounterCases(), "\n  ")
	cmd := newCommand("launch CASE", "Launch the kernel of one case of suite counters", cobra.ArbitraryArgs,
		func(args []string) error { return e.launch(&flags, args) }, cases)
	cmd.Hidden, cmd.ValidArgs = true, micro.CounterCases()
	cmd.Flags().IntVar(&flags.device, "device", 0, "`number` of the GPU, as devices lists it")
	return cmd
}

func (e *env) launch(flags *gpuFlags, args []string) error {
	if len(args) != 1 {
		return command.Usagef("launch takes one CASE")
	}
	gpu, err := flags.open()
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
}
