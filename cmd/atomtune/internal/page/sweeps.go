package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/sensitivity"
)

// sweep is one of boundary with its break-even points in words.
type sweep struct {
	sensitivity.Sweep
	InWords string `json:"in_words"`
}

// inWords says which kind wins where, for example
//
//	Plain atomics win up to 5,793 updates, private copies from 6,049 updates.
func inWords(s *sensitivity.Sweep) string {
	if len(s.BreakEvens) == 0 {
		return capital(fmt.Sprintf("%s everywhere from %s to %s.", s.Winner.Wins(),
			valueWords(s.Quantity, s.Places[0]), valueWords(s.Quantity, s.Places[len(s.Places)-1])))
	}
	first := s.BreakEvens[0]
	clauses := []string{first.Below.Wins() + " up to " + valueWords(s.Quantity, first.Last)}
	for _, b := range s.BreakEvens {
		clauses = append(clauses, b.Above.Title()+" from "+valueWords(s.Quantity, b.First))
	}
	return capital(strings.Join(clauses, ", ") + ".")
}

func valueWords(q sensitivity.Quantity, value float64) string {
	if q == sensitivity.Contention {
		share := percent(math.Abs(value))
		switch {
		case value > 0:
			return share + " moved to the most frequent target"
		case value < 0:
			return share + " moved to uniform targets"
		}
		return "the stream as it is"
	}
	return report.Counted(int(value), strings.TrimSuffix(string(q), "s"))
}

// percent prints a share with three digits at most.
func percent(share float64) string {
	const least = 1e-4
	if share > 0 && share < least {
		return "less than 0.01 %"
	}
	return strconv.FormatFloat(100*share, 'g', 3, 64) + " %"
}

// capital begins a sentence with a capital letter, unless its first word is a name in code.
func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
