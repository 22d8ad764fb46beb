package main

import (
	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/page"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
)

func newReport(e *env) *cobra.Command {
	cmd := page.New(e)
	explain(cmd, input.DefaultStream)
	command.Append(cmd, input.Families())
	return cmd
}
