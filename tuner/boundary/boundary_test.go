package boundary

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// made returns a stream of a specification with what Around reads, and its indices.
func made(t *testing.T, text string) (Stream, []uint32) {
	t.Helper()
	indices, bins := tunertest.Generate(t, text)
	return streamOf(t, indices, bins), indices
}

func streamOf(t *testing.T, indices []uint32, bins uint64) Stream {
	t.Helper()
	a, err := collision.NewAccumulator(collision.Options{Bins: bins})
	tunertest.Must(t, err)
	if err := a.Add(indices); err != nil {
		t.Fatal(err)
	}
	stats, err := a.Stats()
	tunertest.Must(t, err)
	s := Stream{Stats: &stats, Frequencies: a.Frequencies(), Excerpt: NewExcerpt(stats.BlockSize)}
	s.Excerpt.Add(indices)
	return s
}

func chooser(t *testing.T, name string) *tuner.Chooser {
	t.Helper()
	c, err := tuner.NewChooser(tunertest.Profile(t, name), tuner.Options{SearchLaunch: true})
	tunertest.Must(t, err)
	return c
}

// TestBreakEvens: on both sides of a break-even point the kinds that it names are the faster ones,
// it is known as well as it says, further out the kinds are apart, and the stream's own choice wins
// at the stream.
func TestBreakEvens(t *testing.T) {
	c := chooser(t, "h200")
	found := 0
	for _, text := range []string{"uniform:n=65536,k=4096", "zipf:n=65536,k=65536,s=1.1",
		"sorted:n=40000,k=500", "hotspot:n=50000,k=4,h=1,p=0.8",
		"uniform:n=600,k=20"} {
		s, _ := made(t, text)
		pick, err := c.Pick(s.Stats)
		tunertest.Must(t, err)
		for _, q := range newMaker(s).quantities() {
			w := newWalk(q, c, Stream{})
			w.follow(pick.Variant.Kind())
			if w.err != nil {
				t.Fatal(w.err)
			}
			if w.kinds[w.winner] != pick.Variant.Kind() {
				t.Errorf("%s, %s: %s wins at the stream, the choice is %s", text, q.name,
					w.kinds[w.winner], pick.Variant)
			}
			below := math.Inf(-1)
			for i, b := range w.breaks {
				found++
				checkBreak(t, w, b)
				if b.Last < below {
					t.Errorf("%s, %s: %+v after %v", text, q.name, b, below)
				}
				if below = b.First; i > 0 && w.breaks[i-1].Above != b.Below {
					t.Errorf("%s, %s: %s ends where %s has won", text, q.name, b.Below, w.breaks[i-1].Above)
				}
			}
		}
	}
	if found < 12 {
		t.Errorf("only %d break-even points", found)
	}
}

func checkBreak(t *testing.T, w *walk, b BreakEven) {
	t.Helper()
	below, above := slices.Index(w.kinds, b.Below), slices.Index(w.kinds, b.Above)
	last, first := w.at(b.Last).US, w.at(b.First).US
	if last[below] > last[above] || first[above] > first[below] || b.Below == b.Above {
		t.Errorf("%s: %+v, but %v and %v us at the last, %v and %v us at the first", w.name, b, last[below],
			last[above], first[below], first[above])
	}
	if _, wide := w.between(b.Last, b.First); wide || b.Last >= b.First {
		t.Errorf("%s: %+v is not narrow", w.name, b)
	}
	apart := false
	for _, us := range outwardOf(w, b) {
		apart = apart || us[1] > (1+tuner.TieBand)*us[0]
	}
	if !apart {
		t.Errorf("%s: behind %+v the kinds are tied", w.name, b)
	}
}

// outwardOf returns the times of the winning and the losing kind at the values further out than a
// break-even point.
func outwardOf(w *walk, b BreakEven) (list [][2]float64) {
	winner, loser := slices.Index(w.kinds, b.Above), slices.Index(w.kinds, b.Below)
	outer := func(v float64) bool { return v >= b.First }
	if b.First <= w.here {
		winner, loser = loser, winner
		outer = func(v float64) bool { return v <= b.Last }
	}
	for _, v := range w.grid {
		if outer(v) {
			list = append(list, [2]float64{w.at(v).US[winner], w.at(v).US[loser]})
		}
	}
	return list
}

// TestHere: at the value of the stream each sweep has the very statistics of the stream.
func TestHere(t *testing.T) {
	for _, text := range []string{"uniform:n=5000,k=77", "sorted:n=4096,k=900", "runs:n=100000,k=9000"} {
		s, _ := made(t, text)
		for _, q := range newMaker(s).quantities() {
			if got, err := q.stats(q.here); err != nil || got != *s.Stats {
				t.Errorf("%s, %s: %v, %+v, want %+v", text, q.name, err, got, *s.Stats)
			}
			if !slices.IsSorted(q.grid) || !slices.Contains(q.grid, q.here) {
				t.Errorf("%s, %s: %v lacks %v", text, q.name, q.grid, q.here)
			}
		}
	}
}

// TestAround: three sweeps with a line for each kind that wins, none of a stream of one block.
func TestAround(t *testing.T) {
	c := chooser(t, "gtx980")
	s, _ := made(t, "uniform:n=512,k=300")
	pick, err := c.Pick(s.Stats)
	tunertest.Must(t, err)
	list, err := Around(s, c, pick.Variant)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d sweeps, %v", len(list), err)
	}
	for i, sweep := range list {
		if want := []Quantity{Updates, Targets, Contention}[i]; sweep.Quantity != want || sweep.Held == "" {
			t.Errorf("%s, held %q, want %s", sweep.Quantity, sweep.Held, want)
		}
		if len(sweep.Lines) < 1 || len(sweep.WarpLevels) != len(sweep.Places) {
			t.Errorf("%s: %d lines, %d levels", sweep.Quantity, len(sweep.Lines), len(sweep.WarpLevels))
		}
		for _, l := range sweep.Lines {
			if len(l.US) != len(sweep.Places) {
				t.Errorf("%s, %s: %d times of %d", sweep.Quantity, l.Kind, len(l.US), len(sweep.Places))
			}
		}
	}
	short, _ := made(t, "uniform:n=511,k=300")
	if list, err := Around(short, c, pick.Variant); err != nil || list != nil {
		t.Errorf("%d sweeps around a short stream, %v", len(list), err)
	}
}
