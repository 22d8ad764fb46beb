package rowchoice

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/rows"
)

// Flags are the flags of choose and simulate about updates of rows.
type Flags struct {
	input.RowFlags
	target    elementFlag
	valueType string
}

// Register adds the flags. --type, which is registered and sets target, takes types of rows too.
func (f *Flags) Register(cmd *cobra.Command, target *device.Type) {
	f.RowFlags.Register(cmd)
	flags, types := cmd.Flags(), input.Names(rowTypes)
	f.target.to = target
	given := flags.Lookup("type")
	given.Value = &f.target
	given.Usage += "; of rows f32, the default there, or bf16"
	flags.StringVar(&f.valueType, "value-type", "",
		"`type` of the values of rows: "+input.List(types)+" (default: that of the targets)")
	command.CompleteFlag(cmd, "value-type", types)
}

// rowTypes are the types of targets and values of rows.
var rowTypes = []string{rows.F32.Target(), rows.BF16.Target()}

// elementFlag is the value of --type: a type of single targets, or the name of another one of rows.
type elementFlag struct {
	to      *device.Type
	further string // "" where to holds the type
}

func (f *elementFlag) Type() string { return "type" }

func (f *elementFlag) String() string {
	switch {
	case f.further != "":
		return f.further
	case f.to != nil:
		return f.to.String()
	}
	return ""
}

func (f *elementFlag) Set(text string) error {
	f.further = ""
	if text == rows.BF16.Target() {
		f.further = text
		return nil
	}
	return f.to.UnmarshalText([]byte(text))
}

// Asked reports whether the command is asked about rows. It refuses flags that mean something of rows alone.
func (f *Flags) Asked(cmd *cobra.Command) (bool, error) {
	given, err := f.Given(cmd)
	switch {
	case given || err != nil:
		return given, err
	case cmd.Flags().Changed("value-type"):
		return false, command.Usagef("--value-type goes with --width")
	case f.target.further != "":
		return false, command.Usagef("--type %s goes with --width", f.target.further)
	}
	return false, nil
}

// refused are the flags of choose and simulate that mean nothing of rows, with the reason.
var refused = []struct{ flag, why string }{
	{"op", "updates of rows add"},
	{"value", "each update adds a row of loaded values"},
	{"returns", "updates of rows return no old values"},
	{"deterministic", "every form of rows adds in an order that varies"},
	{"launch", "scatter_add_rows launches its own kernels"},
	{"search-launch", "scatter_add_rows launches its own kernels"},
	{"model", "forms of rows are priced in closed form alone"},
	{"relaid", "no form of rows lays updates anew"},
	{"memory", "what forms of rows take of device memory is not known here"},
	{"no-sort", "all forms of rows are ranked"},
	{"only", "all forms of rows are ranked"},
	{"exclude", "all forms of rows are ranked"},
	{"cautious", "forms of rows are ranked by their predicted time"},
	{"launches", "the statistics of rows are those of the whole stream"},
	{"sampling-cost", "the statistics of rows are those of the whole stream"},
	{"sampling-most", "the statistics of rows are those of the whole stream"},
	{"simulate", "the command simulate simulates rows"},
	{"save-plan", "plans hold no forms of rows"},
	{"index", "plans hold no forms of rows"},
}

// Call returns the call that the flags ask for, and refuses those that mean nothing of rows.
func (f *Flags) Call(flags *pflag.FlagSet, keeps bool) (rows.Call, error) {
	for _, r := range refused {
		given := flags.Lookup(r.flag) // nil: the command has no such flag
		if given != nil && given.Changed && given.Value.String() != given.DefValue {
			return rows.Call{}, command.Usagef("--%s does not go with --width: %s", r.flag, r.why)
		}
	}
	target := rows.F32.Target()
	if flags.Changed("type") {
		target = f.target.String()
	}
	kind, err := rows.KindOf(target, f.valueType)
	if err != nil {
		given := "--type " + target
		if f.valueType != "" {
			given += " --value-type " + f.valueType
		}
		return rows.Call{}, fmt.Errorf("%s with --width: %w", given, err)
	}
	return rows.Call{Kind: kind, Width: f.Width, Keeps: keeps}, nil
}
