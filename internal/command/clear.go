package command

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

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
