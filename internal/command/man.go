package command

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manPage is one page of the manual.
type manPage struct {
	File string `json:"file"` // such as atomtune-choose.1
	Text string `json:"text"`
}

type manDocument struct {
	Pages []manPage `json:"pages"`
}

const manLong = `man prints the manual page of COMMAND, or without COMMAND the pages of the
program and of all its commands. With --json each page has a file name. Release
archives contain these pages.`

func (e *Env) newMan(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "man [COMMAND]",
		Short:   "Print manual pages",
		Long:    manLong,
		Example: "  " + e.Program.Name + " man\n  " + e.Program.Name + " man " + e.Program.Topic,
		Hidden:  true,
		Args:    AtMost(1, "man takes one COMMAND, but got %q too"),
		RunE: Action(func(_ *cobra.Command, args []string) error {
			list := []*cobra.Command{root}
			for _, cmd := range root.Commands() {
				if cmd.IsAvailableCommand() || cmd.IsAdditionalHelpTopicCommand() {
					list = append(list, cmd)
				}
			}
			if len(args) > 0 {
				cmd, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 || cmd == root {
					return Usagef("no manual page of %q: there is no such command", args[0])
				}
				list = []*cobra.Command{cmd}
			}
			var pages manDocument
			for _, cmd := range list {
				page, err := pageOf(cmd)
				if err != nil {
					return err
				}
				pages.Pages = append(pages.Pages, page)
			}
			return e.EmitExact(pages, func(w *bytes.Buffer) {
				for _, p := range pages.Pages {
					w.WriteString(p.Text)
				}
			})
		}),
	}
}

// pageOf is the manual page of a command. The text keeps its lines: it is not a Markdown.
func pageOf(cmd *cobra.Command) (manPage, error) {
	page, built := *cmd, buildVersion()
	page.Long, page.DisableAutoGenTag = "```\n"+cmd.Long+"\n```", true
	var w bytes.Buffer
	err := doc.GenMan(&page, &doc.GenManHeader{Source: cmd.Root().Name() + " " + built.Version, Date: built.time}, &w)
	return manPage{strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1", w.String()}, err
}
