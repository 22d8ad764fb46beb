package tuner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// reason says in one sentence which numbers decided: the bound that binds
// naive with the statistic behind it, and how the choice gets around it.
func reason(ranked []prediction, naive *prediction, s *collision.Stats, c device.Call) string {
	best := ranked[0]
	self := fmt.Sprintf("%s takes %s us, bound by %s", best.variant, number(best.US), best.binding)
	why, does := evidence(best.binding, s, c), best.variant.Does()
	switch {
	case naive == nil:
		return fmt.Sprintf("%s (%s): %s; naive cannot run.", self, why, does)
	case best.variant == naive.variant && len(ranked) == 1:
		return fmt.Sprintf("%s (%s), and nothing else is left to choose from.", self, why)
	case best.variant == naive.variant:
		next := ranked[1]
		return fmt.Sprintf("%s (%s); the next, %s, takes %s us, bound by %s, %s times as long.", self,
			why, next.variant, number(next.US), next.binding, ratio(next.US/best.US))
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
	case "slice":
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
