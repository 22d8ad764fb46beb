package command

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

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
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: Action(func(_ *cobra.Command, args []string) error {
			var script bytes.Buffer
			err := map[string]func() error{
				"bash":       func() error { return root.GenBashCompletionV2(&script, true) },
				"zsh":        func() error { return root.GenZshCompletion(&script) },
				"fish":       func() error { return root.GenFishCompletion(&script, true) },
				"powershell": func() error { return root.GenPowerShellCompletionWithDesc(&script) },
			}[args[0]]()
			if err != nil {
				return fmt.Errorf("completion for %s: %w", args[0], err)
			}
			doc := completionDocument{args[0], script.String()}
			return e.EmitExact(doc, func(w *bytes.Buffer) { w.WriteString(doc.Script) })
		}),
	}
}

// versionDocument says from what the program was built.
type versionDocument struct {
	Version  string `json:"version"`            // of the module; "(devel)" in a working tree
	Revision string `json:"revision,omitempty"` // of the version control system
	Modified bool   `json:"modified"`           // the working tree had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (e *Env) newVersion() *cobra.Command {
	name := e.Program.Name
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "version prints the version of the program, its revision, and the Go that built it.",
		Example: "  " + name + " version\n  " + name + " version --json",
		Args:    NoArguments,
		RunE:    Action(e.printVersion),
	}
}

func (e *Env) printVersion(*cobra.Command, []string) error {
	v := buildVersion()
	return e.Emit(v, func(w *bytes.Buffer) {
		fmt.Fprintf(w, "%s %s %s %s\n", e.Program.Name, v.source(), v.Go, v.Platform)
	})
}

// Built names the program and what it was built from, for the files that it writes.
func (p *Program) Built() string { return p.Name + " " + buildVersion().source() }

func buildVersion() versionDocument {
	v := versionDocument{Version: "(devel)", Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// source names the version and the revision.
func (v versionDocument) source() string {
	switch {
	case v.Revision == "":
		return v.Version
	case v.Modified:
		return v.Version + " (revision " + v.Revision + ", modified)"
	}
	return v.Version + " (revision " + v.Revision + ")"
}
