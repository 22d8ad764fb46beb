// Package page makes the report on index streams: a page that needs no other file and no network,
// with pictures of the streams, what the tuner says of each, and where its choice would change.
package page

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/checkpoints"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner"
)

// subject is the device and the call that streams are judged for, and where the page is written.
type subject struct {
	stream      input.StreamFlags
	measure     input.MeasureFlags
	call        input.CallFlags
	constraints choice.Flags
	out         string
	profile     *device.Profile
	options     tuner.Options
	chooser     *tuner.Chooser
	known       *checkpoints.Parts[found]
}

const defaultOut = "report.html"

// New returns the command report, but for its help.
func New(e *command.Env) *cobra.Command {
	var f subject
	cmd := &cobra.Command{
		Use:  "report [FILE...]",
		Args: input.StdinOnce,
	}
	f.call.Register(cmd, &f.stream)
	f.stream.RegisterTaken(cmd, e.Stdin)
	f.measure.Register(cmd)
	f.constraints.Register(cmd)
	cmd.Flags().StringVarP(&f.out, "out", "o", defaultOut,
		"`file` to write the page to; - for standard output")
	_ = cmd.Flags().SetAnnotation("out", command.Stdout, []string{}) // there is that flag
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		args = input.OrDefault(args)
		given := cmd.Flags().Changed
		if err := f.call.Finish(&f.stream, given); err != nil {
			return err
		}
		o, err := f.constraints.Options(f.call.Call, given)
		if err != nil {
			return err
		}
		return f.run(e, o, args, commandLine(e.Program.Name, cmd.Flags(), args))
	})
	return cmd
}

// run writes the page for the inputs that can be read, and returns the faults of the others.
func (s *subject) run(e *command.Env, o tuner.Options, paths []string, line string) (err error) {
	if s.out == "-" || e.JSON && s.out == defaultOut {
		s.out = ""
	}
	if err = wholefile.Writable(s.out); err == nil {
		err = s.begin(o)
	}
	if err == nil {
		s.known, err = checkpoints.Open[found](e, s.out, "break-even points")
	}
	if err != nil {
		return err
	}
	written := false
	defer func() { err = cmp.Or(err, s.known.End(written)) }()
	docs, faults := input.Answers(paths, func(path string) (*Document, error) { return s.examine(e, path) })
	if err := e.Context().Err(); err != nil {
		return err
	}
	if len(docs) > 0 {
		err := s.write(e, Report{Command: line, Files: docs})
		if written = err == nil; !written {
			faults = append(faults, err)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return faults
}

// write writes the page, or with --json prints its data; the page too where a file was named.
func (s *subject) write(e *command.Env, r Report) error {
	page, err := r.HTML()
	if err != nil {
		return err
	}
	if s.out != "" {
		if err := wholefile.Write(s.out, page); err != nil {
			return err
		}
		r.File = s.out
	}
	return e.Emit(r, func(w *bytes.Buffer) {
		if s.out == "" {
			w.Write(page)
			return
		}
		report.Fprintf(w, "%s: %s, %s\n", s.out, report.Counted(len(r.Files), "stream"),
			report.UnitsBytes(int64(len(page))))
	})
}

// begin prepares choices under the options.
func (s *subject) begin(o tuner.Options) (err error) {
	o.SearchLaunch, o.Padded = true, s.stream.Options.Ignore != ""
	s.options, s.known = o, &checkpoints.Parts[found]{}
	if s.profile, err = device.Load(s.call.Device); err != nil {
		return err
	}
	s.measure.Options.WarpSize = int(s.profile.Core.WarpLanes.Value)
	s.measure.Options.Padded, s.measure.Options.Rows = o.Padded, s.stream.Width > 0
	if err = s.measure.Options.Validate(); err != nil {
		return err
	}
	s.chooser, err = tuner.New(s.profile, s.options)
	return err
}

// commandLine returns a line for a shell that makes the page again.
func commandLine(program string, set *pflag.FlagSet, paths []string) string {
	words := []string{program, "report"}
	set.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			words = append(words, quoted("--"+f.Name+"="+value))
		}
	})
	for _, path := range paths {
		words = append(words, quoted(path))
	}
	return strings.Join(words, " ")
}

// plain are words that no shell changes.
var plain = regexp.MustCompile(`^[\w./:,=+@%-]+$`)

// quoted returns a word as a shell reads it: bash, ksh and zsh where it has characters that a terminal
// would obey, which are escaped.
func quoted(word string) string {
	switch {
	case plain.MatchString(word):
		return word
	case visible.Line(word) != word:
		return "$'" + visible.Line(strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(word)) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
