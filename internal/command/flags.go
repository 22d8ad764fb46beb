package command

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Stdout annotates a flag --out that takes - for standard output.
const Stdout = "standard output"

// refuseEmptyFirst makes a command and those below it refuse empty texts before they look at their arguments.
func refuseEmptyFirst(cmd *cobra.Command) {
	if args := cmd.Args; args != nil {
		cmd.Args = func(cmd *cobra.Command, given []string) error {
			if err := refuseEmpty(cmd, given); err != nil {
				return err
			}
			return args(cmd, given)
		}
	}
	for _, below := range cmd.Commands() {
		refuseEmptyFirst(below)
	}
}

// refuseEmpty refuses a flag or an argument that is given as an empty text, which a variable of a shell
// without a value leaves: it names nothing, and is not what a flag means that is not given. It refuses a - where
// --out names a file, which would have that name.
func refuseEmpty(cmd *cobra.Command, args []string) (err error) {
	if cmd.DisableFlagParsing {
		return nil // a shell asks how a line may go on, and the last word may be empty
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case isEmpty(f.Value):
			err = Usagef("--%s is given an empty text: leave it out, or give it a value", f.Name)
		case f.Name == "out" && f.Value.String() == "-" && f.Annotations[Stdout] == nil:
			err = Usagef("%s --out -: it names a file or folder, and not standard output", cmd.Name())
		}
	})
	if err == nil && slices.Contains(args, "") {
		err = Usagef("%s: an argument is empty", cmd.Name())
	}
	return err
}

func isEmpty(v pflag.Value) bool {
	if list, several := v.(pflag.SliceValue); several {
		return len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")
	}
	return v.String() == ""
}

// RegisterClear adds --clear, which is true unless targets keep what they hold.
func RegisterClear(flags *pflag.FlagSet, keeps *bool, usage string) {
	flags.VarPF((*inverse)(keeps), "clear", "", usage).NoOptDefVal = "true"
}

// inverse is a flag that is set where the value is not.
type inverse bool

func (i *inverse) String() string { return strconv.FormatBool(!bool(*i)) }
func (*inverse) Type() string     { return "bool" }

func (i *inverse) Set(text string) error {
	set, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*i = inverse(!set)
	return nil
}
