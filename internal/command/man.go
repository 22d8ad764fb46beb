package command

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage is one page of the manual, in the macros of man(7).
type manPage struct {
	File string `json:"file"` // such as atomtune-choose.1
	Text string `json:"text"`
}

type manDocument struct {
	Pages []manPage `json:"pages"`
}

const manLong = `man prints manual pages for man(1): that of COMMAND, or without one those of the
program and of all its commands, one behind the other. With --json each has the
name of its file. Released archives hold these pages.`

func (e *Env) newMan(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "man [COMMAND]",
		Short:   "Print manual pages",
		Long:    manLong,
		Example: "  " + e.Program.Name + " man\n  " + e.Program.Name + " man " + e.Program.Topic,
		Hidden:  true,
		Args:    AtMost(1, "man takes one COMMAND, but got %q too"),
		RunE: Action(func(_ *cobra.Command, args []string) error {
			list := append([]*cobra.Command{root}, root.Commands()...)
			if len(args) > 0 {
				cmd, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 || cmd == root {
					return Usagef("no manual page of %q: there is no such command", args[0])
				}
				list = []*cobra.Command{cmd}
			}
			var doc manDocument
			for _, cmd := range list {
				if cmd == root || cmd.IsAvailableCommand() || len(args) > 0 {
					doc.Pages = append(doc.Pages, pageOf(cmd))
				}
			}
			return e.EmitExact(doc, func(w *bytes.Buffer) {
				for _, p := range doc.Pages {
					w.WriteString(p.Text)
				}
			})
		}),
	}
}

// pageOf is the page of a command. Texts are laid out by hand, for help, and stay as they are.
func pageOf(cmd *cobra.Command) manPage {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	var w bytes.Buffer
	fmt.Fprintf(&w, ".TH %s 1 \"\" \"%s %s\"\n", roff(strings.ToUpper(name)), roff(cmd.Root().Name()),
		roff(buildVersion().Version))
	fmt.Fprintf(&w, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	writeLaid(&w, "SYNOPSIS", cmd.UseLine())
	writeLaid(&w, "DESCRIPTION", cmd.Long)
	if commands := Names(cmd); len(commands) > 0 {
		fmt.Fprint(&w, ".SH COMMANDS\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(&w, ".TP\n.B %s\n%s\n", roff(c.Name()), roff(c.Short))
			}
		}
	}
	writeFlags(&w, cmd)
	writeLaid(&w, "EXAMPLES", cmd.Example)
	return manPage{name + ".1", w.String()}
}

func writeFlags(w *bytes.Buffer, cmd *cobra.Command) {
	fmt.Fprint(w, ".SH OPTIONS\n")
	list := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s", roff(name), roff(usage))
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
			fmt.Fprintf(w, " (default %s)", roff(f.DefValue))
		}
		w.WriteByte('\n')
	}
	cmd.LocalFlags().VisitAll(list)
	cmd.InheritedFlags().VisitAll(list)
}

// writeLaid writes a section whose lines stay as they are, nothing for an empty text.
func writeLaid(w *bytes.Buffer, title, text string) {
	if text = strings.Trim(text, "\n"); text == "" {
		return
	}
	fmt.Fprintf(w, ".SH %s\n.nf\n", title)
	for line := range strings.SplitSeq(text, "\n") {
		w.WriteString(roff(line) + "\n")
	}
	w.WriteString(".fi\n")
}

// roff is text in which roff finds no command: - is a minus sign that can be copied.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
