package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/latency"
)

type optimizeFlags struct {
	input.WordFlags
	latency.OptimizeOptions
	stream input.StreamFlags
	shared int
	order  string
}

func newOptimize(e *env) *cobra.Command {
	var f optimizeFlags
	cmd := newCommand("optimize [--words K | FILE]", command.AtMost(1, "optimize takes one FILE, but got %q too"))
	f.stream.Register(cmd, e.Stdin)
	f.Register(cmd)
	flags := cmd.Flags()
	flags.IntVar(&f.Words, "words", 0,
		"`words` of the vote space (with FILE: 0 for what the input says)")
	flags.IntVar(&f.Threads, "block", 256, "`threads` of a block")
	flags.IntVar(&f.shared, "shared-bytes", 0,
		"`bytes` of shared memory for the copies (0: the most that a block can have)")
	flags.StringVar(&f.order, "order", "random", "words of a warp: random or sorted; with FILE the order of "+
		"updates: file, row or col")
	flags.Uint64Var(&f.Seed, "seed", 0, "`seed` of the warps that are drawn")
	flags.Float64Var(&f.Worth, "worth", 0.01,
		"`share` of the time that a more complex layout must save")
	command.CompleteFlag(cmd, "order", append([]string{"random", "sorted"}, input.Orders...))
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		return optimize(e, args, f)
	})
	return cmd
}

const mostWarps = 8192

func optimize(e *env, args []string, f optimizeFlags) error {
	o, d, err := f.Load()
	if err != nil {
		return err
	}
	p, err := latency.ForDevice(d, o, f.Type)
	if err != nil {
		return err
	}
	if len(args) == 1 && slices.Contains(input.Orders, f.order) {
		f.stream.Options.Order, f.order = f.order, "random"
	}
	if err := f.check(d); err != nil {
		return err
	}
	doc := optimizeDocument{Device: d.Name, Type: f.Type, Operation: o, Threads: f.Threads,
		Order: f.order, profile: d}
	if len(args) == 1 {
		if f.Words > 0 {
			if given := f.stream.Options.Bins; given > 0 && given != uint64(f.Words) {
				return command.Usagef("--words %d and --bins %d differ", f.Words, given)
			}
			f.stream.Options.Bins = uint64(f.Words)
		}
		s, err := input.Load(e, args[0], f.stream)
		if err != nil {
			return err
		}
		doc.File, doc.Order, doc.stream = s.File, s.Order, s.Title()
		if most := uint64(wordsOf(d, f.Type)); s.Bins() > most {
			return fmt.Errorf("%s: %w: %d targets, but a block's shared memory has %d words of type %s",
				s.File, device.ErrCannot, s.Bins(), most, f.Type)
		}
		f.Words = int(s.Bins())
		f.Patterns = patterns.FromStream(s.Indices, p.Lanes, max(1, f.Threads/p.Lanes), mostWarps)
	} else if f.Words == 0 {
		return command.Usagef("optimize needs --words or a FILE")
	}
	best, err := p.Optimize(f.OptimizeOptions)
	if err != nil {
		return err
	}
	doc.fill(f.Words, best)
	doc.Warnings = e.Warn(d.Doubts()...)
	return report.EmitPage(e, doc, func(p *report.Page) { printLayouts(p, doc) })
}

// check refuses what the device cannot have, and fills in order and shared memory.
func (f *optimizeFlags) check(d *device.Profile) error {
	threads, words := int(d.Core.MaxThreadsPerBlock.Value), wordsOf(d, f.Type)
	bytes := int(d.Shared.BytesPerBlock.Value)
	switch {
	case f.Threads < 1 || f.Threads > threads:
		return command.Usagef("--block %d: want 1 to %d threads on %s", f.Threads, threads, d.Name)
	case f.Words < 0 || f.Words > words:
		return command.Usagef("--words %d: want 1 to %d of type %s on %s", f.Words, words, f.Type, d.Name)
	case !(f.Worth >= 0 && f.Worth < 1):
		return command.Usagef("--worth %v: want a share from 0 to less than 1", f.Worth)
	case f.order != "random" && f.order != "sorted":
		return command.Usagef("--order %q: want random or sorted", f.order)
	case f.shared < 0 || f.shared > bytes:
		return command.Usagef("--shared-bytes %d: a block of %s has %d", f.shared, d.Name, bytes)
	}
	f.Sorted = f.order == "sorted"
	f.SharedWords = cmp.Or(f.shared, bytes) / f.Type.Bytes()
	return nil
}

type optimizeDocument struct {
	File      string           `json:"file,omitempty"`
	Device    string           `json:"device"`
	Type      device.Type      `json:"type"`
	Operation device.Operation `json:"operation"`
	Words     int              `json:"words"`
	Threads   int              `json:"threads"`
	Order     string           `json:"order,omitempty"` // of drawn warps, or of the file
	Warps     int              `json:"warps"`
	Choice    layoutDocument   `json:"choice"`
	Ranking   []layoutDocument `json:"ranking"`
	Reason    string           `json:"reason"`
	Warnings  []string         `json:"warnings,omitempty"`
	profile   *device.Profile  // for its title
	stream    string           // of FILE
}

type layoutDocument struct {
	Implementation string  `json:"implementation"` // the name of the implementation with this layout
	Replicas       int     `json:"replicas"`
	Pad            int     `json:"pad"`
	Map            string  `json:"map"`
	Cycles         float64 `json:"cycles"`
	Iterations     float64 `json:"turns"`
	Passes         float64 `json:"further_passes"` // of reads and writes; native: lanes
	SharedWords    int     `json:"shared_words"`
	OverBest       float64 `json:"over_best"`
}

func (doc *optimizeDocument) fill(words int, best latency.Optimum) {
	doc.Words, doc.Warps, doc.Reason = words, best.Samples, best.Reason
	for _, c := range best.Ranking {
		v := impl.Copies(c.Replicas, c.Pad, c.Map)
		layout := layoutDocument{Implementation: v.String(), Replicas: c.Replicas, Pad: c.Pad,
			Map: "cyclic", Cycles: c.Cycles, Iterations: c.Iterations, Passes: c.ReadPasses + c.WritePasses,
			SharedWords: c.SharedWords, OverBest: c.Cycles / best.Ranking[0].Cycles}
		if c.Map == impl.Block {
			layout.Map = "block"
		}
		doc.Ranking = append(doc.Ranking, layout)
		if c.Votes == best.Best {
			doc.Choice = layout
		}
	}
}

const shownLayouts = 12

func printLayouts(w *report.Page, doc optimizeDocument) {
	warps := doc.Order + " warps"
	if doc.File != "" {
		warps = "warps of " + doc.stream
	}
	w.Prose("%s, %s %s over %s words in shared memory, blocks of %d threads, %s %s",
		doc.profile.Title, doc.Type, doc.Operation, report.Count(doc.Words), doc.Threads,
		report.Count(doc.Warps), warps)
	w.Field("choice", "%s, %s cycles a warp", w.Strong(doc.Choice.Implementation),
		report.Number(doc.Choice.Cycles))
	w.Field("reason", "%s", doc.Reason)
	w.WriteByte('\n')
	shown := doc.Ranking[:min(len(doc.Ranking), shownLayouts)]
	report.Table(w, "layout|>cycles|>over best|>iterations|>further passes|>words", shown,
		func(l layoutDocument) report.Row {
			return report.Row{l.Implementation, l.Cycles, l.OverBest, l.Iterations, l.Passes, l.SharedWords}
		})
	if more := len(doc.Ranking) - shownLayouts; more > 0 {
		report.Fprintf(w, "and %d slower ones (--json lists them)\n", more)
	}
}
