package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
)

const archiveLong = `archive puts the measurements of atomprobe into an archive: the recordings of
one kind of GPU in a folder such as datasets/h200. It also writes the archive's
index. Several runs are merged first, as by atomprobe merge. The whole archive
is checked before anything is written. Errors are calls without statistics of
their stream, wrong results, duplicates, streams in two sets, and files of two
kinds of GPU.

Without --set and --more the run's readings, patterns, calls and streams become
the archive's own. --set puts calls and streams into a separate set. --more adds
calls from other starts of the machine on streams that the archive already has.
--further appends the readings of a run that contains only readings.`

const archiveExample = `  atomlab archive --out datasets/h100 run1 run2
  atomlab archive --out datasets/h100 --set fresh --specs specs.txt run3
  atomlab archive --out datasets/h100 --more hot run4
  atomlab archive --out datasets/h100 --further run5`

// archiveFlags say where the runs go.
type archiveFlags struct {
	folder, specs string
	archive.Options
}

func newArchive(e *env) *cobra.Command {
	var a archiveFlags
	cmd := &cobra.Command{
		Use:     "archive --out DIR RUN...",
		Short:   "Put runs of atomprobe into an archive of recordings",
		Long:    archiveLong,
		Example: archiveExample,
		Args:    cobra.ArbitraryArgs,
	}
	f := cmd.Flags()
	f.StringVar(&a.folder, "out", "", "`folder` of the archive, created if it does not exist")
	f.StringVar(&a.Set, "set", "", "`name` of the set that the calls make")
	f.StringVar(&a.More, "more", "",
		"write the calls to calls_`name`.csv.gz: their streams are there already")
	f.StringVar(&a.specs, "specs", "", input.AtMost(wholefile.Most,
		"`file` with the list of the set's streams, to keep with it"))
	f.BoolVar(&a.Replace, "replace", false, "replace files of the same names")
	f.BoolVar(&a.Further, "further", false,
		"put the readings, of suites that the archive lacks, behind its own")
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		return e.archive(a, args)
	})
	return cmd
}

type archiveDocument struct {
	Folder   string   `json:"folder"`
	Runs     int      `json:"runs"`
	Written  []string `json:"written"`
	Warnings []string `json:"warnings"`
}

func (e *env) archive(a archiveFlags, from []string) (err error) {
	switch {
	case a.folder == "":
		return command.Usagef("archive needs --out, the folder of the archive")
	case len(from) == 0:
		return command.Usagef("archive needs the folder of a RUN")
	}
	if a.specs != "" {
		if a.Specs, err = wholefile.Read(a.specs, wholefile.Most); err != nil {
			return err
		}
	}
	run, warnings, err := readRuns(from)
	if err != nil {
		return err
	}
	doc := archiveDocument{Folder: a.folder, Runs: len(from),
		Warnings: append([]string{}, warnings...)}
	if doc.Written, err = archive.Add(a.folder, run, a.Options); err != nil {
		return err
	}
	return e.Emit(doc, func(w *bytes.Buffer) {
		for _, warning := range doc.Warnings {
			report.Fprintf(w, "warning: %s\n", warning)
		}
		for _, name := range doc.Written {
			report.Fprintf(w, "%s/%s\n", doc.Folder, name)
		}
	})
}

// readRuns reads one run, or several and merges them.
func readRuns(folders []string) (recordings.Run, []string, error) {
	runs := make([]recordings.Run, len(folders))
	for i, path := range folders {
		var err error
		if runs[i], err = recordings.ReadFolder(path); err != nil {
			return recordings.Run{}, nil, err
		}
	}
	if len(runs) == 1 {
		return runs[0], nil, nil
	}
	return recordings.Merge(runs...)
}
