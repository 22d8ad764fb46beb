package speedup

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// zipfStats are statistics of a stream in which rank i has a probability proportional to i^-s.
func zipfStats(t *testing.T, n, k int, s float64) ([]uint32, collision.Stats) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	sums, total := make([]float64, k), 0.0
	for i := range sums {
		total += math.Pow(float64(i+1), -s)
		sums[i] = total
	}
	place := rng.Perm(k)
	stream := make([]uint32, n)
	for i := range stream {
		rank, _ := slices.BinarySearch(sums, rng.Float64()*total)
		stream[i] = uint32(place[min(rank, k-1)])
	}
	return stream, tabled(stream, uint64(k), 32)
}

// TestTables: at the sizes of the statistics misses are theirs, between two they lie between them,
// and beyond the last they are those of the last.
func TestTables(t *testing.T) {
	_, s := zipfStats(t, 1<<16, 1<<16, 1)
	b := bundleOf(t, "naive", device.Call{Type: device.F64})
	of := func(slots int) float64 {
		var st stream
		b.read(&s, &st)
		tab := b.tableOf(impl.Spec{Algorithm: impl.Hot, Slots: slots})
		var ranks classes
		tab.classesOf(&st, &ranks)
		m := b.missesOf(&tab, &ranks, &st)
		if math.Abs(m.lanes+m.hits-32) > 1e-9 ||
			math.Abs(m.distinct+m.hitTargets-s.DistinctPerWarp) > 1e-9 {
			t.Errorf("%d slots: %+v", slots, m)
		}
		return m.lanes
	}
	for i := range collision.Tables {
		at := collision.TableSlots(i)
		if got, want := of(at), s.Misses[i].LanesPerWarp; math.Abs(got-want) > 1e-9 {
			t.Errorf("%d slots miss %v updates of a warp, the statistics say %v", at, got, want)
		}
		if i > 0 {
			middle := (s.Misses[i-1].LanesPerWarp + s.Misses[i].LanesPerWarp) / 2
			if got := of(at / 2); math.Abs(got-middle) > 1e-9 {
				t.Errorf("%d slots miss %v updates of a warp, want %v", at/2, got, middle)
			}
		}
	}
	if got, want := of(1<<16), s.Misses[collision.Tables-1].LanesPerWarp; math.Abs(got-want) > 1e-9 {
		t.Errorf("65,536 slots miss %v updates of a warp, want %v", got, want)
	}
}

// sampledTable is the plain reference of a table of a sample: what share of the updates it holds.
func sampledTable(stream []uint32, slots, samples int) float64 {
	own := min(slots, 1024)
	high := func(product uint32, size int) int { return int(uint64(product) * uint64(size) >> 32) }
	slotOf := func(x uint32) int { return high(x*2654435761, slots) }
	counters := max(4096, 8*own)
	counterOf := func(x uint32) [2]int {
		return [2]int{slotOf(x) / own, high(x*2246822519, counters)}
	}
	counts, tags, best := map[[2]int]int{}, map[int]uint32{}, map[int]int{}
	at := func(j int) uint32 {
		golden := uint64(uint32(j) * 2654435769)
		return stream[(j*len(stream)+int(golden*uint64(len(stream))>>32))/samples]
	}
	for j := range samples {
		counts[counterOf(at(j))]++
	}
	for j := range samples {
		x := at(j)
		slot, n := slotOf(x), counts[counterOf(x)]
		if n > 1 && n > best[slot] { // of equal counts the earliest
			tags[slot], best[slot] = x, n
		}
	}
	hits := 0
	for _, x := range stream {
		if tag, ok := tags[slotOf(x)]; ok && tag == x {
			hits++
		}
	}
	return float64(hits) / float64(len(stream))
}

// TestSampledHits compares the share of updates that hit where a sample fills the table with
// that of tables that are filled so.
func TestSampledHits(t *testing.T) {
	b := bundleOf(t, "naive", device.Call{})
	worst, checked := 0.0, 0
	for _, exponent := range []float64{0.7, 1, 1.3} {
		stream32, s := zipfStats(t, 1<<18, 1<<17, exponent)
		var st stream
		b.read(&s, &st)
		for _, c := range []struct{ slots, samples int }{
			{64, 2048}, {256, 2048}, {1024, 4096}, {2048, 16384}, {8192, 8192}, {8192, 65536},
			{64, 65536}, {1024, 131072}, // many rare samples for each counter
		} {
			tab := b.tableOf(impl.Spec{Algorithm: impl.Hot, Slots: c.slots, Sample: c.samples})
			var ranks classes
			tab.classesOf(&st, &ranks)
			m := b.missesOf(&tab, &ranks, &st)
			got, want := m.hits/st.active, sampledTable(stream32, c.slots, c.samples)
			worst = max(worst, math.Abs(got-want))
			limit := 0.03
			if c.samples > 64*c.slots { // rare samples crowd the counters
				limit = 0.1
			}
			if checked++; math.Abs(got-want) > limit {
				t.Errorf("s=%v, %d slots, %d samples: a share of %.3f hits, of the sample's table %.3f",
					exponent, c.slots, c.samples, got, want)
			}
		}
	}
	if t.Logf("%d tables, off by %.3f at most", checked, worst); checked != 24 {
		t.Errorf("%d tables checked", checked)
	}
}

// TestRangesSplit: what of a stream falls into its busiest range.
func TestRangesSplit(t *testing.T) {
	b := bundleOf(t, "private:r=1,ranges=4", device.Call{})
	c := &b.list[0].copies
	split := func(stream []uint32, bins uint64) ranged {
		s := tabled(stream, bins, 32)
		var e evaluation
		var r ranged
		b.read(&s, &e.st)
		b.split(c, &e.st, &r)
		return r
	}
	one := make([]uint32, 1<<14)
	if r := split(one, 1<<16); r.busy != 1 || r.occupied != 1 || r.part != 1 || r.bins != 1<<14 {
		t.Errorf("one target: %v busy, %v occupied, %v of them, %v targets", r.busy, r.occupied,
			r.part, r.bins)
	}
	if r := split(uniform(1<<14, 1<<16, 1), 1<<16); r.busy > 0.26 || r.occupied < 0.99 ||
		r.part > 0.27 {
		t.Errorf("uniform: %v busy, %v occupied, %v of them", r.busy, r.occupied, r.part)
	}
	// The most frequent targets stand side by side: nearly all are in one range.
	ordered := uniform(1<<14, 1<<16, 2)
	for i, x := range ordered {
		u := float64(x) / (1 << 16)
		ordered[i] = uint32(u * u * u * u * u * u * (1 << 16))
	}
	if r := split(ordered, 1<<16); r.busy < 0.6 {
		t.Errorf("ordered by frequency: %v busy", r.busy)
	}
}

// oldValues is what parts of a call on the H200 take.
func oldValues(t *testing.T, name, label string, call device.Call) map[string]float64 {
	t.Helper()
	_, s := Analyzed(t, label, 32)
	_, of := priced(t, name, &s, builtin(t, "h200"), call)
	return of
}

// TestFetchReadsTwice: both passes of private copies stream indices and values, the second stores
// the old values besides.
func TestFetchReadsTwice(t *testing.T) {
	const label, n = "uniform:n=1048576,k=1000,seed=1", 1 << 20
	near := 1e6 / builtin(t, "h200").Memory.L2Rate.Value
	for _, c := range []struct {
		call              device.Call
		reads, readsWrite float64 // bytes of an update
	}{
		{device.Call{Returns: true}, 8, 12},
		{device.Call{Returns: true, Operand: device.One}, 4, 8},
		{device.Call{Returns: true, Type: device.F64}, 12, 20},
	} {
		p := oldValues(t, "private:r=4,pad=1", label, c.call)
		count, fetch := p["count memory"], p["fetch memory"]
		if math.Abs(count-n*c.reads*near) > 1e-9 || math.Abs(fetch-n*c.readsWrite*near) > 1e-9 {
			t.Errorf("%+v: %v and %v us of memory, want %v and %v bytes an update", c.call, count, fetch,
				c.reads, c.readsWrite)
		}
	}
}
