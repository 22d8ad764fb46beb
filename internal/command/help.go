package command

import (
	"bytes"

	"github.com/spf13/cobra"
)

// helpDocument is what help prints with --json.
type helpDocument struct {
	Command string `json:"command"`
	Help    string `json:"help"`
}

// setHelp makes help obey --json and fail on an unknown topic.
func (e *Env) setHelp(root *cobra.Command) {
	plain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !e.JSON {
			plain(cmd, args)
			return
		}
		var text bytes.Buffer
		cmd.SetOut(&text)
		plain(cmd, args)
		cmd.SetOut(nil)
		if err := e.Emit(helpDocument{cmd.CommandPath(), text.String()}, nil); err != nil {
			e.Note("%s", oneLine(err))
		}
	})
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about a command",
		Long:    "help prints what a command does, its flags and examples of its use.",
		Example: "  " + e.Program.Name + " help " + e.Program.Topic,
		RunE: Action(func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return Usagef("no help about %q: there is no such command", args[len(args)-1])
			}
			return cmd.Help()
		}),
	})
}
