package speedup

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// setOf returns the recorded calls of a set that return nothing and whose host lays nothing
// anew, and its streams.
func setOf(t *testing.T, set archive.Set) ([]recordings.Call, map[string]collision.Stats) {
	t.Helper()
	list, err := set.Calls()
	if err != nil {
		t.Fatal(err)
	}
	stats, err := set.Streams()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(c recordings.Call) bool { return c.Call.Returns || c.Implementation.Scatter }), stats
}

// offBy is the logarithm of the predicted time of a call over the recorded one.
func offBy(t *testing.T, d *device.Profile, s collision.Stats, c recordings.Call) float64 {
	t.Helper()
	cost, err := Predict(c.Implementation, &s, d, c.Call)
	if err != nil {
		t.Fatal(err)
	}
	return math.Log(cost.US / c.MedianUS)
}

// TestInOrder finds, from calls on one hot target among others at random beyond L2, how many
// requests a slice has under way: the number with which the times are least off.
func TestInOrder(t *testing.T) {
	d := builtin(t, "h200")
	held := d.Global.SliceRequests.Value
	calls, streams := setOf(t, h200.Misses)
	best, least, among, without := 0.0, math.Inf(1), 0.0, 0.0
	for q := 1.0; q <= 96; q *= math.Sqrt2 {
		sum, n := 0.0, 0.0
		for _, c := range calls {
			s := streams[c.Label]
			if !strings.HasPrefix(c.Label, "hotspot:") || s.HotTargets(32) > 2 || float64(s.Bins)*float64(c.Call.Type.Bytes()) < 6e7 {
				continue
			}
			if r := c.Implementation.Reduction; c.Implementation.Algorithm != impl.Global || r != impl.None && r != impl.Match {
				continue
			}
			m, err := Compile(c.Implementation, d, c.Call)
			if err != nil {
				t.Fatal(err)
			}
			m.b.sliceRequests = q
			off := math.Log(m.US(&s) / c.MedianUS)
			sum += off * off
			n++
		}
		off := math.Sqrt(sum / n)
		if n < 100 {
			t.Fatalf("only %v calls", n)
		}
		t.Logf("%5.1f requests: off by %.3f in the root mean square of %v calls", q, off, n)
		if off < least {
			best, least = q, off
		}
		if q == 1 {
			without = off
		}
		if math.Abs(math.Log(q/held)) < math.Log(1.2) {
			among = off
		}
	}
	if math.Abs(math.Log(best/held)) > math.Log(1.5) || among > 1.05*least || without < 3*least {
		t.Errorf("best with %.0f requests under way, off by %.3f; about %v: %.3f; one: %.3f", best, least, held, among, without)
	}
}

// TestMissCalls holds the prices against the set of misses, which shaped them: how far they
// are off, in the root mean square of the logarithm.
func TestMissCalls(t *testing.T) {
	d := builtin(t, "h200")
	calls, streams := setOf(t, h200.Misses)
	limits := map[string]float64{
		"naive": 0.15, "sr": 0.15, "vr": 0.17, "vr:t=8": 0.17, "peers": 0.17, "match": 0.17, "sort": 0.11, "segreduce": 0.25,
	}
	sum, n := map[string]float64{}, map[string]float64{}
	for _, c := range calls {
		name := c.Implementation.String()
		if limits[name] == 0 {
			continue
		}
		off := offBy(t, d, streams[c.Label], c)
		sum[name] += off * off
		n[name]++
	}
	for name, limit := range limits {
		off := math.Sqrt(sum[name] / n[name])
		t.Logf("%-9s %3.0f calls, off by %.3f", name, n[name], off)
		if !(off < limit) {
			t.Errorf("%s: off by %.3f in %v calls, want %v", name, off, n[name], limit)
		}
	}
}

// TestHotChunks holds the prices against streams with hot targets side by side, which share
// sectors: on the passes of their chunk alone, in arrays that fit in L2, and on misses.
func TestHotChunks(t *testing.T) {
	d := builtin(t, "h200")
	calls, streams := setOf(t, h200.Hotspots)
	off := map[bool][]float64{}
	for _, c := range calls {
		if c.Call.Type != device.U32 || c.Implementation.Algorithm != impl.Global {
			continue
		}
		fits := float64(c.Bins)*4 < d.Memory.L2AtomicBytes.Value/2
		off[fits] = append(off[fits], math.Abs(offBy(t, d, streams[c.Label], c)))
	}
	for fits, limit := range map[bool]float64{true: 0.35, false: 0.5} {
		list := off[fits]
		slices.Sort(list)
		median, most := list[len(list)/2], list[len(list)*19/20]
		t.Logf("fits %v: %d calls, off by %.3f in the median, %.3f in 19 of 20", fits, len(list), median, most)
		if len(list) < 200 || median > 0.15 || most > limit {
			t.Errorf("fits %v: %d calls, off by %.3f in the median, %.3f in 19 of 20, want %v", fits, len(list), median, most, limit)
		}
	}
}

// TestEvicted deals sectors to sets by chance and counts those that find no way.
func TestEvicted(t *testing.T) {
	d := builtin(t, "h200")
	m, err := Compile(impl.Spec{}, d, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	const sets, ways = 1 << 14, 16
	for _, filled := range []float64{0.25, 0.6, 0.9, 1, 1.5, 4} {
		rng := rand.New(rand.NewPCG(1, 2))
		var held [sets]int
		sectors := int(filled * sets * ways)
		out := 0
		for range sectors {
			if set := rng.IntN(sets); held[set] == ways {
				out++
			} else {
				held[set]++
			}
		}
		got, want := m.b.evicted(filled*m.b.l2AtomicBytes), float64(out)/float64(sectors)
		if math.Abs(got-want) > 0.006 {
			t.Errorf("%v of what L2 holds: %.4f are evicted, dealt %.4f", filled, got, want)
		}
	}
	if out := m.b.evicted(0.499 * m.b.l2AtomicBytes); out != 0 {
		t.Errorf("%v of targets that take less than half of L2 are evicted", out)
	}
	if below, above := m.b.evicted(63.9*m.b.l2AtomicBytes), m.b.evicted(64.1*m.b.l2AtomicBytes); !(below < above && above-below < 1e-3) {
		t.Errorf("%v and %v evicted of 64 times what L2 holds", below, above)
	}
	m.b.invL2Atomic = math.Inf(1)
	if all := m.b.evicted(1); all != 1 {
		t.Errorf("%v evicted where L2 keeps none", all)
	}
}

// TestLaterStart finds by how much short calls of the fit half take longer than all else
// says, on each GPU: hosts differ, and the profiles have the mean.
func TestLaterStart(t *testing.T) {
	golden.OnlyFull(t)
	mean := 0.0
	for _, a := range []*archive.Archive{h200.Archive, h100.Archive} {
		later := builtin(t, a.Name()).Launch.LaterStart.Value
		var more []float64
		for _, r := range recordedCallsOf(t, a) {
			if r.part == recordings.Fit && !r.Implementation.Scatter && r.us-later < 14 {
				more = append(more, r.MedianUS-(r.us-later))
			}
		}
		slices.Sort(more)
		median := more[len(more)/2]
		mean += median / 2
		t.Logf("%s: %.2f us in the median of %d calls", a.Name(), median, len(more))
		if len(more) < 3000 || math.Abs(median-later) > 1 {
			t.Errorf("%s: %.2f us in the median of %d calls, the formulas say %v", a.Name(), median,
				len(more), later)
		}
	}
	if later := builtin(t, "h200").Launch.LaterStart.Value; math.Abs(mean-later) > 0.2 {
		t.Errorf("%.2f us in the mean, the formulas say %v", mean, later)
	}
}
