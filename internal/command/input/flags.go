package input

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
)

// DefaultDevice is the device that is meant where none is named.
const DefaultDevice = "h200"

// CallFlags are the flags that say what is called on which device.
type CallFlags struct {
	Device string
	Call   device.Call
}

func (f *CallFlags) Register(cmd *cobra.Command) {
	RegisterDevice(cmd, &f.Device)
	flags := cmd.Flags()
	flags.TextVar(&f.Call.Type, "type", device.U32, "`type` of the targets: "+List(TypeNames()))
	flags.TextVar(&f.Call.Operand, "value", device.Loaded, "what an update brings: a `value` loaded from memory, or one")
	flags.TextVar(&f.Call.Op, "op", device.Add, "`operation` of each update: "+List(opNames()))
	flags.BoolVar(&f.Call.Returns, "returns", false, "each update needs the old value of its target")
	CompleteFlag(cmd, "type", TypeNames())
	CompleteFlag(cmd, "op", opNames())
	CompleteFlag(cmd, "value", []string{device.Loaded.String(), device.One.String()})
}

func RegisterDevice(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "device", DefaultDevice, "`name` of a device ("+List(device.Names())+") or path of a profile file")
	CompleteFlag(cmd, "device", device.Names())
}

func TypeNames() []string {
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

// CompleteFlag lists the words that a shell offers for a flag.
func CompleteFlag(cmd *cobra.Command, flag string, words []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault))
	if err != nil {
		panic(err) // the flag was registered the line before
	}
}

func List(words []string) string { return strings.Join(words, ", ") }
