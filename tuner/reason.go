package tuner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
)

// reason says which numbers decided, and what separates the choice from the next.
func reason(ranked []prediction, naive *prediction, s *collision.Stats, c device.Call) string {
	return overNaive(ranked, naive, s, c) + runnerUp(ranked)
}

// overNaive says in one sentence which bound binds naive, with the statistic behind it, and how
// the choice gets around it.
func overNaive(ranked []prediction, naive *prediction, s *collision.Stats, c device.Call) string {
	best := ranked[0]
	self := fmt.Sprintf("%s takes %s us, bound by %s", best.variant, number(best.US), best.binding)
	why, does := evidence(best.binding, s, c), best.variant.Does()
	if c.Returns && best.variant.ReturnsTwice() {
		does += ", and a second pass finds the old values there"
	}
	switch {
	case naive == nil:
		return fmt.Sprintf("%s (%s): %s; naive cannot run.", self, why, does)
	case best.variant == naive.variant && len(ranked) == 1:
		return fmt.Sprintf("%s (%s), and nothing else is left to choose from.", self, why)
	case best.variant == naive.variant:
		return fmt.Sprintf("%s (%s).", self, why)
	case naive.US <= best.US && slices.ContainsFunc(ranked, isNaive):
		return fmt.Sprintf("%s: %s; naive takes %s us as predicted, but its interval reaches to %s us, "+
			"that of %s to %s us.", self, does, number(naive.US), number(naive.High), best.variant,
			number(best.High))
	case naive.US <= best.US:
		return fmt.Sprintf("%s: %s; naive would take %s us but is not admitted.", self, does,
			number(naive.US))
	}
	return fmt.Sprintf("naive takes %s us, bound by %s (%s); %s, %s: %s.", number(naive.US),
		naive.binding, evidence(naive.binding, s, c), self, faster(naive.US/best.US), does)
}

// leastSeparation is the share of a call's time from which a phase is said to separate two.
const leastSeparation = 1e-3

// runnerUp says by which phase of its call the second of a ranking falls behind the first: that of
// which the closed forms say that it takes most time more. It is empty where there is no second or
// that is naive, of which enough is said.
func runnerUp(ranked []prediction) string {
	if len(ranked) < 2 || isNaive(ranked[1]) {
		return ""
	}
	best, next := &ranked[0], &ranked[1]
	most, why := leastSeparation*best.US, "nothing in their closed forms separates them."
	for _, p := range next.phases {
		same := func(q speedup.Phase) bool { return q.Name == p.Name }
		phase, more, us := "its "+p.Name+" phase takes %s us%s, bound by "+p.Binding+".", "", p.US
		if p.Name == "launch" {
			phase = "waiting for launches takes %s us%s."
		}
		if first := slices.IndexFunc(best.phases, same); first >= 0 {
			more, us = " more", us-best.phases[first].US
		}
		if us > most {
			most, why = us, fmt.Sprintf(phase, number(us), more)
		}
	}
	longer := "hardly longer"
	if r := next.US / best.US; r >= 1.005 {
		longer = ratio(r) + " times as long"
	}
	return fmt.Sprintf(" The next, %s, takes %s us, %s: %s", next.variant, number(next.US), longer, why)
}

// worded says what is said of sums of partial results of another operation.
func worded(text string, o device.Op) string {
	if o == device.Add {
		return text
	}
	return strings.NewReplacer("summed", "combined", "sums", "combines",
		"adds in its own", "works on its own").Replace(text)
}

// evidence names the statistic of the stream that makes a bound large.
func evidence(binding string, s *collision.Stats, c device.Call) string {
	chunk, sectors, passes := s.MaxChunkFrequency4, s.Sectors4, s.SectorPasses4
	if c.Type.Bytes() == 8 {
		chunk, sectors, passes = s.MaxChunkFrequency8, s.Sectors8, s.SectorPasses8
	}
	switch binding {
	case "address", "swap":
		return fmt.Sprintf("the most frequent target gets %d of %d updates, the most frequent of a "+
			"warp %s of its lanes on average", s.MaxFrequency, s.Updates, percent(s.WarpLevel))
	case "chunk":
		return fmt.Sprintf("the busiest 256 bytes of targets get %s of the updates",
			percent(float64(chunk)/float64(s.Updates)))
	case "slice", "answer":
		return fmt.Sprintf("a warp needs %s passes over %s sectors on average", number(passes),
			number(sectors))
	case "request":
		return fmt.Sprintf("a warp touches %s sectors on average", number(sectors))
	case "port", "lock":
		return fmt.Sprintf("%s lanes of a warp meet in one bank on average", number(s.BankLanes))
	case "issue", "exchange", "latency":
		return fmt.Sprintf("%d updates with %s different targets in a warp on average", s.Updates,
			number(s.DistinctPerWarp))
	}
	return fmt.Sprintf("%d updates of %d targets", s.Updates, s.Bins)
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

// faster says how many times as fast, unless three digits do not show it.
func faster(r float64) string {
	if r < 1.005 {
		return "hardly faster"
	}
	return ratio(r) + " times as fast"
}

// ratio prints how many times, to three digits.
func ratio(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
