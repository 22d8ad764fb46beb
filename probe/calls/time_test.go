package calls

import (
	"testing"

	"github.com/atomtune/atomtune/gpu/driver"
)

// TestRepeats: short calls are repeated most, none fewer than three times, and
// what the user says counts.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		suite suite
		us    float64
		want  int
	}{
		{suite{}, 199, 15}, {suite{}, 200, 7}, {suite{}, 2000, 3},
		{suite{Options: Options{Quick: true}}, 20, 9},
		{suite{Options: Options{Quick: true}}, 1999, 5}, {suite{Options: Options{Quick: true}}, 1e6, 3},
		{suite{Options: Options{Repeats: 2}}, 20, 2},
	} {
		if got := c.suite.repeatsOf(c.us); got != c.want {
			t.Errorf("%+v, %v us: %d repeats, want %d", c.suite, c.us, got, c.want)
		}
	}
	g := newCallsGPU()
	timed := 0
	m := &measurement{Session: driver.NewSession(t.Context(), slowly{g}), suite: &suite{}}
	if m.time(func() { timed++ }); m.Err() != nil || timed != 1+3 {
		t.Errorf("a slow call ran %d times, %v: want one to warm up and 3", timed, m.Err())
	}
}

// slowly takes 6 ms for everything.
type slowly struct{ *callsGPU }

func (s slowly) Time(enqueue func() error) (float64, error) { return 6000, enqueue() }
