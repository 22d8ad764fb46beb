package online_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/online"
)

// refused checks that a launch is not to be observed and that nothing is learnt of it.
func refused(t *testing.T, on *online.Online, l online.Launch, us float64) {
	t.Helper()
	before := encode(t, on)
	if err := on.Observe(l, us); !errors.Is(err, online.ErrObservation) {
		t.Errorf("%+v, %v us: error %v", l, us, err)
	}
	if !slices.Equal(encode(t, on), before) {
		t.Errorf("%+v, %v us: something was learnt", l, us)
	}
}

// TestOnlineObservesOnce: each launch is observed once, in any order, also after a time that none takes;
// and none that Next has not chosen, that is too old, or that is from before Forget or Decode.
func TestOnlineObservesOnce(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	on := newOnline(t, online.Options{})
	var launched []online.Launch
	for range 1025 {
		launched = append(launched, next(t, on, "a", s))
	}
	refused(t, on, launched[0], 10) // 1,024 more were chosen since
	for _, us := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-300} {
		refused(t, on, launched[1], us)
	}
	for i := len(launched) - 1; i > 0; i-- {
		observe(t, on, launched[i], 10)
		if i%100 == 1 {
			refused(t, on, launched[i], 10)
		}
	}
	known, err := on.Learnt("a")
	if err != nil || known.Launches != 1024 {
		t.Errorf("%d launches, %v", known.Launches, err)
	}
	refused(t, on, known.Best, 10)
	refused(t, on, online.Launch{Key: "a"}, 1)
	forgotten := next(t, on, "a", s)
	on.Forget("a")
	refused(t, on, forgotten, 10)
	if _, err := on.Learnt("a"); !errors.Is(err, model.ErrOptions) {
		t.Errorf("nothing learnt: %v", err)
	}
	loaded := next(t, on, "a", s)
	refused(t, on, forgotten, 10)
	if err := on.Decode(encode(t, on)); err != nil {
		t.Fatal(err)
	}
	now := next(t, on, "a", s)
	refused(t, on, loaded, 10)
	observe(t, on, now, 10)
}
