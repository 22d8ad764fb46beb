package page

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/sensitivity"
)

// quantities name what moves along a sweep.
var quantities = map[sensitivity.Quantity]struct{ title, axis string }{
	sensitivity.Updates: {"number of updates", "updates of a call"},
	sensitivity.Targets: {"number of targets", "targets"},
	sensitivity.Contention: {"contention",
		"◂ moved to uniform targets · to one ▸"},
}

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
	s, p := d.Stream.Stats, &d.Pictures
	switch {
	case len(p.Ranks) == 0:
		return "The sample does not show how frequent targets are."
	case p.RanksEstimated:
		return "Estimated from a sample: means between powers of 2, up to rank " +
			report.Count(p.Ranks[len(p.Ranks)-1].Rank) + ". The dashed line is the mean over all targets that occur."
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
	return fmt.Sprintf("The line is the mean of %s each, and the area spans the minimum to the maximum. The "+
		"overall minimum is %d, the maximum %d of %d lanes.",
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
	return fmt.Sprintf("Half of the %s have at most %s; the minimum is %d, the maximum %d.",
		report.Counted(warps, "warp"), report.Counted(uint64(median), "different target"), least, most)
}

func (d *Document) floorWords() string {
	whisker := ""
	if d.Choice.LowUS != nil {
		whisker = ", and its whisker spans the 90 % interval"
	}
	if slices.ContainsFunc(d.Ranking, func(r tuner.Ranked) bool { return r.Implementation.OnHost() }) {
		whisker += "; an arrow means that it exceeds the axis"
	}
	return fmt.Sprintf("%s, fastest first, with predicted time and bottleneck. A bar ends at the predicted "+
		"time%s. %s takes %s times the floor.",
		capital(report.Counted(uint64(len(d.Ranking)), "implementation")), whisker, d.Choice.Implementation,
		report.Number(d.Choice.PredictedUS/d.Floor.US))
}
