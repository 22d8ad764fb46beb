package calls

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/must"
)

// TestWrongResultsAreFound: one update lost, one target too many, one returned
// value given twice; every other call stays right.
func TestWrongResultsAreFound(t *testing.T) {
	faults := map[string]string{
		"update_private_sr_f32_loaded": "1 of 300", "update_match_u64_loaded": "1 of 300",
		"update_threadprivate_f64_loaded": "300", "update_vr_u32_one": "300",
		"update_naive_old_f32_loaded": "loaded", "update_hot_naive_old_u32_loaded": "loaded",
	}
	g := newCallsGPU()
	g.fault = func(name string, target, old []byte) {
		switch {
		case faults[name] == "":
		case old != nil:
			copy(old[4:8], old[:4])
		default:
			target[len(target)%8+1] ^= 0x40
			target[0] ^= 1
		}
	}
	r := must.Get(runJob(t, testSuite(g.description).jobs(tinySources(t))[1], g))(t)
	found, left := map[string]bool{}, r.Wrong
	for _, c := range r.Calls {
		if c.Origin != recordings.Measured || c.Correct {
			continue
		}
		found[c.Kernel] = true
		says := faults[c.Kernel]
		if says == "" || c.MedianUS <= 0 || len(left) == 0 {
			t.Fatalf("%s %v is wrong, the faults are in %v: %q", c.Kernel, c.Implementation, faults, r.Wrong)
		}
		if !strings.Contains(left[0], says) || !strings.HasPrefix(left[0], "runs:") {
			t.Errorf("%s: %q, want %q", c.Kernel, left[0], says)
		}
		left = left[1:]
	}
	if len(found) != len(faults) || len(left) > 0 {
		t.Errorf("faults in %v were found, and %q", found, left)
	}
}

// TestOutOfMemory at every allocation is the error, and leaves nothing behind.
func TestOutOfMemory(t *testing.T) {
	failed := 0
	for left := uint64(0); ; left += 700 {
		g := newCallsGPU()
		g.left = left
		suite := testSuite(g.description)
		suite.calls = suite.calls[:3]
		in := must.Get(suite.prepare(tinySources(t)[0]))(t)
		r, err := suite.run(context.Background(), g, in)
		if g.allocated != 0 {
			t.Fatalf("%d bytes: %d pieces are left", left, g.allocated)
		}
		if err == nil {
			if failed < 20 || len(r.Calls) == 0 {
				t.Errorf("%d bytes are enough after %d failures", left, failed)
			}
			return
		}
		if !errors.Is(err, driver.ErrMemory) {
			t.Fatalf("%d bytes: error %v", left, err)
		}
		if failed++; left > 64<<10 {
			left += 8 << 20
		}
	}
}

// TestLargeStreamIsLeftOut: a stream for which the device has no room is left out
// with a warning.
func TestLargeStreamIsLeftOut(t *testing.T) {
	g := newCallsGPU()
	const targets = 1 << 22
	g.left = 9 * targets
	suite := testSuite(g.description)
	large := source{label: "large", load: func() ([]uint32, uint64, error) {
		return make([]uint32, 3),
			targets, nil
	}}
	jobs := suite.jobs(append([]source{large}, tinySources(t)[0]))
	r, err := runJob(t, jobs[0], g)
	if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "large") ||
		r.Stream != nil || len(r.Calls) != 0 || g.allocated != 0 {
		t.Errorf("%v, %+v, %d pieces left", err, r, g.allocated)
	}
	if r, err := runJob(t, jobs[1], g); err != nil || len(r.Warnings) != 0 || len(r.Calls) == 0 {
		t.Errorf("the next stream: %v, %q", err, r.Warnings)
	}
}

func TestCallsStopWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := newCallsGPU()
	suite := testSuite(g.description)
	in := must.Get(suite.prepare(tinySources(t)[0]))(t)
	if _, err := suite.run(ctx, g, in); !errors.Is(err, context.Canceled) || g.allocated != 0 {
		t.Errorf("error %v, %d pieces left", err, g.allocated)
	}
}

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
