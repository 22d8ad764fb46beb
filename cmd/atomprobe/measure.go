package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/probe"
	"github.com/atomtune/atomtune/probe/gpu"
)

const measureLong = `measure runs the suites on one GPU and writes a folder: readings.csv (single
quantities), scratchpad.csv (one warp's access patterns of shared memory),
calls.csv.gz (whole calls of every implementation) and streams.jsonl.gz (the
streams of these calls). Every table begins with what it was measured with.

--quick takes less than 30 s; --full, which holds unless --quick is given,
measures more streams, patterns and conflict degrees, more often.

What is finished is kept in the folder's journal.jsonl: after an interruption the
same command goes on. A folder that was begun with other options or streams, on
another GPU or with another driver is refused; --restart begins it anew, and what
an earlier run left there is removed. One process at a time measures into a folder.

A stream for which the device has no room is left out with a warning.

sort and segreduce come from a library of CUDA, and need a program that nvcc has
built: --companion names it. Where it is missing their times are predicted from
the measured bandwidth and marked so. Suite counters needs NVIDIA's ncu.`

func newMeasure(e *env) *cobra.Command {
	var flags measureFlags
	cmd := &cobra.Command{
		Use:   "measure --out DIR",
		Short: "Measure a GPU",
		Long:  measureLong,
		Example: `  atomprobe measure --quick --out run
  atomprobe measure --full --suite warp --suite memory --repeats 7 --out warp
  atomprobe measure --quick --suite calls --type u64 --stream indices.txt --out mine`,
		Args: command.NoArguments,
	}
	flags.register(cmd)
	cmd.RunE = command.Action(func(cmd *cobra.Command, _ []string) error {
		return e.measure(cmd.Context(), flags)
	})
	return cmd
}

// measure runs the suites until a signal comes. A second signal ends the program
// at once.
func (e *env) measure(ctx context.Context, f measureFlags) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	code, err := newMachineCode(f.cubin)
	if err != nil {
		return err
	}
	defer code.end()
	gpu, err := f.open(code)
	if err != nil {
		return err
	}
	defer gpu.Close() // the process ends anyway
	plan, err := probe.NewPlan(gpu.Describe(), o)
	if err != nil {
		return err
	}
	start := e.Now()
	bar := e.newBar()
	outcome, err := plan.Run(ctx, gpu, probe.RunOptions{
		Folder: f.out, Program: program.Built(), Restart: f.restart, Now: e.Now, Progress: bar.show,
	})
	bar.stop()
	for _, warning := range outcome.Warnings {
		e.Note("warning: %s", warning)
	}
	if outcome.Folder == "" {
		return err
	}
	if printed := e.report(gpu.Describe(), outcome, e.Now().Sub(start).Seconds()); err == nil {
		err = printed
	}
	return err
}

type measureOutput struct {
	GPU               string `json:"gpu"`
	ComputeCapability string `json:"compute_capability"`
	Driver            string `json:"driver"`
	probe.Outcome
	ElapsedS float64 `json:"elapsed_s"`
}

func (e *env) report(d gpu.Description, o probe.Outcome, seconds float64) error {
	doc := measureOutput{d.Name, d.Capability(), d.Driver, o, seconds}
	return e.Emit(doc, func(w *bytes.Buffer) {
		fmt.Fprintf(w, "%s, compute capability %s, driver %s\n", d.Name, d.Capability(), d.Driver)
		fmt.Fprintf(w, "%d jobs in %.1f s", o.Jobs, seconds)
		if o.Resumed > 0 {
			fmt.Fprintf(w, ", %d of them from the journal", o.Resumed)
		}
		fmt.Fprintf(w, ": %d readings, %d scratchpad columns, %d calls on %d streams\n", o.Readings,
			o.Columns, o.Calls, o.Streams)
		paths := make([]string, len(o.Files))
		for i, name := range o.Files {
			paths[i] = filepath.Join(o.Folder, name)
		}
		if len(paths) > 0 {
			fmt.Fprintf(w, "wrote %s\n", strings.Join(paths, " "))
		}
	})
}

// bar shows how far a run is, on one line of a terminal. A nil bar shows nothing.
type bar struct{ file *os.File }

const barCells = 24

func (e *env) newBar() *bar {
	if f, ok := e.Stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &bar{f}
	}
	return nil
}

func (b *bar) show(p probe.Progress) {
	if b == nil || p.Total == 0 {
		return
	}
	width, _, err := term.GetSize(int(b.file.Fd()))
	if err != nil {
		width = 80
	}
	b.draw(progressLine(p, width))
}

func (b *bar) stop() {
	if b != nil {
		b.draw("")
	}
}

func (b *bar) draw(line string) { fmt.Fprintf(b.file, "\r\x1b[K%s", line) }

// progressLine says how many jobs are done and which one runs, in at most width
// cells.
func progressLine(p probe.Progress, width int) string {
	full := barCells * p.Done / p.Total
	line := fmt.Sprintf("[%s%s] %d/%d %s: %s", strings.Repeat("#", full),
		strings.Repeat(".", barCells-full), p.Done, p.Total, p.Suite, p.Key)
	return line[:max(0, min(len(line), width-1))]
}
