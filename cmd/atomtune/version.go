package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionDocument says from what the program was built.
type versionDocument struct {
	Version  string `json:"version"`            // of the module; "(devel)" in a working tree
	Revision string `json:"revision,omitempty"` // of the version control system
	Modified bool   `json:"modified"`           // the working tree had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "version prints the version of the program, its revision, and the Go that built it.",
		Example: "  atomtune version\n  atomtune version --json",
		Args:    noArguments,
		RunE: action(func(*cobra.Command, []string) error {
			v := buildVersion()
			return e.emit(v, func(w *bytes.Buffer) { v.print(w) })
		}),
	}
}

func buildVersion() versionDocument {
	v := versionDocument{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

func (v versionDocument) print(w *bytes.Buffer) {
	fmt.Fprintf(w, "atomtune %s", v.Version)
	if v.Revision != "" {
		fmt.Fprintf(w, " (revision %s", v.Revision)
		if v.Modified {
			fmt.Fprint(w, ", modified")
		}
		fmt.Fprint(w, ")")
	}
	fmt.Fprintf(w, " %s %s\n", v.Go, v.Platform)
}
