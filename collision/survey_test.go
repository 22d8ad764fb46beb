package collision

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// onlyRead hides that a stream is in memory.
type onlyRead struct{ keys Indices }

func (s onlyRead) Len() int                         { return s.keys.Len() }
func (s onlyRead) Read(into []uint32, at int) error { return s.keys.Read(into, at) }

// uniform draws so many targets.
func uniform(seed uint64, updates, targets int) []uint32 {
	rng, keys := splitmix.New(seed), make([]uint32, updates)
	for i := range keys {
		keys[i] = uint32(rng.Uint64() % uint64(targets))
	}
	return keys
}

// TestSurvey: a survey finds the highest index, and of a sorted stream its stretches, as an exact
// analysis does, however the stream is read and on how many workers.
func TestSurvey(t *testing.T) {
	sorted := uniform(3, 5*stretch+17, 1<<20)
	slices.Sort(sorted)
	late := slices.Clone(sorted) // one step back, behind the first of a stretch
	late[4*stretch] = late[4*stretch-1] - 1
	for name, keys := range map[string][]uint32{
		"sorted": sorted, "one": {7}, "constant": make([]uint32, 3*stretch), "late": late,
		"random": uniform(9, 2*stretch+1, 1000), "short": uniform(9, 100, 1000),
	} {
		want := analyze(t, keys, Options{})
		for _, workers := range []int{1, 3} {
			for _, stream := range []Stream{Indices(keys), onlyRead{keys}} {
				got, err := NewSurvey(stream, Options{Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if got.Bins != want.Bins || got.Sorted != slices.IsSorted(keys) ||
					got.Sorted && got.Runs != want.Runs || !got.Sorted && got.Runs != 0 {
					t.Errorf("%s, %d workers, %T: %+v of %d bins in %d runs", name, workers, stream, got,
						want.Bins, want.Runs)
				}
			}
		}
	}
}

// TestSurveyFaults: what is out of range is named with its place, and padding is not an index.
func TestSurveyFaults(t *testing.T) {
	keys := make([]uint32, 3*stretch)
	keys[2*stretch+5] = 300
	for _, stream := range []Stream{Indices(keys), onlyRead{keys}} {
		_, err := NewSurvey(stream, Options{Bins: 300})
		if !errors.Is(err, ErrIndex) || !strings.Contains(err.Error(), "131077") {
			t.Errorf("%T: %v", stream, err)
		}
	}
	if s, err := NewSurvey(Indices(keys), Options{Bins: 400}); err != nil || s.Bins != 400 {
		t.Errorf("%+v, %v", s, err)
	}
	keys[9] = Inactive
	if s, err := NewSurvey(Indices(keys), Options{Padded: true}); err != nil || s.Bins != 301 || s.Sorted {
		t.Errorf("padded: %+v, %v", s, err)
	}
	if _, err := NewSurvey(Indices{}, Options{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty: %v", err)
	}
	if _, err := NewSurvey(Indices(keys), Options{WarpSize: -1}); !errors.Is(err, ErrOptions) {
		t.Errorf("warps of -1: %v", err)
	}
	if _, err := NewSurvey(failing{}, Options{}); !errors.Is(err, errRead) {
		t.Errorf("failing: %v", err)
	}
}

var errRead = errors.New("cannot be read")

// failing is a stream that cannot be read.
type failing struct{}

func (failing) Len() int                 { return 10 * stretch }
func (failing) Read([]uint32, int) error { return errRead }

// TestSurveyApply: of a sorted stream a sample and its survey know the stretches exactly, and the
// statistics stay such as streams have.
func TestSurveyApply(t *testing.T) {
	keys := uniform(3, 5000*256, 5000)
	for i := range keys {
		keys[i] *= 7 // so that many targets occur nowhere
	}
	p, err := NewSampler(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sorted := range []bool{false, true} {
		if sorted {
			slices.Sort(keys)
		}
		v, err := NewSurvey(Indices(keys), Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Measure(keys, v.Bins, 64)
		if err != nil {
			t.Fatal(err)
		}
		before := *s.Sampled
		exact := analyze(t, keys, Options{})
		v.Apply(&s)
		if err := s.Check(); err != nil || s.Sampled.Sorted != sorted || before.Sorted {
			t.Errorf("sorted %v: %+v, %v", sorted, s.Sampled, err)
		}
		if sorted && (!s.Grouped() || s.Runs != exact.Runs || s.Unique != exact.Unique ||
			s.AllLevel != exact.AllLevel || s.Sampled.HalfWidth.Runs != 0) {
			t.Errorf("%d stretches of %d targets, %v a target; want %d of %d, %v", s.Runs, s.Unique,
				s.AllLevel, exact.Runs, exact.Unique, exact.AllLevel)
		}
	}
}
