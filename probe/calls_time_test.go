package probe

import (
	"context"
	"testing"
)

// TestRepeats: short calls are repeated most, none fewer than three times, and
// what the user says counts.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		suite callSuite
		us    float64
		want  int
	}{
		{callSuite{}, 199, 15}, {callSuite{}, 200, 7}, {callSuite{}, 2000, 3}, {callSuite{quick: true}, 20, 9},
		{callSuite{quick: true}, 1999, 5}, {callSuite{quick: true}, 1e6, 3}, {callSuite{repeats: 2}, 20, 2},
	} {
		if got := c.suite.repeatsOf(c.us); got != c.want {
			t.Errorf("%+v, %v us: %d repeats, want %d", c.suite, c.us, got, c.want)
		}
	}
	g := newCallsGPU()
	timed := 0
	_, err := (&callSuite{}).timeCalls(context.Background(), slowly{g}, func() error { timed++; return nil })
	if err != nil || timed != 1+3 {
		t.Errorf("a slow call ran %d times, %v: want one to warm up and 3", timed, err)
	}
	if middle([]float64{1, 2, 4}) != 2 || middle([]float64{1, 2, 4, 9}) != 3 {
		t.Error("medians")
	}
}

// slowly takes 6 ms for everything.
type slowly struct{ *callsGPU }

func (s slowly) Time(enqueue func() error) (float64, error) { return 6000, enqueue() }
