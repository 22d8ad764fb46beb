package command

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

// versionDocument says from what the program was built.
type versionDocument struct {
	Version  string     `json:"version"`            // of the module; "(devel)" in a working tree
	Revision string     `json:"revision,omitempty"` // of the version control system
	Modified bool       `json:"modified"`           // the working tree had changes
	Go       string     `json:"go"`
	Platform string     `json:"platform"`
	time     *time.Time // of the revision; nil where it is not known
}

func (e *Env) newVersion() *cobra.Command {
	name := e.Program.Name
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "version prints the version of the program, its revision, and its Go version.",
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
		case "vcs.time":
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				v.time = &at
			}
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
