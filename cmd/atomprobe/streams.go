package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/probe/calls"
)

// streamList is the file that lists the streams of a folder.
const streamList = "streams.csv"

const streamsLong = `streams makes synthetic index streams and writes them to a folder, for programs that
read indices and cannot make these themselves, such as cuda/bench/scatter.py. Each is
a file of little-endian 32-bit indices; ` + streamList + ` lists them: label, updates, bins,
file. The specifications stand in a file, one a line, as measure --specs takes them.`

func newStreams(e *env) *cobra.Command {
	var out, specs string
	cmd := &cobra.Command{
		Use:     "streams --specs FILE --out DIR",
		Short:   "Write synthetic index streams to files",
		Long:    streamsLong,
		Example: "  atomprobe streams --specs specs.txt --out streams",
		Args:    command.NoArguments,
	}
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write")
	cmd.Flags().StringVar(&specs, "specs", "", input.AtMost(wholefile.Most, "`file` of specifications, one a line"))
	cmd.RunE = command.Action(func(*cobra.Command, []string) error {
		switch "" {
		case out:
			return command.Usagef("streams needs --out, the folder to write")
		case specs:
			return command.Usagef("streams needs --specs, a file of specifications")
		}
		return e.streams(specs, out)
	})
	return cmd
}

type streamsOutput struct {
	Folder  string `json:"folder"`
	Streams int    `json:"streams"`
	Updates uint64 `json:"updates"`
}

func (e *env) streams(specs, folder string) error {
	list, err := calls.ReadSpecs(specs)
	if err == nil {
		atOnce := min(len(list), runtime.GOMAXPROCS(0)) // the first is the longest
		input.Much(&e.Env, 4*float64(list[0].N)*float64(atOnce), "", "%s: its longest streams", specs)
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = writeStreams(folder, list)
	}
	if err != nil {
		return err
	}
	doc := streamsOutput{Folder: folder, Streams: len(list)}
	for _, s := range list {
		doc.Updates += uint64(s.N)
	}
	return e.Emit(doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s: %d streams, %s updates\n", folder, doc.Streams, report.Count(int(doc.Updates)))
	})
}

// writeStreams writes each stream, as many at once as there are processors, and then the list.
func writeStreams(folder string, list []synth.Spec) error {
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range list {
		workers.Go(func() error { return writeStream(filepath.Join(folder, streamFile(i)), s) })
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	rows := [][]string{{"label", "updates", "bins", "file"}}
	for i, s := range list {
		rows = append(rows, []string{s.String(), strconv.Itoa(s.N), strconv.FormatUint(uint64(s.K), 10),
			streamFile(i)})
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(folder, streamList), text.Bytes())
}

func streamFile(i int) string { return fmt.Sprintf("%03d.u32", i) }

func writeStream(path string, s synth.Spec) error {
	index, err := synth.Generate(s)
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	return wholefile.Write(path, driver.Bytes(index))
}
