package tuner

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/variant"
)

// repeats returns the reason for which Options.Deterministic rules an implementation out on a
// stream, nil if it does not. Without statistics, or with those of a sample, targets may occur more
// than once.
func (o Options) repeats(v variant.Variant, s *collision.Stats) error {
	if !o.Deterministic || !v.UsesAtomics() || o.Call.OrderFree() || s != nil && eachOnce(s) {
		return nil
	}
	if o.Call.Returns {
		return &refusal{v, "hands out old values in no fixed order"}
	}
	return &refusal{v, fmt.Sprintf("makes each %s of %s in no fixed order", o.Call.Op, o.Call.Type)}
}

// eachOnce reports whether a stream is known to have each of its targets once.
func eachOnce(s *collision.Stats) bool { return !partly(s) && s.Unique == s.Updates }
