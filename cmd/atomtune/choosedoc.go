package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/analysis"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/variant"
)

// chooseDocument is what choose prints about one stream: the decision, of which device,
// type, operation and stream stand before the others and say more.
type chooseDocument struct {
	Device string `json:"device"`
	callDocument
	Constraints constraintsDocument  `json:"constraints"`
	Stream      input.StreamDocument `json:"stream"`
	answer
	Simulated *simulatedChoice `json:"simulated,omitempty"`
	// Code is the CUDA code of the choice; none where there is no kernel for it.
	Code    []string `json:"code"`
	profile *device.Profile
}

// answer lies a level deeper than callDocument, whose fields go before those of its own.
type answer struct{ tuner.Decision }

// callDocument is a device.Call in the order of the documents.
type callDocument struct {
	Type    device.Type    `json:"type"`
	Value   device.Operand `json:"value"`
	Op      device.Op      `json:"op,omitzero"`
	Returns bool           `json:"returns"`
	Clear   bool           `json:"clear"`
}

func newCallDocument(c device.Call) callDocument {
	return callDocument{Type: c.Type, Value: c.Operand, Op: c.Op, Returns: c.Returns,
		Clear: !c.Keeps}
}

// String says in words what each update does.
func (c callDocument) String() string {
	verb, value := c.Op.String()+" by ", "loaded values"
	if c.Op == device.Add {
		verb = "adding "
	}
	if c.Value != device.Loaded {
		value = "1"
	}
	text := c.Type.String() + " targets, " + verb + value
	if c.Returns {
		text += ", old values needed"
	}
	if !c.Clear {
		text += ", to an array that is there"
	}
	return text
}

// constraintsDocument is what choose was told beside stream, device and call.
type constraintsDocument struct {
	Relaid        bool    `json:"relaid"`
	Deterministic bool    `json:"deterministic"`
	NoSort        bool    `json:"no_sort"`
	Cautious      bool    `json:"cautious"`
	SearchLaunch  bool    `json:"search_launch"`
	Launch        *string `json:"launch"`       // or a range; null: by the rule, or searched
	MemoryBytes   *uint64 `json:"memory_bytes"` // beside stream and targets; null: any
}

func newConstraints(o tuner.Options) constraintsDocument {
	c := constraintsDocument{Relaid: o.Relaid, Deterministic: o.Deterministic, NoSort: o.NoSort,
		Cautious: o.Cautious, SearchLaunch: o.SearchLaunch}
	if o.Launch != (device.Launch{}) {
		text := o.Launch.String()
		c.Launch = &text
	}
	switch o.MemoryBytes {
	case 0:
	case 1: // the options' word for none
		c.MemoryBytes = new(uint64)
	default:
		c.MemoryBytes = &o.MemoryBytes
	}
	return c
}

// String says the constraints in words after semicolon and commas.
func (c constraintsDocument) String() string {
	text, separator := "", "; "
	add := func(given bool, words string) {
		if given {
			text, separator = text+separator+words, ", "
		}
	}
	add(c.Relaid, "re-laid updates")
	add(c.Deterministic, "deterministic")
	add(c.NoSort, "no sorting")
	add(c.Cautious, "cautious")
	switch {
	case c.Launch == nil:
		add(!c.SearchLaunch, "launches by the rule")
	case c.SearchLaunch:
		add(true, "launches searched among "+*c.Launch)
	default:
		add(true, "launch "+*c.Launch)
	}
	if c.MemoryBytes != nil {
		add(true, "at most "+report.Count(*c.MemoryBytes)+" bytes of device memory")
	}
	return text
}

func printChoice(w *bytes.Buffer, doc chooseDocument) {
	w.WriteString("stream: ")
	analysis.PrintStream(w, doc.Stream)
	if s := doc.Stream.Stats; doc.Sampling == nil || doc.Sampling.Sampled {
		fmt.Fprintf(w, "collisions: level %s in a warp, %s in a block, %s updates per target; "+
			"%s distinct targets per warp; hottest target %s updates\n",
			report.Number(s.WarpLevel), report.Number(s.BlockLevel), report.Number(s.AllLevel),
			report.Number(s.DistinctPerWarp), report.Count(s.MaxFrequency))
	}
	fmt.Fprintf(w, "device: %s, %s%s\n", doc.profile.Title, doc.callDocument, doc.Constraints)
	printLeftOut(w, doc.LeftOut)
	c := doc.Choice
	times := fmt.Sprintf("%s to %s us", report.Number(c.LowUS), report.Number(c.HighUS))
	if doc.Sampling != nil && !doc.Sampling.Sampled {
		times += " over the streams of the prior"
	} else {
		times = "90 % interval " + times
	}
	fmt.Fprintf(w, "choice: %s (%s), %s us, %s", c.Implementation, c.Class,
		report.Number(c.PredictedUS), times)
	if c.SpeedupOverNaive != nil && c.Implementation != (variant.Variant{}) {
		fmt.Fprintf(w, ", %s times as fast as naive", report.Number(*c.SpeedupOverNaive))
	}
	w.WriteByte('\n')
	printFloor(w, doc)
	if s := doc.Simulated; s != nil {
		how := "simulated"
		if s.Estimated {
			how = "simulated, estimated from samples"
		}
		fmt.Fprintf(w, "%s: %s us, interval %s to %s us\n", how, report.Number(s.US),
			report.Number(s.LowUS), report.Number(s.HighUS))
	}
	if doc.Sampling != nil {
		printSampling(w, doc.Sampling)
	}
	fmt.Fprintf(w, "reason: %s\n\n", doc.Reason)
	titles := "|>over best|bound by|blocks x threads"
	if doc.Constraints.Cautious { // which goes by the ends of the intervals
		titles = "|>at most (us)" + titles
	}
	rank := 0
	report.Table(w, ">rank|implementation|class|>predicted (us)"+titles, doc.Ranking,
		func(r tuner.Ranked) report.Row {
			rank++
			row := report.Row{rank, r.Implementation, r.Class, r.PredictedUS}
			if doc.Constraints.Cautious {
				row = append(row, r.HighUS)
			}
			return append(row, r.PredictedUS/c.PredictedUS, r.Binding, r.Launch)
		})
	printWarnings(w, doc.Warnings)
	if len(doc.Code) > 0 {
		fmt.Fprintf(w, "\nto paste, for A[index[u]] += %s in device memory; \"atomtune emit\" writes a "+
			"program:\n", map[bool]string{true: "values[u]", false: "1"}[doc.Value == device.Loaded])
		for _, line := range doc.Code {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}

// printFloor prints how far the choice is from what any implementation takes.
func printFloor(w *bytes.Buffer, doc chooseDocument) {
	if f := doc.Floor; f != nil {
		fmt.Fprintf(w, "floor: %s us, a launch and %s bytes read and written once; the choice reaches "+
			"%s %% of it, bound by %s\n", report.Number(f.US), report.Count(uint64(f.Bytes)),
			report.Number(100*f.Share), doc.Ranking[0].Binding)
	}
}

func printWarnings(w *bytes.Buffer, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
}

func printLeftOut(w *bytes.Buffer, list []tuner.LeftOut) {
	var reasons []string
	names := map[string][]string{}
	for _, l := range list {
		if names[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		names[l.Reason] = append(names[l.Reason], l.Implementation.String())
	}
	for i, r := range reasons {
		reasons[i] = fmt.Sprintf("%s (%s)", strings.Join(names[r], ", "), r)
	}
	if len(reasons) > 0 {
		fmt.Fprintf(w, "left out: %s\n", strings.Join(reasons, "; "))
	}
}

func printSampling(w *bytes.Buffer, s *tuner.Sampling) {
	launches := "one launch"
	if s.Launches != 1 {
		launches = report.Count(s.Launches) + " launches"
	}
	cost, gain := report.Number(s.CostUS), report.Number(s.ExpectedGainUS)
	if !s.Sampled {
		fmt.Fprintf(w, "sampling: none, which would cost %s us; its expected gain over %s is %s us\n",
			cost, launches, gain)
		return
	}
	fmt.Fprintf(w, "sampling: %s updates, for %s us, for an expected gain of %s us over %s on %s, "+
		"the choice without a sample; the expected gain of a larger sample is %s us\n",
		report.Count(s.Updates), cost, gain, launches, s.Prior, report.Number(s.LeftUS))
}
