// Package command is what the programs of this module have in common: how a
// command line is carried out, how results and errors are printed, the exit
// codes, and the commands help, version and completion.
package command

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
