package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/validate"
)

// errNotValid reports a check that does not keep its limit.
var errNotValid = errors.New("a limit is not kept")

const validateLong = `validate puts closed form, simulator and recordings side by side and holds each
to a limit. Closed form and simulator count conflicts by routes of their own and
take the lengths of what they count from the same profile; rows that constants
were fitted to judge neither.

scratchpad compares one warp's operations on shared memory: the worked examples
of [gomezluna13], the closed form against the simulator on the GeForce GTX 580,
both against recordings of an NVIDIA H200, what a fit makes of noisy
measurements of known constants, the paper's statements about warps, copies and
padding, and how fast it all is on two cores here. All of it takes about a
minute. The exit code is 1
if an enforced limit is not kept.`

// validateFlags are the flags of validate.
type validateFlags struct {
	options validate.Options
	noSpeed bool
	brief   bool
}

// validateDocument is what validate prints.
type validateDocument struct {
	Subject string           `json:"subject"`
	Checks  []validate.Check `json:"checks"`
	Failed  []string         `json:"failed"`
}

func newValidate(e *env) *cobra.Command {
	var flags validateFlags
	subjects := []string{"scratchpad"}
	cmd := &cobra.Command{
		Use:       "validate scratchpad",
		Short:     "Hold closed forms and simulator against each other and against recordings",
		Long:      validateLong,
		Example:   "  atomtune validate scratchpad --random 10000 --no-speed --no-findings",
		ValidArgs: subjects,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != subjects[0] {
				return usagef("validate takes one subject (there is %s)", list(subjects))
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&flags.options.Random, "random", 0, "`patterns` drawn at random (0: 1,000,000)")
	cmd.Flags().Uint64Var(&flags.options.Seed, "seed", 0, "`seed` of the patterns and of the noise")
	cmd.Flags().BoolVar(&flags.noSpeed, "no-speed", false, "do not time anything")
	cmd.Flags().BoolVar(&flags.brief, "no-findings", false, "leave out the paper's statements, most of which take simulations of whole kernels")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error { return e.validate(cmd.Context(), args[0], flags) })
	return cmd
}

func (e *env) validate(ctx context.Context, subject string, f validateFlags) error {
	if f.options.Random < 0 {
		return usagef("--random %d: want 0 or more", f.options.Random)
	}
	const parts = 1000
	progress := e.newBar("validating "+subject, parts, unitsDefault)
	defer progress.stop()
	f.options.Progress = func(done float64) { progress.set(int64(done * parts)) }
	doc := validateDocument{Subject: subject, Failed: []string{}}
	if ctx == nil {
		ctx = context.Background()
	}
	var err error
	if doc.Checks, err = validate.Scratchpad(f.options); err != nil {
		return err
	}
	if !f.brief {
		held, err := validate.ScratchpadFindings(ctx, f.options)
		if err != nil {
			return err
		}
		doc.Checks = append(doc.Checks, held...)
	}
	if !f.noSpeed {
		speed, err := validate.ScratchpadSpeed(f.options.Seed)
		if err != nil {
			return err
		}
		doc.Checks = append(doc.Checks, speed...)
	}
	for _, c := range doc.Checks {
		if failure := c.Failure(); failure != "" {
			doc.Failed = append(doc.Failed, failure)
		}
	}
	if err := e.emit(doc, func(w *bytes.Buffer) { printChecks(w, doc) }); err != nil {
		return err
	}
	if len(doc.Failed) > 0 {
		return fmt.Errorf("%s: %w: %s", subject, errNotValid, doc.Failed[0])
	}
	return nil
}

func printChecks(w *bytes.Buffer, doc validateDocument) {
	t := newTable(column{title: "check", width: 90}, column{title: "value", right: true}, column{title: "limit", right: true},
		column{title: "unit"}, column{title: "rows", right: true}, column{title: "status"})
	for _, c := range doc.Checks {
		limit := "at most " + number(c.Limit)
		if c.Least {
			limit = "at least " + number(c.Limit)
		}
		status := c.Status
		if c.Failure() != "" {
			status = "FAILED"
		}
		t.AppendRow(table.Row{c.Item, number(c.Value), limit, c.Unit, count(uint64(c.Rows)), status})
	}
	printTable(w, t)
	w.WriteByte('\n')
	for _, c := range doc.Checks {
		if c.Status == validate.KnownGap {
			fmt.Fprintf(w, "known gap: %s: %s\n", c.Item, c.Reason)
		}
	}
	fmt.Fprintf(w, "\n%d checks, %d failed\n", len(doc.Checks), len(doc.Failed))
}
