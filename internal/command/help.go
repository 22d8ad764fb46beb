package command

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// appendix is the annotation of a command under which Append keeps the end of its help.
const appendix = "appendix"

// Append puts a text at the end of a command's help, behind its flags.
func Append(cmd *cobra.Command, text string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[appendix] = text
}

// setHelp makes help obey --json and the width of the terminal, and fail on an unknown topic.
func (e *Env) setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := helpText(cmd, e.Columns())
		err := e.Emit(map[string]string{"command": cmd.CommandPath(), "help": text},
			func(w *bytes.Buffer) { w.WriteString(text) })
		if err != nil {
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

const helpColumns = 80 // of the sentences of a help at most

// helpText is the help of a command in lines of so many columns, with what Append added.
func helpText(cmd *cobra.Command, columns int) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\nUsage:\n  %s\n", cmd.Short, cmd.UseLine())
	section := func(title, text string) {
		if text = strings.TrimRight(text, " \n"); text != "" {
			fmt.Fprintf(&b, "\n%s%s\n", title, text)
		}
	}
	section("", fill(cmd.Long, min(columns, helpColumns)))
	section("Examples:\n", cmd.Example)
	commands := ""
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			commands += fmt.Sprintf("  %-*s  %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	section("Commands:\n", fill(commands, columns))
	section("Flags:\n", cmd.LocalFlags().FlagUsagesWrapped(columns))
	section("Flags of every command:\n", cmd.InheritedFlags().FlagUsagesWrapped(columns))
	section("", fill(cmd.Annotations[appendix], columns))
	return b.String()
}

// Explain gives a command the text and the examples of its file in the folder help of texts; the arguments
// are those of the text's verbs.
func Explain(cmd *cobra.Command, texts fs.FS, arguments ...any) {
	data, err := fs.ReadFile(texts, "help/"+cmd.Name()+".txt")
	if err != nil {
		panic(err) // the texts are embedded
	}
	long, examples, _ := strings.Cut(string(data), "\n\nExamples:\n")
	if cmd.Long = strings.TrimSpace(long); len(arguments) > 0 {
		cmd.Long = fmt.Sprintf(cmd.Long, arguments...)
	}
	cmd.Example = strings.TrimSuffix(examples, "\n")
}
