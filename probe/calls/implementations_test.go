package calls

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/variant"
)

// TestUnmeasured: every implementation that the suite lists has its kernels, but those
// for which there are none: coordinator, and what a newcomer adds before its kernels.
func TestUnmeasured(t *testing.T) {
	suite := testSuite(h200Description())
	in := must.Get(suite.prepare(tinySources(t)[2]))(t)
	none := []variant.Variant{
		{Reduction: variant.ReductionCount}, {Reduction: variant.VR, Threshold: 9},
		{Base: variant.Private, Reduction: variant.Peers},
	}
	for _, call := range suite.calls {
		for _, v := range append(implementations(call, false), none...) {
			want := v.Base != variant.Coordinator && !slices.Contains(none, v) &&
				v.Worthwhile(in.bins, call.Type.Bytes())
			if got := suite.runs(v, call, in); got != want {
				t.Errorf("%v, %+v: measured %v", call, v, got)
			}
			if got := arrangementOf(v); (got != asGiven) != v.Scatter {
				t.Errorf("%s: arrangement %d", v, got)
			}
		}
	}
}
