package rows

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
)

// Streams are the statistics of each stream of a run, by its label.
type Streams map[string]*collision.Stats

// Measure generates the streams of a run that are not there yet, by their labels, and measures them.
func (s Streams) Measure(r *Run) error {
	for i := range r.Cases {
		c := &r.Cases[i]
		if s[c.Label] != nil {
			continue
		}
		stats, err := calibration.RowStream(c.RowScatter)
		if err != nil {
			return err
		}
		s[c.Label] = stats
	}
	return nil
}

// Judged are a case's measured and predicted times of each implementation that was measured.
type Judged struct {
	*Case
	Forms []JudgedForm
}

// JudgedForm is an implementation with its times in microseconds.
type JudgedForm struct {
	Name                string
	Measured, Predicted float64
}

// Forms lists the names of the implementations.
func Forms() []string { return []string{"naive", "runs", "hot", "sort"} }

// priceUS is the predicted time of the call of a case.
func (c *Case) priceUS(p *device.Profile, s *collision.Stats, v impl.Spec) (float64, error) {
	cost, err := speedup.Predict(v, s, p, c.Call)
	return cost.US - cost.IdleUS, err // calls were timed one behind the other
}

// Judge prices the implementations of all cases.
func (r *Run) Judge(p *device.Profile, streams Streams) ([]Judged, error) {
	var list []Judged
	for i := range r.Cases {
		c := &r.Cases[i]
		j := Judged{Case: c}
		for form, us := range c.US {
			if !form.IsImplementation() {
				continue
			}
			v, err := form.Implementation()
			if err != nil {
				return nil, err
			}
			priced, err := c.priceUS(p, streams[c.Label], v)
			if err != nil {
				return nil, fmt.Errorf("%s, width %d: %w", c.Label, c.Call.Width, err)
			}
			j.Forms = append(j.Forms, JudgedForm{form.Name, us, priced})
		}
		slices.SortFunc(j.Forms, func(a, b JudgedForm) int {
			return compare(a.Predicted, b.Predicted, a.Measured, b.Measured)
		})
		list = append(list, j)
	}
	return list, nil
}

func compare(list ...float64) int {
	for i := 0; i < len(list); i += 2 {
		if list[i] < list[i+1] {
			return -1
		} else if list[i] > list[i+1] {
			return 1
		}
	}
	return 0
}

// Errors are quantiles of |predicted/measured - 1| of one implementation, and the range of measured over
// predicted times that holds nine of ten.
type Errors struct {
	Calls    int     `json:"calls"`
	Median   float64 `json:"median"`
	NineOf10 float64 `json:"p90"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// ErrorsOf judges the prices of an implementation.
func ErrorsOf(list []Judged, name string) Errors {
	var ratio []float64
	for _, j := range list {
		for _, form := range j.Forms {
			if form.Name == name {
				ratio = append(ratio, form.Measured/form.Predicted)
			}
		}
	}
	return errorsOf(ratio)
}

// errorsOf judges measured times over others.
func errorsOf(ratio []float64) Errors {
	if len(ratio) == 0 {
		return Errors{}
	}
	var off []float64
	for _, r := range ratio {
		off = append(off, math.Abs(1/r-1))
	}
	slices.Sort(off)
	slices.Sort(ratio)
	return Errors{len(off), quantile.Sorted(off, 0.5), quantile.Sorted(off, 0.9),
		quantile.Sorted(ratio, 0.05), quantile.Sorted(ratio, 0.95)}
}

// Losses are of one rule of choice: the time of what it picks over the best implementation's.
type Losses struct {
	Mean       float64 `json:"mean"` // geometric
	Quantile95 float64 `json:"p95"`
	Worst      float64 `json:"worst"`
}

// LossesOf judges a rule, which returns the measured time of its choice.
func LossesOf(list []Judged, rule func(Judged) float64) Losses {
	var all []float64
	var m mean
	for _, j := range list {
		best := math.Inf(1)
		for _, form := range j.Forms {
			best = min(best, form.Measured)
		}
		loss := rule(j) / best
		all = append(all, loss)
		m.add(loss)
	}
	slices.Sort(all)
	return Losses{m.value(), quantile.Sorted(all, 0.95), all[len(all)-1]}
}

// JudgedOf says of a run's GPU how far choices by the least price were off, to three digits behind the
// point.
func JudgedOf(r *Run, list []Judged) model.JudgedRows {
	loss := LossesOf(list, Rules()[0].Pick).Mean
	return model.JudgedRows{GPU: r.GPU, Cases: len(list), Loss: math.Round(1000*loss) / 1000}
}

// Rules are the rules that are compared, by their names.
func Rules() []Rule {
	always := func(f Form) func(Judged) float64 {
		return func(j Judged) float64 { return j.US[f] }
	}
	return []Rule{
		{"the least price", func(j Judged) float64 { return j.Forms[0].Measured }},
		{"the call's rule by sizes", always(Form{Name: recordings.AutomaticRows})},
		{"always runs", always(Form{Name: "runs"})},
		{"always hot", always(Form{Name: "hot"})},
		{"always sort", always(Form{Name: "sort"})},
	}
}

// Rule is a rule of choice.
type Rule struct {
	Name string
	Pick func(Judged) float64
}

// Part is what a set of cases says of prices, simulated times and choices, by the names of implementations and rules.
type Part struct {
	Title     string            `json:"title"`
	Cases     int               `json:"cases"`
	Predicted map[string]Errors `json:"predicted"`
	Simulated map[string]Errors `json:"simulated"` // empty where nothing was simulated
	Losses    []Losses          `json:"losses"`    // of Rules
}

// partOf sums up cases that are judged together.
func partOf(title string, list []Judged, simulated map[string]Errors) Part {
	p := Part{title, len(list), map[string]Errors{}, map[string]Errors{}, nil}
	maps.Copy(p.Simulated, simulated)
	for _, name := range Forms() {
		p.Predicted[name] = ErrorsOf(list, name)
	}
	for _, rule := range Rules() {
		p.Losses = append(p.Losses, LossesOf(list, rule.Pick))
	}
	return p
}

// writeJudged writes how far prices and choices are off.
func writeJudged(w *bytes.Buffer, parts []Part) error {
	fmt.Fprint(w, judgedHead)
	for _, part := range parts {
		fmt.Fprintf(w, "\n### %s\n\n%d cases.\n", part.Title, part.Cases)
		writeErrors(w, "predicted", part.Predicted)
		if len(part.Simulated) > 0 {
			fmt.Fprintf(w, "\nSimulated, each %dth case:\n", SimulatedEvery)
			writeErrors(w, "simulated", part.Simulated)
		}
		fmt.Fprint(w, "\n| rule | over the best form: mean | 95 % of cases below | worst |\n|---|---|---|---|\n")
		if len(part.Losses) != len(Rules()) {
			return fmt.Errorf("%s: %d rules, want %d", part.Title, len(part.Losses), len(Rules()))
		}
		for i, rule := range Rules() {
			l := part.Losses[i]
			fmt.Fprintf(w, "| %s | %.3f | %.2f | %.2f |\n", rule.Name, l.Mean, l.Quantile95, l.Worst)
		}
	}
	fmt.Fprint(w, fittedHead)
	return nil
}

func writeErrors(w *bytes.Buffer, what string, of map[string]Errors) {
	fmt.Fprintf(w, "\n| form | calls | median error (%%) | nine of ten below (%%) | measured/%s: nine of ten "+
		"within |\n|---|---|---|---|---|\n", what)
	for _, f := range Forms() {
		if e := of[f]; e.Calls > 0 {
			fmt.Fprintf(w, "| %s | %d | %.1f | %.1f | %.2f to %.2f |\n", f, e.Calls, 100*e.Median, 100*e.NineOf10,
				e.Low, e.High)
		}
	}
}

const judgedHead = `
## Prices and choices

` + "`choose --width D`" + ` prices each form in closed form (package ` + "`speedup`" + `), from the stream and the
device's profile. Its times of rows, fifteen numbers, were fitted to the calls on the streams of
bindings/cuda/bench/rows.txt on the H100. All else judges.

- The error is |predicted/measured - 1| of a call, or |simulated/measured - 1|.
- Simulated times are of the event-level simulator (` + "`simulate --width D`" + `), of which no constant was
  fitted to calls on rows. It takes instructions as nvcc counts them, and quantities of the profile. Which
  mechanisms it has was chosen with the H200's and the H100's first calls in sight; the streams measured
  last (bindings/cuda/bench/rows_fresh.txt) came after that choice.
- A rule's loss is the time of the form that it picks over that of the best form that was measured.
`

const fittedHead = `
## Times of rows by ` + "`atomtune fit`" + `

` + "`atomtune fit --device h100 lab/bench/rows/recorded/h100.csv.gz`" + ` finds fifteen other numbers for the same
calls, as computed in November 2026. The price error is the mean |ln(predicted/measured)|, the loss that of the
choice by the least price.

By the fit, prices are nearer on the H100 and farther off on the H200; choices lose less on one set of the
H100 and on the H200, and more on the streams measured last. It is not better on all sets that judge in both
senses, so profiles keep their numbers.

| set | times | price error (%) | loss: mean | nine of ten below | worst |
|---|---|---|---|---|---|
| H100, the streams that fitted | profile | 12.5 | 1.0077 | 1.000 | 1.45 |
| H100, the streams that fitted | fit | 10.8 | 1.0060 | 1.000 | 1.27 |
| H100, streams that fitted nothing | profile | 13.6 | 1.0103 | 1.013 | 1.43 |
| H100, streams that fitted nothing | fit | 11.4 | 1.0092 | 1.009 | 1.43 |
| H200, which fitted nothing | profile | 12.5 | 1.0140 | 1.014 | 1.53 |
| H200, which fitted nothing | fit | 13.1 | 1.0108 | 1.000 | 1.53 |
| H100, streams measured last | profile | 12.7 | 1.0059 | 1.001 | 1.24 |
| H100, streams measured last | fit | 11.2 | 1.0067 | 1.004 | 1.24 |
`
