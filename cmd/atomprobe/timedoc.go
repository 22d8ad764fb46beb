package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/microbench"
	"github.com/atomtune/atomtune/microbench/timing"
)

type timeDocument struct {
	Stream            streamDocument `json:"stream"`
	GPU               string         `json:"gpu"`
	ComputeCapability string         `json:"compute_capability"`
	Driver            string         `json:"driver"`
	Call              device.Call    `json:"call"`
	timing.Result
	everyLine bool
	budget    float64 // seconds
}

type streamDocument struct {
	File    string `json:"file"`
	Format  string `json:"format"`
	Updates int    `json:"updates"`
	Bins    uint64 `json:"bins"`
}

func (d *timeDocument) print(w *bytes.Buffer) {
	s := &d.Stream
	report.Fprintf(w, "stream: %s (%s): %s of %s targets\n", s.File, s.Format,
		report.Counted(s.Updates, "update"), report.Count(s.Bins))
	report.Fprintf(w, "gpu: %s, compute capability %s, driver %s\n", d.GPU, d.ComputeCapability, d.Driver)
	report.Fprintf(w, "call: %s\n", d.Call.Words())
	report.Fprintf(w, "timed: %s in %.1f s%s\n", report.Counted(len(d.Timed), "call"), d.ElapsedS,
		d.early())
	best := d.Fastest()
	if best != nil {
		report.Fprintf(w, "fastest: %s%s, %s us%s\n", best.Implementation, in(best.Launch),
			report.Number(best.MedianUS), d.overNaive(best))
	}
	if best != nil && d.FloorUS > 0 {
		report.Fprintf(w, "floor: %s us by the profile, a launch and each byte once; the fastest reaches "+
			"%s %% of it\n", report.Number(d.FloorUS), report.Number(100*d.FloorUS/best.MedianUS))
	}
	report.Fprintf(w, "choose: %s\n\n", d.chosen())
	d.table(w)
	fmt.Fprint(w, "\nus: median of the repeats of a call; ratio: predicted over measured\n")
	for _, warning := range d.Warnings {
		report.Fprintf(w, "warning: %s\n", warning)
	}
	for _, u := range d.Untimed {
		report.Fprintf(w, "not timed: %s: %s\n", u.Implementation, u.Why)
	}
	for _, t := range d.Timed {
		if t.Wrong != "" {
			report.Fprintf(w, "wrong: %s%s: %s\n", t.Implementation, in(t.Launch), t.Wrong)
		}
	}
}

func (d *timeDocument) early() string {
	more := fmt.Sprintf(" of at least %s", report.Count(max(d.Known, len(d.Timed))))
	switch d.Ended {
	case timing.OutOfBudget:
		return more + fmt.Sprintf(", because --budget %v is used up", d.budget)
	case timing.Cut:
		return more + ", interrupted"
	case timing.Failed:
		return more + ", since the next one failed"
	}
	return ": every implementation and launch"
}

// in names a launch, where there is one.
func in(l device.Launch) string {
	if l == (device.Launch{}) {
		return ""
	}
	return " in " + l.String()
}

func (d *timeDocument) overNaive(best *timing.Timed) string {
	all := d.Best()
	at := slices.IndexFunc(all, func(t timing.Timed) bool { return t.Implementation.IsNaive() })
	if at < 0 || all[at].Wrong != "" || best.Implementation.IsNaive() {
		return ""
	}
	return fmt.Sprintf(", %s times as fast as naive in its fastest launch",
		report.Number(all[at].MedianUS/best.MedianUS))
}

// chosen says what a choice would have taken, and what that costs.
func (d *timeDocument) chosen() string {
	c := d.Choice
	if c == nil {
		return fmt.Sprintf("there is no built-in profile of %s; make one with atomprobe --quick --out run and "+
			"atomtune fit run, and pass it as --profile", d.GPU)
	}
	text := fmt.Sprintf("%s%s by the profile %s, predicted %s us", c.Implementation, in(c.Launch),
		c.Profile, report.Number(c.PredictedUS))
	if c.MeasuredUS == nil {
		return text + ", not timed: " + c.Why
	}
	text += fmt.Sprintf(", measured %s us: ", report.Number(*c.MeasuredUS))
	if *c.OverBest == 1 {
		return text + "the fastest"
	}
	return text + report.Number(*c.OverBest) + " times the fastest"
}

// table has a line for each implementation, or for each launch.
func (d *timeDocument) table(w *bytes.Buffer) {
	rows := d.Best()
	if d.everyLine {
		rows = d.Timed
	}
	rank := 0
	report.Table(w, ">rank|implementation|launch|>us|>min|>max|>predicted|>ratio", rows,
		func(t timing.Timed) report.Row {
			rank++
			launch := strings.TrimPrefix(in(t.Launch), " in ")
			row := report.Row{rank, t.Implementation, launch, t.MedianUS, t.MinUS, t.MaxUS, "", ""}
			if ratio := t.Ratio(); ratio != nil {
				row[6], row[7] = *t.PredictedUS, *ratio
			}
			if t.Wrong != "" {
				row[0] = "wrong"
			}
			return row
		})
}

// wrong is the error of results that are wrong, nil if there are none.
func (d *timeDocument) wrong() error {
	i := slices.IndexFunc(d.Timed, func(t timing.Timed) bool { return t.Wrong != "" })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%w: the first is that of %s%s", microbench.ErrWrong, d.Timed[i].Implementation,
		in(d.Timed[i].Launch))
}

func (d *timeDocument) whyNothing() string {
	if len(d.Untimed) > 0 {
		return fmt.Sprintf("%s: %s", d.Untimed[0].Implementation, d.Untimed[0].Why)
	}
	if d.Ended == timing.OutOfBudget {
		return fmt.Sprintf("--budget %v is too short", d.budget)
	}
	return "the GPU can run none of the implementations on this stream"
}
