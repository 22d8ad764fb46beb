package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/microbench/calls"
)

// streamList is the file that lists the streams of a folder.
const streamList = "streams.csv"

func newStreams(e *env) *cobra.Command {
	var out, specs string
	cmd := newCommand("streams --specs FILE --out DIR", "Write synthetic index streams to files", command.NoArguments,
		func([]string) error { return e.streams(specs, out) })
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write")
	cmd.Flags().StringVar(&specs, "specs", "", input.AtMost(wholefile.Most, "`file` of specifications, one per line"))
	return cmd
}

type streamsOutput struct {
	Folder  string `json:"folder"`
	Streams int    `json:"streams"`
	Updates uint64 `json:"updates"`
}

func (e *env) streams(specs, folder string) error {
	switch "" {
	case folder:
		return command.Usagef("streams needs --out, the folder to write")
	case specs:
		return command.Usagef("streams needs --specs, a file of specifications")
	}
	list, err := calls.ReadSpecs(specs)
	if err != nil {
		return err
	}
	atOnce := min(len(list), runtime.GOMAXPROCS(0)) // the first is the longest
	input.Much(&e.Env, 4*float64(list[0].N)*float64(atOnce), "", "%s: its longest streams", specs)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var workers errgroup.Group
	workers.SetLimit(atOnce)
	doc := streamsOutput{Folder: folder, Streams: len(list)}
	text := bytes.NewBufferString("label,updates,bins,file\n")
	for i, s := range list {
		file := fmt.Sprintf("%03d.u32", i)
		workers.Go(func() error { return writeStream(filepath.Join(folder, file), s) })
		doc.Updates += uint64(s.N)
		fmt.Fprintf(text, "%q,%d,%d,%s\n", s, s.N, s.K, file)
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	if err := wholefile.Write(filepath.Join(folder, streamList), text.Bytes()); err != nil {
		return err
	}
	return e.Emit(doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s: %d streams, %s updates\n", folder, doc.Streams, report.Count(int(doc.Updates)))
	})
}

func writeStream(path string, s synth.Spec) error {
	index, err := synth.Generate(s)
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	return wholefile.Write(path, driver.Bytes(index))
}
