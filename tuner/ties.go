package tuner

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/variant"
)

// TieBand is the part of the lesser of two predicted times by which the other may
// be longer and the two still be tied. For half of the calls recorded on H200s,
// the times of one call on two starts of the same program lie less than this
// apart: which of two tied implementations is faster, a measurement would often
// not say either.
//
// A tie is about times alone. Implementations further apart whose order the
// model does not know are what Decision.Settle is for.
const TieBand = 0.03

// ties returns the implementations whose predicted time lies within the band of
// the first one's, the fastest first. The first stays first: of equal times it
// is the earlier candidate, and candidates stand in the order of what they need,
// plain atomics first.
func ties(ranked []prediction) []variant.Variant {
	list := []variant.Variant{}
	for _, r := range ranked[1:] {
		if r.us <= ranked[0].us*(1+TieBand) && ranked[0].us <= r.us*(1+TieBand) {
			list = append(list, r.variant)
		}
	}
	return list
}

// tied says which implementations are tied with the first, "" where none is.
func tied(ranked []prediction, list []variant.Variant) string {
	if len(list) == 0 {
		return ""
	}
	last := 0.0
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.String()
		for _, r := range ranked {
			if r.variant == v {
				last = max(last, r.us/ranked[0].us-1, ranked[0].us/r.us-1)
			}
		}
	}
	verb := "is"
	if len(names) > 1 {
		verb = "are"
	}
	return fmt.Sprintf(" It is a tie: %s %s within %s of %s.", inWords(names), verb, percent(last), ranked[0].variant)
}

// inWords joins names by commas and a last "and".
func inWords(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
