package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/microbench"
)

func newMerge(e *env) *cobra.Command {
	var out string
	cmd := newCommand("merge --out DIR RUN RUN...", "Combine several runs", cobra.ArbitraryArgs,
		func(args []string) error { return e.merge(out, args) })
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write")
	return cmd
}

func checkMerged(folder string, from []string) error {
	switch {
	case folder == "":
		return command.Usagef("merge needs --out, the folder to write")
	case len(from) < 2:
		return command.Usagef("merge needs two RUN folders at least, but got %d", len(from))
	}
	if _, err := os.Lstat(filepath.Join(folder, microbench.CheckpointFile)); err == nil {
		return command.Usagef("--out %s is the folder of a run: it holds %s; name another one", folder,
			microbench.CheckpointFile)
	}
	to, err := os.Stat(folder)
	if err != nil {
		return nil // what is not there yet is not one of the runs
	}
	for _, path := range from {
		if run, err := os.Stat(path); err == nil && os.SameFile(to, run) {
			return command.Usagef("--out %s is one of the runs to be merged, %s; name another folder",
				folder, path)
		}
	}
	return nil
}

type mergeOutput struct {
	Folder   string   `json:"folder"`
	Runs     int      `json:"runs"`
	Readings int      `json:"readings"`
	Calls    int      `json:"calls"`
	Streams  int      `json:"streams"`
	Warnings []string `json:"warnings"`
}

func (e *env) merge(folder string, from []string) error {
	if err := checkMerged(folder, from); err != nil {
		return err
	}
	runs := make([]recordings.Run, len(from))
	for i, path := range from {
		var err error
		if runs[i], err = recordings.ReadFolder(path); err != nil {
			return err
		}
	}
	merged, warnings, err := recordings.Merge(runs...)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = recordings.ClearFolder(folder)
	}
	if err == nil {
		_, err = recordings.WriteFolder(folder, merged)
	}
	if err != nil {
		return err
	}
	doc := mergeOutput{folder, len(from), len(merged.Readings), len(merged.Calls), len(merged.Streams),
		append([]string{}, warnings...)}
	return e.Emit(doc, func(w *bytes.Buffer) {
		for _, warning := range warnings {
			report.Fprintf(w, "warning: %s\n", warning)
		}
		report.Fprintf(w, "%s: %d runs, %d readings, %d calls on %d streams\n", folder, doc.Runs,
			doc.Readings, doc.Calls, doc.Streams)
	})
}
