// Package command is what the programs of this module have in common: how a
// command line is carried out, how results and errors are printed, the exit
// codes, and the commands help, version and completion.
package command

import "github.com/spf13/cobra"

// Program says in what a program differs from the others.
type Program struct {
	Name string // begins each line on standard error

	// WrongUse lists the errors that a different command line mends, and not a
	// different file: they end the program with ExitUsage. Those of Usagef are
	// among them anyway.
	WrongUse []error

	// Interrupted is the error that ends the program with ExitInterrupted; nil
	// where there is none.
	Interrupted error

	Topic string // a command, for the example of help
}

// Equip gives the root command what every program has: the flag --json and the
// commands help, version and completion. Errors are left to Run.
func (e *Env) Equip(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.PersistentFlags().BoolVar(&e.JSON, "json", false, "print one JSON document")
	root.AddCommand(e.newVersion(), e.newCompletion(root))
	e.setHelp(root)
}

// Names lists the sub-commands that help shows.
func Names(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// NoArguments refuses arguments where a command takes none.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s takes no argument, but got %q", cmd.Name(), args[0])
	}
	return nil
}
