package tuner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/speedup"
)

// reason says why the choice is first: the bottleneck and what it does about collisions, what is tied
// with it, by what the first beyond the tie falls behind, and what plain atomics take.
// why is it in two sentences at most: the bound, and what plain atomics or else the runner-up take.
func (c *Chooser) reason(ranked []prediction, naive *prediction, ties []impl.Spec,
	s *collision.Stats,
) (text, why string) {
	ranked = c.choosable(ranked)
	first, call := &ranked[0], c.opts.Call
	named := append([]impl.Spec{first.implementation}, ties...)
	bound, does := boundBy(first.bottleneck, s, call), first.implementation.DoesOf(call.Wide())
	if call.Returns && first.implementation.ReturnsTwice() {
		does += ", and a second pass finds the old values there"
	}
	if len(ranked) == 1 {
		does += ", and nothing else is left to choose from"
	}
	text = fmt.Sprintf("%s takes %s us, %s: %s.", first.implementation, number(first.US), bound, does) + c.tied(ranked, ties)
	beyond := func(r prediction) bool { // of rows a table of another size is not another one
		return !slices.Contains(named, r.implementation) &&
			!(call.Wide() && r.implementation.Kind() == first.implementation.Kind())
	}
	if at := slices.IndexFunc(ranked, beyond); at >= 0 {
		why = runnerUp(first, &ranked[at], len(ties) > 0, s, call)
		text += why
		named = append(named, ranked[at].implementation)
	}
	if !slices.ContainsFunc(named, impl.Spec.IsNaive) {
		why = ofNaive(ranked, naive, s, call)
		text += why
	}
	if naive != nil { // by how much is Choice.SpeedupOverNaive
		why = strings.Replace(why, ", "+longer(first, naive), "", 1)
	}
	return text, "The bottleneck is " + strings.TrimPrefix(bound, "bound by ") + "." + why
}

// leastSeparation is the share of a call's time from which a phase is said to separate two.
const leastSeparation = 1e-3

// runnerUp says by which phase of its call another falls behind the best: that of which the closed
// forms say that it takes most time more.
func runnerUp(best, next *prediction, tied bool, s *collision.Stats, c device.Call) string {
	least := leastSeparation * best.US
	most, why := least, "nothing in their closed forms separates them"
	for _, p := range next.phases {
		same := func(q speedup.Phase) bool { return q.Name == p.Name }
		phase, bound, more, us := "its "+p.Name+" phase", ", bound by "+p.Bottleneck, "", p.US
		switch p.Name {
		case "launch":
			phase, bound = "waiting for launches", ""
		case "update": // which works on what the statistics describe
			bound = ", " + boundBy(p.Bottleneck, s, c)
		}
		if first := slices.IndexFunc(best.phases, same); first >= 0 {
			more, us = " more", us-best.phases[first].US
		}
		if us > most {
			most, why = us, phase+" takes "+number(us)+" us"+more+bound
		}
	}
	if rest := next.US - best.US - most; most > least && rest > most {
		why += "; other phases and corrections from recorded calls add " + number(rest) + " us"
	}
	who := "The runner-up, " + next.implementation.String() + ","
	if tied {
		who = "Next, " + next.implementation.String()
	}
	return fmt.Sprintf(" %s takes %s us, %s: %s.", who, number(next.US), longer(best, next), why)
}

// longer says how many times as long as the best another takes, or why it stands behind in spite of
// its predicted time: see Options.Cautious.
func longer(best, other *prediction) string {
	if other.US <= best.US {
		return fmt.Sprintf("but up to %s us in its interval, and %s up to %s us", number(other.High),
			best.implementation, number(best.High))
	}
	return number(other.US/best.US) + " times as long"
}

// ofNaive says what the plain atomics take, of which nothing is said yet.
func ofNaive(ranked []prediction, naive *prediction, s *collision.Stats, c device.Call) string {
	best := &ranked[0]
	switch {
	case naive == nil:
		return " naive cannot run."
	case !slices.ContainsFunc(ranked, isNaive):
		return fmt.Sprintf(" naive would take %s us but is excluded.", number(naive.US))
	}
	return fmt.Sprintf(" naive takes %s us, %s, %s.", number(naive.US), longer(best, naive),
		boundBy(naive.bottleneck, s, c))
}

// worded says what is said of sums of partial results of another operation.
func worded(text string, o device.Op) string {
	if o == device.Add {
		return text
	}
	return strings.NewReplacer("summed", "combined", "sums", "combines",
		"adds to its own", "works on its own").Replace(text)
}

// boundBy names a bound, with the statistic of the stream that makes it large, if not its size alone does.
func boundBy(bottleneck string, s *collision.Stats, c device.Call) string {
	chunk, sectors, passes := s.MaxChunkFrequency4, s.SectorsPerWarp4, s.SectorPassesPerWarp4
	if c.Type.Bytes() == 8 {
		chunk, sectors, passes = s.MaxChunkFrequency8, s.SectorsPerWarp8, s.SectorPassesPerWarp8
	}
	why := ""
	switch bottleneck {
	case "address", "swap":
		about := ""
		if partly(s) {
			about = "about "
		}
		why = fmt.Sprintf("the most frequent target gets %s%s of %s updates; on average %s of a warp's "+
			"lanes share one target", about, visible.Count(s.MaxFrequency),
			visible.Count(s.Updates), number(100*s.WarpLevel)+" %")
	case "chunk":
		why = fmt.Sprintf("the busiest 256 bytes of targets get %s of the updates",
			number(100*float64(chunk)/float64(s.Updates))+" %")
	case "slice", "answer":
		why = fmt.Sprintf("a warp needs %s over %s on average", several(passes, "pass", "passes"),
			several(sectors, "sector", "sectors"))
	case "request":
		why = fmt.Sprintf("a warp touches %s on average", several(sectors, "sector", "sectors"))
	case "port", "lock":
		why = fmt.Sprintf("on average %s lanes of a warp use the same bank", number(s.BankLanes))
	case "row":
		why = fmt.Sprintf("the most frequent row gets %s of %s updates", visible.Count(s.MaxFrequency),
			visible.Count(s.Updates))
	case "misses":
		why = "the rows that occur take " + size(s.Unique*c.Width*uint64(c.Type.Bytes()))
	case "issue", "exchange", "latency":
		if !c.Wide() {
			why = number(s.DistinctPerWarp) + " different targets in a warp on average"
		}
	}
	if why != "" {
		why = " (" + why + ")"
	}
	return "bound by " + bottleneck + why
}

// several is a number of things.
func several(n float64, one, many string) string {
	if n == 1 {
		many = one
	}
	return number(n) + " " + many
}
