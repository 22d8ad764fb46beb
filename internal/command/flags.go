package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/internal/quantity"
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
			err = Usagef("--%s has an empty value: leave it out, or give it a value", f.Name)
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

// unknownFlag names what is nearest to a flag that there is not, and the help.
func unknownFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	given := "--" + unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		given = "-" + letters
	}
	given, _, _ = strings.Cut(given, "=")
	name := strings.TrimLeft(given, "-")
	flags := &cobra.Command{} // cobra knows what is near to a command
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: "--" + f.Name, Run: func(*cobra.Command, []string) {}})
	})
	var near []string
	for most := 1; 2*most <= len(name) && most <= 2 && len(near) == 0; most++ {
		flags.SuggestionsMinimumDistance = most
		near = flags.SuggestionsFor("--" + name)
	}
	said := ""
	if len(near) > 0 {
		said = "did you mean " + strings.Join(near, " or ") + "? "
	}
	return Usagef("unknown flag: %s; %ssee %s --help", given, said, cmd.CommandPath())
}

// takeQuantities makes flags of whole numbers, of a command and of those below it, take 64k, 1e6 and the like.
func takeQuantities(cmd *cobra.Command) {
	take := func(f *pflag.Flag) {
		if slices.Contains([]string{"int", "uint64"}, f.Value.Type()) {
			f.Value = number{f.Value}
		}
	}
	cmd.Flags().VisitAll(take)
	for _, below := range cmd.Commands() {
		takeQuantities(below)
	}
}

// number is a flag whose number has a unit or an exponent.
type number struct{ pflag.Value }

func (n number) Set(text string) error {
	read, err := quantity.Parse(text)
	if err == nil {
		text = strconv.FormatUint(read, 10)
	}
	if wrong := n.Value.Set(text); err == nil || wrong == nil || strings.HasPrefix(text, "-") {
		return wrong
	}
	return err
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
