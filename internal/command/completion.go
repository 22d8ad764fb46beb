package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionDocument is what completion prints with --json.
type completionDocument struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func (e *Env) newCompletion(root *cobra.Command) *cobra.Command {
	name := e.Program.Name
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells, "|"),
		Short: "Print a script that completes command lines in a shell",
		Long: "completion prints a script for the shell; for bash: source <(" + name +
			" completion bash)",
		Example:   "  " + name + " completion bash\n  " + name + " completion zsh",
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return Usagef("completion takes one shell of %s, but got %q", strings.Join(shells, ", "), args)
			}
			return nil
		},
		RunE: Action(func(_ *cobra.Command, args []string) error {
			var script bytes.Buffer
			if err := writeCompletion(root, args[0], &script); err != nil {
				return fmt.Errorf("completion for %s: %w", args[0], err)
			}
			doc := completionDocument{args[0], script.String()}
			return e.Emit(doc, func(w *bytes.Buffer) { w.WriteString(doc.Script) })
		}),
	}
}

func writeCompletion(root *cobra.Command, shell string, w io.Writer) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return Usagef("unknown shell %q", shell)
}
