package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
)

// defaultDevice is the device that is meant where none is named.
const defaultDevice = "h200"

// callFlags are the flags that say what is called on which device.
type callFlags struct {
	device string
	call   device.Call
}

func (f *callFlags) register(cmd *cobra.Command) {
	registerDevice(cmd, &f.device)
	flags := cmd.Flags()
	flags.TextVar(&f.call.Type, "type", device.U32, "`type` of the targets: "+list(typeNames()))
	flags.TextVar(&f.call.Operand, "value", device.Loaded, "what an update brings: a `value` loaded from memory, or one")
	flags.TextVar(&f.call.Op, "op", device.Add, "`operation` of each update: "+list(opNames()))
	flags.BoolVar(&f.call.Returns, "returns", false, "each update needs the old value of its target")
	completeFlag(cmd, "type", typeNames())
	completeFlag(cmd, "op", opNames())
	completeFlag(cmd, "value", []string{device.Loaded.String(), device.One.String()})
}

func registerDevice(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "device", defaultDevice, "`name` of a device ("+list(device.Names())+") or path of a profile file")
	completeFlag(cmd, "device", device.Names())
}

func typeNames() []string {
	names := make([]string, len(device.Types()))
	for i, t := range device.Types() {
		names[i] = t.String()
	}
	return names
}

func opNames() []string {
	names := make([]string, len(device.Ops()))
	for i, o := range device.Ops() {
		names[i] = o.String()
	}
	return names
}

// completeFlag lists the words that a shell offers for a flag.
func completeFlag(cmd *cobra.Command, flag string, words []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault))
	if err != nil {
		panic(err) // the flag was registered the line before
	}
}

func list(words []string) string { return strings.Join(words, ", ") }
