package rowchoice

import (
	"cmp"
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
	*input.RowFlags
	target    elementFlag
	valueType string
}

// Register adds the flags. --type, which is registered and sets target, takes types of rows too.
func (f *Flags) Register(cmd *cobra.Command, width *input.RowFlags, target *device.Type) {
	f.RowFlags = width
	width.Register(cmd)
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

func (f *elementFlag) String() string { return cmp.Or(f.further, f.to.String()) }

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

// refused are the flags of choose and simulate that updates of rows cannot follow, with the reason.
var refused = []struct {
	why   string
	flags []string
}{
	{"the kernels of rows add", []string{"op"}},
	{"each update adds a row of loaded values", []string{"value"}},
	{"the kernels of rows return no old values", []string{"returns"}},
	{"scatter_add_rows launches its own kernels", []string{"launch", "search-launch"}},
	{"no recorded or simulated call trains a model of rows", []string{"model"}},
	{"no form of rows lays updates anew", []string{"relaid"}},
	{"the statistics of rows are those of the whole stream", []string{"launches", "sampling-cost", "sampling-most",
		"sample-from"}},
	{"plans hold no forms of rows", []string{"save-plan", "index"}},
}

// Call returns the call that the flags ask for, and refuses those that it cannot follow.
func (f *Flags) Call(flags *pflag.FlagSet, keeps bool) (rows.Call, error) {
	for _, r := range refused {
		for _, name := range r.flags {
			given := flags.Lookup(name) // nil: the command has no such flag
			if given != nil && given.Changed && given.Value.String() != given.DefValue {
				return rows.Call{}, command.Usagef("--%s does not go with --width: %s", name, r.why)
			}
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
