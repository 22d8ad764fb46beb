package page

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/tuner/sensitivity"
)

// TestRanks: ranks and shares are those of the sorted frequencies.
func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		indices := rapid.SliceOfN(rapid.Uint32Range(0, rapid.SampledFrom([]uint32{0, 5, 3000}).Draw(t,
			"highest")), 1, 4000).Draw(t, "stream")
		a, err := collision.NewAccumulator(collision.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Add(indices); err != nil {
			t.Fatal(err)
		}
		s, err := a.Stats()
		if err != nil {
			t.Fatal(err)
		}
		updates := map[uint32]uint64{}
		for _, target := range indices {
			updates[target]++
		}
		sorted := slices.Sorted(maps.Values(updates))
		slices.Reverse(sorted)
		p := picturesOf(&s, a.Frequencies(), collision.NewCourse(32, false))
		for i, r := range p.Ranks {
			if r.Updates != float64(sorted[r.Rank-1]) || i > 0 && r.Rank <= p.Ranks[i-1].Rank {
				t.Fatalf("%+v, want %d", r, sorted[r.Rank-1])
			}
		}
		if n := len(p.Ranks); p.Ranks[0].Rank != 1 || p.Ranks[n-1].Rank != uint64(len(sorted)) || n > rankSteps+2 {
			t.Fatalf("%d ranks from %d to %d of %d", n, p.Ranks[0].Rank, p.Ranks[n-1].Rank, len(sorted))
		}
		checkShares(t, p.shares, sorted, len(indices))
	})
}

func checkShares(t *rapid.T, got shares, sorted []uint64, updates int) {
	var want shares
	sum := uint64(0)
	for i, n := range sorted {
		if i < (len(sorted)+9)/10 {
			want.tenth += float64(n) / float64(updates)
		}
		if 2*sum < uint64(updates) {
			want.half++
		}
		if sum += n; n == 1 {
			want.once++
		}
	}
	if math.Abs(got.tenth-want.tenth) > 1e-9 || got.half != want.half || got.once != want.once {
		t.Fatalf("%+v, want %+v", got, want)
	}
}

// TestRanksOfCover: means between powers of 2, and none where frequent targets are not known.
func TestRanksOfCover(t *testing.T) {
	s := collision.Stats{Updates: 100, Unique: 5}
	if list := ranksOfCover(&s); len(list) != 0 {
		t.Errorf("%v of nothing", list)
	}
	s.Cover = collision.Cover{0.5, 0.6, 0.8, 1, 1}
	want := []rank{{1, 50}, {2, 10}, {3, 10}, {4, 10}, {5, 20}}
	if list := ranksOfCover(&s); !slices.EqualFunc(list, want, func(a, b rank) bool {
		return a.Rank == b.Rank && math.Abs(a.Updates-b.Updates) < 1e-9
	}) {
		t.Errorf("%v, want %v", list, want)
	}
}

// TestInWords: break-even points are said in the order of their quantity.
func TestInWords(t *testing.T) {
	private, sort := impl.Spec{Algorithm: impl.Private}, impl.Spec{Algorithm: impl.Sort}
	for want, s := range map[string]sensitivity.Sweep{
		"1 1,024": {Quantity: sensitivity.Targets, Places: []float64{1, 1024}},
		"10 11 5,000": {Quantity: sensitivity.Updates, BreakEvens: []sensitivity.BreakEven{{Above: private, Last: 10, First: 11},
			{Below: private, Above: sort, Last: 4900, First: 5000}}},
		"10": {Quantity: sensitivity.Contention, BreakEvens: []sensitivity.BreakEven{{Below: private, Above: sort, Last: -0.1}}},
	} {
		if got := inWords(&s); commandtest.Numbers(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLogarithmic: a scale holds the values, and a factor at least.
func TestLogarithmic(t *testing.T) {
	for high, want := range map[float64]float64{9: 80, 80: 80, 1000: 1000} {
		if s := logarithmic(8, high, 10); s.Low != 8 || s.High != want {
			t.Errorf("8 to %v: %+v, want %v", high, s, want)
		}
	}
}
