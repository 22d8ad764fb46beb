package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/internal/command"
)

const kernelsLong = `kernels lists the embedded modules: the PTX version and the compute capability
that each asks for, what it was made with, and the kernels with the instructions
of their PTX that matter: atomics, exchanges between lanes, barriers, accesses to
shared memory. It needs no driver.`

func newKernels(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "kernels",
		Short:   "List the embedded kernels and their instructions",
		Long:    kernelsLong,
		Example: "  atomprobe kernels\n  atomprobe kernels --json",
		Args:    command.NoArguments,
		RunE:    command.Action(func(*cobra.Command, []string) error { return e.listKernels() }),
	}
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

func (e *env) listKernels() error {
	var modules []moduleOutput
	cells := [][]string{{"module", "PTX", "target", "kernel", "instructions"}}
	for _, name := range ptx.Modules() {
		m, err := ptx.Load(name)
		if err != nil {
			return err
		}
		out := moduleOutput{
			Module: name, PTX: m.Version.String(), Target: fmt.Sprintf("sm_%d", m.Target),
			Compiler: m.Source.Compiler, Flags: m.Source.Flags,
		}
		for _, path := range slices.Sorted(maps.Keys(m.Source.Hashes)) {
			out.Sources = append(out.Sources, sourceOutput{path, m.Source.Hashes[path]})
		}
		for _, k := range m.Kernels {
			instructions, err := ptx.Instructions(name, k.Name)
			if err != nil {
				return err
			}
			var words []string
			for _, instruction := range instructions {
				words = append(words, fmt.Sprintf("%s x%d", instruction.Opcode, instruction.Count))
			}
			out.Kernels = append(out.Kernels,
				kernelOutput{k.Name, append([]string{}, k.Parameters...), instructions})
			cells = append(cells, []string{name, out.PTX, out.Target, k.Name, strings.Join(words, ", ")})
		}
		modules = append(modules, out)
	}
	document := struct {
		Modules []moduleOutput `json:"modules"`
	}{modules}
	return e.Emit(document, func(w *bytes.Buffer) { writeTable(w, cells) })
}
