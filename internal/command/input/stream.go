package input

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/synth"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/command"
)

// StreamFlags are the flags that say how to read an input.
type StreamFlags struct{ Options datasets.Options }

func (f *StreamFlags) Register(cmd *cobra.Command, stdin io.Reader) {
	f.Options.Stdin = stdin
	flags := cmd.Flags()
	flags.StringVar(&f.Options.Format, "format", datasets.FormatAuto, "`format` of the input: "+List(datasets.Formats()))
	flags.StringVar(&f.Options.Axis, "axis", datasets.AxisRow, "targets of a matrix or an edge list: row or col")
	flags.StringVar(&f.Options.Column, "column", "", "`column` of a csv file, by name or counted from 0")
	flags.BoolVar(&f.Options.Keys, "keys", false, "any text is a key (text, csv, edges)")
	flags.Uint64Var(&f.Options.Bins, "bins", 0, "number of targets (0: what the input says, or highest index + 1)")
	CompleteFlag(cmd, "format", datasets.Formats())
	CompleteFlag(cmd, "axis", []string{datasets.AxisRow, datasets.AxisCol})
}

// MeasureFlags are the flags that say how to measure a stream.
type MeasureFlags struct{ Options collision.Options }

func (f *MeasureFlags) Register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.Options.Sample, "sample", 0, "measure a random sample of this many `blocks` (0: everything)")
	flags.Uint64Var(&f.Options.Seed, "seed", 0, "`seed` of the sample")
	flags.IntVar(&f.Options.Workers, "workers", 0, "threads at work (0: all cores)")
}

// StreamDocument describes one measured stream.
type StreamDocument struct {
	File   string `json:"file"`
	Format string `json:"format"`
	collision.Stats
	// ElapsedS is the time of reading and measuring together.
	ElapsedS float64 `json:"elapsed_s"`
	// BytesPerSecond counts the bytes of the file, compressed if it is.
	BytesPerSecond float64 `json:"bytes_per_second"`
}

// Files checks the FILE arguments of a command.
func Files(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return command.Usagef("%s: missing FILE (- is standard input)", cmd.Name())
	}
	return StdinOnce(args)
}

// StdinOnce refuses a second "-".
func StdinOnce(args []string) error {
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return command.Usagef("standard input (-) can be read once only")
	}
	return nil
}

// EmitAll prints one document by itself, several as one document {"files":
// [...]}.
func EmitAll[D any](e *command.Env, docs []D, text func(w *bytes.Buffer, doc D)) error {
	var document any = struct {
		Files []D `json:"files"`
	}{docs}
	if len(docs) == 1 {
		document = docs[0]
	}
	return e.Emit(document, func(w *bytes.Buffer) {
		for i, d := range docs {
			if i > 0 {
				w.WriteByte('\n')
			}
			text(w, d)
		}
	})
}

const familiesHead = `A stream that is made on the spot is named synth:FAMILY:n=UPDATES,k=TARGETS,
followed by ,seed=SEED and by ,NAME=VALUE for parameters of the family, which
else are as listed. The families:
`

// mixtureForm shows what no list of parameters does.
const mixtureForm = `
The parts of a mixture follow of=, as in
synth:mixture:n=65536,k=1024,of=uniform+zipf:s=1.2:share=3
`

// Families lists how streams are made, for the help of the commands that take
// them.
func Families() string {
	var b strings.Builder
	b.WriteString(familiesHead)
	for _, f := range synth.Families() {
		fmt.Fprintf(&b, "  %-11s %s\n", f.Name, f.Summary)
		for _, p := range f.Params {
			fmt.Fprintf(&b, "    %-11s %s\n", p.Name+"="+strconv.FormatFloat(p.Default, 'f', -1, 64), p.Summary)
		}
	}
	b.WriteString(mixtureForm)
	return strings.TrimSuffix(b.String(), "\n")
}
