package page

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/boundary"
)

// quantities name what moves along a sweep.
var quantities = map[boundary.Quantity]struct{ title, axis string }{
	boundary.Updates: {"number of updates", "updates of a call"},
	boundary.Targets: {"number of targets", "targets"},
	boundary.Contention: {"contention",
		"◂ moved to uniform targets · to one ▸"},
}

// streamWords say what the statistics of a stream mean for it.
func (d *Document) streamWords() string {
	s := &d.Stream.Stats
	if s.Updates == 1 {
		return "One update goes to one of " + report.Counted(s.Bins, "target") + "."
	}
	list := []string{
		fmt.Sprintf("%s to %s of %s, %s each on average.", verb(s.Updates, "update", "goes", "go"),
			report.Count(s.Unique), report.Counted(s.Bins, "target"), report.Number(s.AllLevel)),
		fmt.Sprintf("The most frequent target gets %s, %s of all.", report.Counted(s.MaxFrequency, "update"),
			percent(float64(s.MaxFrequency)/float64(s.Updates))),
		fmt.Sprintf("On average a warp has %s among its %d lanes, and the most frequent of them takes %s "+
			"of the lanes.", plural(s.DistinctPerWarp, "different target"), s.WarpSize,
			percent(s.WarpLevel)),
	}
	if s.Grouped() {
		list = append(list, "All updates of a target stand together.")
	} else {
		list = append(list, fmt.Sprintf("%s of the updates repeat their predecessor in the warp.",
			capital(percent(s.ClusteredFraction))))
	}
	if s.Sampled != nil {
		list = append(list, fmt.Sprintf("These are estimates from %s of %s blocks.",
			report.Count(s.Sampled.Blocks), report.Count(s.Sampled.TotalBlocks)))
	}
	return strings.Join(list, " ")
}

// plural is a mean number of things.
func plural(n float64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return report.Number(n) + " " + thing
}

// verb counts things that do something.
func verb(n uint64, thing, one, many string) string {
	if n == 1 {
		return report.Counted(n, thing) + " " + one
	}
	return report.Counted(n, thing) + " " + many
}

func (d *Document) rankWords() string {
	s, p := &d.Stream.Stats, &d.Pictures
	switch {
	case len(p.Ranks) == 0:
		return "The sample does not tell how frequent targets are."
	case p.RanksEstimated:
		return "Estimated from a sample: means between powers of 2, up to rank " +
			report.Count(p.Ranks[len(p.Ranks)-1].Rank) + ". The dashed line is the mean of all targets that occur."
	case s.Unique == 1:
		return "All updates go to one target."
	}
	text := fmt.Sprintf("%s half of the updates. The most frequent tenth of the targets that occur gets "+
		"%s.", verb(p.shares.half, "target", "gets", "get"), percent(p.shares.tenth))
	if p.shares.once > 0 {
		text += " " + verb(p.shares.once, "target", "occurs", "occur") + " once."
	}
	return text + " The dashed line is the mean."
}

func (d *Document) courseWords() string {
	least, most := d.Stream.WarpSize, 0
	for _, s := range d.Pictures.Course {
		least, most = min(least, s.Least), max(most, s.Most)
	}
	return fmt.Sprintf("The line is the mean of %s each, the area reaches from the least "+
		"to the most. The least of all is %d, the most %d of %d lanes.",
		report.Counted(d.Pictures.Course[0].Warps, "warp"), least, most, d.Stream.WarpSize)
}

func (d *Document) distinctWords() string {
	list := d.Pictures.Distinct
	warps, seen, median := total(list), uint64(0), 0
	least, most := -1, 0
	for targets, n := range list {
		if n == 0 {
			continue
		}
		if most = targets; least < 0 {
			least = targets
		}
		if 2*seen < warps {
			median = targets
		}
		seen += n
	}
	if least == most {
		return fmt.Sprintf("Every warp has %s.", report.Counted(uint64(most), "different target"))
	}
	return fmt.Sprintf("Half of the %s have at most %s; the least is %d, the most %d.",
		report.Counted(warps, "warp"), report.Counted(uint64(median), "different target"), least, most)
}

func (d *Document) floorWords() string {
	whisker := ""
	if d.Choice.LowUS != nil {
		whisker = ", its whisker spans the 90 % interval"
	}
	return fmt.Sprintf("%s, the fastest first, with the predicted time and what binds it. A bar ends "+
		"at the predicted time%s. %s takes %s times the floor.",
		capital(report.Counted(uint64(len(d.Ranking)), "implementation")), whisker, d.Choice.Implementation,
		report.Number(d.Choice.PredictedUS/d.Floor.US))
}

// facts are terms with what is said of them.
type fact struct{ Term, Text string }

// answers are what choose says of its choice.
func (d *Document) answers() []fact {
	c := d.Choice
	times := report.Number(c.PredictedUS) + " us"
	if c.LowUS != nil {
		times += fmt.Sprintf(", 90 %% interval %s to %s us", report.Number(*c.LowUS), report.Number(*c.HighUS))
	}
	list := []fact{
		{"Predicted time", times},
		{"Floor", fmt.Sprintf("%s us: a launch, and %s bytes read and written once. The choice reaches %s %% "+
			"of it, bound by %s.", report.Number(d.Floor.US), report.Count(uint64(d.Floor.Bytes)),
			report.Number(100*d.Floor.Share), d.Ranking[0].Binding)},
	}
	if c.SpeedupOverNaive != nil && !c.Implementation.IsNaive() {
		list = append(list, fact{"Against plain atomics", report.Number(*c.SpeedupOverNaive) +
			" times as fast as naive"})
	}
	if l := d.Ranking[0].Launch; l != (device.Shape{}) {
		list = append(list, fact{"Launch", fmt.Sprintf("%v blocks x threads", l)})
	}
	return list
}

// assumptions are what the choice rests on.
func (d *Document) assumptions() []string {
	list := []string{
		fmt.Sprintf("The device is %s, by the profile %s.", d.profile.Title, d.profile.Name),
		"The call: " + d.call.Words() + ".",
		"Indices and values lie in the memory of the device. The time is that of one call: clearing " +
			"the targets, launches and kernels.",
		fmt.Sprintf("Lane i of warp w performs update %d·w + i, in the order of the stream.",
			d.Stream.WarpSize),
	}
	if d.call.Keeps {
		list[2] = strings.Replace(list[2], "clearing the targets, ", "", 1)
	}
	return list
}

// certainty says how sure the choice is.
func (d *Document) certainty() []string {
	c := d.Choice
	list := []string{"No recorded call of the device says how far the times are off."}
	if c.LowUS != nil {
		list[0] = fmt.Sprintf("The interval of %s reaches from %s to %s us. If every time lies in its "+
			"interval, it takes at most %s times as long as the fastest.", c.Implementation,
			report.Number(*c.LowUS), report.Number(*c.HighUS), report.Number(*c.LossBound))
	}
	if h := d.HeldOut; h != nil && h.Points > 0 {
		list = append(list, fmt.Sprintf("On %s of families that the model had not seen, its choices took %s "+
			"times as long as the best in the mean, at most %s times in 90 of 100, and %s at worst.",
			report.Counted(uint64(h.Points), "stream"), report.Number(h.GeometricMean), report.Number(h.P90),
			report.Number(h.Max)))
	}
	return append(list, "Times are predictions, not measurements.")
}

// statistic is a row of the table of statistics.
type statistic struct{ Name, Value, Half, Meaning string }

// statistics are those that analyze prints.
func (d *Document) statistics() (rows []statistic) {
	s := &d.Stream.Stats
	for _, about := range collision.Statistics() {
		if about.Element {
			continue
		}
		value, half := about.Value(s)
		row := statistic{Name: about.Name, Value: report.Number(value), Meaning: sentence(about)}
		if about.Mean(s) == nil {
			row.Value = report.Count(uint64(value))
		}
		if half != 0 {
			row.Half = report.Number(half)
		}
		rows = append(rows, row)
	}
	return rows
}
