package command

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groups are the sections that a help shows the flags in, each with its flags in their order. Other flags are a
// command's own, and come first.
var groups = []struct{ title, flags string }{
	{"Flags:\n", ""},
	{"Input:\n", "format array column axis row batch csr keys bins ignore order quantize channel index max-updates"},
	{"Call:\n", "device type op value returns clear width value-type calls"},
	{"Constraints:\n", "only exclude deterministic no-sort memory cautious launch model"},
	{"Answer:\n", "all explain simulate save-plan json help"},
}

// Hide leaves flags out of the help. They work as before, and a topic describes them.
func Hide(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		cmd.Flag(name).Hidden = true
	}
}

// Topic returns a topic of the help, which lacks its text. It shows flags that the help of a command leaves out.
func Topic(name string, of *cobra.Command, flags string) *cobra.Command {
	topic := &cobra.Command{Use: name}
	for _, flag := range strings.Fields(flags) {
		shown := *of.Flag(flag)
		shown.Hidden = false
		topic.Flags().AddFlag(&shown)
	}
	return topic
}

// setHelp makes help obey --json, and fail on an unknown topic.
func (e *Env) setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := helpText(cmd)
		err := e.Emit(map[string]string{"command": cmd.CommandPath(), "help": text},
			func(w *bytes.Buffer) { w.WriteString(text) })
		if err != nil {
			e.Note("%s", oneLine(err))
		}
	})
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [COMMAND | TOPIC]",
		Short:   "Help about a command or a topic",
		Long:    "help prints what a command does, its flags and examples of its use.",
		Example: "  " + e.Program.Name + " help " + e.Program.Topic,
		RunE: Action(func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return Usagef("no help about %q: there is no such command or topic", args[len(args)-1])
			}
			return cmd.Help()
		}),
	})
}

const helpColumns = 80

func helpText(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	section := func(title, text string) {
		if text = strings.TrimRight(text, " \n"); text != "" {
			fmt.Fprintf(&b, "\n%s%s\n", title, text)
		}
	}
	fmt.Fprintf(&b, "%s.\n", cmd.Short)
	if cmd.Runnable() {
		section("Usage:\n", "  "+cmd.UseLine())
	}
	section("Examples:\n", cmd.Example)
	section("", cmd.Long)
	commands, topics := "", ""
	for _, c := range cmd.Commands() {
		line := fmt.Sprintf("  %-*s  %s\n", c.NamePadding(), c.Name(), c.Short)
		if c.IsAdditionalHelpTopicCommand() {
			topics += line
		} else if c.IsAvailableCommand() || c.Name() == "help" {
			commands += line
		}
	}
	section("Commands:\n", commands)
	section("Topics:\n", topics)
	for i, set := range flagGroups(cmd) {
		section(groups[i].title, set.FlagUsagesWrapped(helpColumns))
	}
	return b.String()
}

// flagGroups are the flags of a command by group.
func flagGroups(cmd *cobra.Command) []*pflag.FlagSet {
	sets, group := make([]*pflag.FlagSet, len(groups)), map[string]int{}
	for i, g := range groups {
		sets[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
		sets[i].SortFlags = false
		for name := range strings.FieldsSeq(g.flags) {
			if group[name] = i; cmd.Flag(name) != nil {
				sets[i].AddFlag(cmd.Flag(name))
			}
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if group[f.Name] == 0 {
			sets[0].AddFlag(f)
		}
	})
	return sets
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
