package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
)

func newAnalyze(e *env) *cobra.Command {
	var (
		stream  input.StreamFlags
		measure input.MeasureFlags
		name    string
	)
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Measure how the updates of an index stream collide",
		Args:  input.Files,
	}
	explain(cmd)
	cmd.Long += "\n\n" + input.Families()
	stream.Register(cmd, e.Stdin)
	measure.Register(cmd)
	input.RegisterDevice(cmd, &name)
	cmd.Flags().IntVar(&measure.Options.WarpSize, "warp", 0,
		"`lanes` of a warp (0: those of the device)")
	cmd.Flags().IntVar(&measure.Options.BlockSize, "block", 0,
		"`threads` of a block, a multiple of the warp (0: 256)")
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		d, err := device.Load(name)
		if err != nil {
			return err
		}
		if measure.Options.WarpSize == 0 {
			measure.Options.WarpSize = int(d.Core.WarpLanes.Value)
		}
		docs := make([]input.StreamDocument, len(args))
		for i, path := range args {
			if docs[i], err = input.Measure(e, path, stream, measure.Options); err != nil {
				return err
			}
		}
		return input.EmitAll(e, docs, printAnalysis)
	})
	return cmd
}

func printAnalysis(w *bytes.Buffer, doc input.StreamDocument) {
	printStream(w, doc)
	w.WriteByte('\n')
	printStatistics(w, &doc.Stats)
}

func printStream(w *bytes.Buffer, doc input.StreamDocument) {
	fmt.Fprintf(w, "%s (%s): %s updates of %s targets, read and measured in %s s, %s\n", doc.File,
		doc.Format, report.Count(doc.Updates), report.Count(doc.Bins),
		report.Number(doc.ElapsedS), report.BytesPerSecond(doc.BytesPerSecond))
}

// printStatistics prints all statistics, and of a sample how far each can be trusted.
func printStatistics(w *bytes.Buffer, s *collision.Stats) {
	titles := "statistic|>value|meaning"
	if s.Sampled != nil {
		titles = "statistic|>value|>±|meaning"
	}
	single := slices.DeleteFunc(collision.Statistics(),
		func(d collision.Statistic) bool { return d.Element })
	report.Table(w, titles, single, func(d collision.Statistic) report.Row {
		value, half := d.Value(s)
		row := report.Row{d.Name, value}
		if d.Mean(s) == nil {
			row[1] = uint64(value)
		}
		if s.Sampled != nil {
			row = append(row, "") // what has no interval
			if half != 0 {
				row[2] = half
			}
		}
		return append(row, d.Meaning)
	})
	if s.HotKnown() {
		printHot(w, s)
	}
	if p := s.Sampled; p != nil {
		fmt.Fprintf(w, "\nsample: %s of %s blocks, seed %d, intervals of %s %%; unique is within %s "+
			"to %s, max_frequency at least %s\n", report.Count(p.Blocks),
			report.Count(p.TotalBlocks), p.Seed, report.Number(100*p.Confidence),
			report.Count(p.UniqueLow), report.Count(p.UniqueHigh), report.Count(p.MaxFrequencyLow))
	}
}

// printHot prints what the most frequent targets get, and what tables of them leave over.
func printHot(w *bytes.Buffer, s *collision.Stats) {
	known := "hot targets"
	if s.Sampled != nil {
		known = "hot targets that half of the sample finds, which get more where all are known"
	}
	var shares []string
	for j := 0; j < len(s.Cover); j += 2 {
		share := report.Number(100 * s.Cover[j])
		verb := "get"
		if j == 0 {
			verb = "gets"
		}
		shares = append(shares, fmt.Sprintf("%s %s %s %%", report.Count(1<<j), verb, share))
		if uint64(1)<<j >= s.Unique {
			break
		}
	}
	fmt.Fprintf(w, "\n%s: %s\n\nA table of them leaves over in a warp, and of one target in all:\n\n",
		known, strings.Join(shares, ", "))
	titles := ">slots|>updates|>different targets|>highest frequency|>sectors, 4 B|>8 B|" +
		">most updates of a target"
	var rows []report.Row
	for i, m := range s.Misses {
		rows = append(rows, report.Row{collision.TableSlots(i), m.Lanes, m.Distinct, m.Highest,
			m.Sectors4, m.Sectors8, m.Frequency})
	}
	report.Cells(w, titles, rows)
}
