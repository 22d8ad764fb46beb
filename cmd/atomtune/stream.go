package main

import (
	"bytes"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
)

// streamFlags are the flags that say how to read an input.
type streamFlags struct{ options datasets.Options }

func (f *streamFlags) register(cmd *cobra.Command, e *env) {
	f.options.Stdin = e.Stdin
	flags := cmd.Flags()
	flags.StringVar(&f.options.Format, "format", datasets.FormatAuto, "`format` of the input: "+list(datasets.Formats()))
	flags.StringVar(&f.options.Axis, "axis", datasets.AxisRow, "targets of a matrix or an edge list: row or col")
	flags.StringVar(&f.options.Column, "column", "", "`column` of a csv file, by name or counted from 0")
	flags.BoolVar(&f.options.Keys, "keys", false, "any text is a key (text, csv, edges)")
	flags.Uint64Var(&f.options.Bins, "bins", 0, "number of targets (0: what the input says, or highest index + 1)")
	completeFlag(cmd, "format", datasets.Formats())
	completeFlag(cmd, "axis", []string{datasets.AxisRow, datasets.AxisCol})
}

// measureFlags are the flags that say how to measure a stream.
type measureFlags struct{ options collision.Options }

func (f *measureFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.options.Sample, "sample", 0, "measure a random sample of this many `blocks` (0: everything)")
	flags.Uint64Var(&f.options.Seed, "seed", 0, "`seed` of the sample")
	flags.IntVar(&f.options.Workers, "workers", 0, "threads at work (0: all cores)")
}

// streamDocument describes one measured stream.
type streamDocument struct {
	File   string `json:"file"`
	Format string `json:"format"`
	collision.Stats
	// ElapsedS is the time of reading and measuring together.
	ElapsedS float64 `json:"elapsed_s"`
	// BytesPerSecond counts the bytes of the file, compressed if it is.
	BytesPerSecond float64 `json:"bytes_per_second"`
}

// files checks the FILE arguments of a command.
func files(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s: missing FILE (- is standard input)", cmd.Name())
	}
	return stdinOnce(args)
}

// stdinOnce refuses a second "-".
func stdinOnce(args []string) error {
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return usagef("standard input (-) can be read once only")
	}
	return nil
}

// emitAll prints one document by itself, several as one document {"files":
// [...]}.
func emitAll[D any](e *env, docs []D, text func(w *bytes.Buffer, doc D)) error {
	var document any = struct {
		Files []D `json:"files"`
	}{docs}
	if len(docs) == 1 {
		document = docs[0]
	}
	return e.emit(document, func(w *bytes.Buffer) {
		for i, d := range docs {
			if i > 0 {
				w.WriteByte('\n')
			}
			text(w, d)
		}
	})
}
