package calls

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

// TestTablesAndRanges: tables of hot targets, known and from a sample, ranges of targets and turns
// at once are measured through kernels that take what is passed.
func TestTablesAndRanges(t *testing.T) {
	g := newCallsGPU()
	suite := testSuite(g.description)
	suite.calls, suite.Launches = suite.calls[:1], true
	for _, name := range []string{"naive", "hot:s=64,r=4", "hot:s=1024,sample=2048+match",
		"private:r=2,pad=1,ranges=3"} {
		v := must.Get(impl.Parse(name))(t)
		suite.Implementations = append(suite.Implementations, v)
	}
	indices := make([]uint32, 140000) // enough for the blocks of small launches
	for i := range indices {
		indices[i] = uint32(i * i % 4001)
	}
	in := must.Get(suite.prepare(source{label: "made", load: func() ([]uint32, uint64, error) {
		return indices, 4001, nil
	}}))(t)
	r, err := suite.run(t.Context(), g, in)
	if err != nil || len(r.Wrong) > 0 || g.wrongTags > 0 {
		t.Fatal(r.Wrong, err, g.wrongTags)
	}
	got := map[string][]int{}
	for _, c := range r.Calls {
		name := c.Implementation.String()
		if got[name] = append(got[name], c.Unroll); !c.Correct {
			t.Errorf("%+v", c)
		}
	}
	for _, v := range suite.Implementations {
		four := v.G() == 1 && !v.Reduces() // turns at once with a kernel of their own
		if list := got[v.String()]; len(list) == 0 ||
			slices.Contains(list, 4) != four || slices.Contains(list, 2) {
			t.Errorf("%s: turns at once %v", v, list)
		}
	}
	if len(got) != 4 {
		t.Errorf("measured %v", got)
	}
}

// TestKept: on targets that are kept, no timed call clears, and what is checked is one call.
func TestKept(t *testing.T) {
	count := func(keeps bool) int {
		g := newCallsGPU()
		suite := newSuite(g.description, Options{Types: []device.Type{device.U32}, Repeats: 7,
			Keeps: keeps, Implementations: []impl.Spec{{}, impl.Copies(4, 1, 0),
				{Algorithm: impl.ThreadPrivate}}})
		clears := 0
		for _, j := range suite.jobs(tinySources(t)[:1]) {
			r, err := runJob(t, j, g)
			if err != nil || len(r.Wrong) > 0 {
				t.Fatal(r.Wrong, err)
			}
			for _, c := range r.Calls {
				if clears++; c.Call.Keeps != keeps || !c.Correct {
					t.Errorf("%+v", c)
				}
			}
			if _, err := recordings.EncodeCalls(recordings.Provenance{}, r.Calls); err != nil {
				t.Error(err)
			}
		}
		if clears != 8 {
			t.Errorf("%d calls", clears)
		}
		return g.clears
	}
	for _, v := range implementations(device.Call{Keeps: true}, false) {
		if inLibrary(v) {
			t.Errorf("%s is measured on kept targets, which the companion clears", v)
		}
	}
	if kept, cleared := count(true), count(false); kept != 8 || cleared != 8*(2+7) {
		t.Errorf("8 calls clear %d times where targets are kept, %d times where not", kept, cleared)
	}
}

// TestUnmeasured: every implementation that the suite lists has its kernels, but those
// for which there are none: coordinator, and what a newcomer adds before its kernels.
func TestUnmeasured(t *testing.T) {
	suite := testSuite(h200Description())
	in := must.Get(suite.prepare(tinySources(t)[2]))(t)
	none := []impl.Spec{
		{Reduction: impl.ReductionCount}, {Reduction: impl.VR, Threshold: 9},
		{Algorithm: impl.Private, Reduction: impl.Peers},
	}
	for _, call := range suite.calls {
		for _, v := range append(implementations(call, false), none...) {
			want := v.Algorithm != impl.Coordinator && !inLibrary(v) && !slices.Contains(none, v) &&
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
