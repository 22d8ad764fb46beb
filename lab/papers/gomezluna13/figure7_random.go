package gomezluna13

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/variant"
)

// eachCopied calls do for every layout with more than one copy.
func eachCopied(do func(l layout)) {
	for _, words := range voteSpaces {
		for _, l := range layoutsOf(words)[1:] {
			do(l)
		}
	}
}

func (f *findings) layoutAccuracy(s survey, patterns int) {
	apart := 0.0
	for _, c := range s {
		apart = math.Max(apart, 100*math.Abs(c.closed/c.simulated-1))
	}
	f.State("mean latency of a layout, estimated against measured, differs by at most", apart,
		apart <= 1.9, len(s), papers.Thousands(patterns))
}

// randomRows are the statements about patterns that are not sorted.
func (f *findings) randomRows(s survey) {
	apart := 0.0
	eachCopied(func(l layout) {
		other := l
		other.mapping = variant.Block
		apart = math.Max(apart, 100*math.Abs(s[setting{other, false}].cycles/s[setting{l, false}].cycles-1))
	})
	f.State("plain cyclic and block mapping, padded or not, differ by at most", apart, apart <= 1)
	for pad, name := range []string{"without padding", "padded"} {
		best, most := s.bestFactors(pad)
		f.State("best replication factor of random patterns, 32 to 1,024 words, "+name,
			list(best[variant.Cyclic]),
			slices.Equal(best[variant.Cyclic], most) && slices.Equal(best[variant.Block], most))
	}
	gain := s.gainBeyond()
	f.State("latency gained by replicating beyond 1,024 words", gain, gain <= 0.1)
}

// bestFactors lists the fastest replication factor of each vote space up to
// 1,024 words and mapping, and the highest factor that keeps the copies within
// 1,024 words.
func (s survey) bestFactors(pad int) (best map[variant.Mapping][]int, most []int) {
	best = map[variant.Mapping][]int{}
	for _, words := range voteSpaces[:from(lockWords)+1] {
		most = append(most, lockWords/words)
		for _, m := range mappings {
			copies, latency := s.series(words, m, pad, false)
			best[m] = append(best[m], copies[lowest(latency)])
		}
	}
	return best, most
}

// gainBeyond is by how many percent the best layout beyond 1,024 words is
// faster than the best one within, or with one copy.
func (s survey) gainBeyond() float64 {
	gain := math.Inf(-1)
	for _, words := range voteSpaces {
		for _, m := range mappings {
			copies, latency := s.series(words, m, 0, false)
			within := 1
			for within < len(copies) && copies[within]*words <= lockWords {
				within++
			}
			if within < len(copies) {
				gain = math.Max(gain, 100*(1-slices.Min(latency[within:])/slices.Min(latency[:within])))
			}
		}
	}
	return gain
}

// lowest is the place of the smallest value.
func lowest(all []float64) int { return slices.Index(all, slices.Min(all)) }

func list(all []int) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}
