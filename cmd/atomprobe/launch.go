package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/probe/micro"
)

// newLaunch returns the command that suite counters lets the profiler run.
func newLaunch(e *env) *cobra.Command {
	var flags measureFlags
	cmd := &cobra.Command{
		Use:   "launch CASE",
		Short: "Launch the kernel of one case of suite counters",
		Long: "launch launches the kernel of one case of suite counters once, for a profiler to look " +
			"at:\n" + strings.Join(micro.CounterCases(), ", ") + ".",
		Example: "  atomprobe launch shared_u32_position",
		Hidden:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("launch takes one CASE of %s", strings.Join(micro.CounterCases(), ", "))
			}
			return nil
		},
		ValidArgs: micro.CounterCases(),
	}
	cmd.Flags().IntVar(&flags.device, "device", 0, "`number` of the GPU, as devices lists it")
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		gpu, err := flags.open(nil)
		if err != nil {
			return err
		}
		defer gpu.Close() // the process ends anyway
		kernel, err := micro.LaunchCase(gpu, args[0])
		if err != nil {
			return err
		}
		document := struct {
			Case   string `json:"case"`
			Kernel string `json:"kernel"`
		}{args[0], kernel}
		return e.Emit(document, func(w *bytes.Buffer) { fmt.Fprintf(w, "%s: %s\n", args[0], kernel) })
	})
	return cmd
}
