package online_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/online"
)

// refused checks that a launch is not to be observed, for a reason that the
// error tells, and that nothing is learnt of it.
func refused(t *testing.T, on *online.Online, l online.Launch, why string) {
	t.Helper()
	before, err := on.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := on.Observe(l, 10); !errors.Is(err, online.ErrObservation) ||
		!strings.Contains(err.Error(), why) {
		t.Errorf("error %v, want one with %q", err, why)
	}
	if after, err := on.Encode(); err != nil || !slices.Equal(after, before) {
		t.Errorf("%s: something was learnt, %v", why, err)
	}
}

// TestOnlineObservesOnce: each launch is observed once, in any order, also after
// a time that none takes; and none that Next has not chosen, or that is too old.
func TestOnlineObservesOnce(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	on := newOnline(t, online.Options{})
	var launched []online.Launch
	for range 1025 {
		launched = append(launched, next(t, on, "a", s))
	}
	refused(t, on, launched[0], "1024 more were chosen since")
	if err := on.Observe(launched[1], -1); !errors.Is(err, online.ErrObservation) {
		t.Errorf("a negative time: %v", err)
	}
	for i := len(launched) - 1; i > 0; i-- {
		observe(t, on, launched[i], 10)
		if i%100 == 1 {
			refused(t, on, launched[i], "observed already")
		}
	}
	known, err := on.Learnt("a")
	if err != nil || known.Launches != 1024 {
		t.Errorf("%d launches, %v", known.Launches, err)
	}
	refused(t, on, known.Best, "not chosen by Next")
}

// TestOnlineLaunchesEnd: a launch from before Forget or Decode is not one of
// those that are chosen later under its key.
func TestOnlineLaunchesEnd(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	on := newOnline(t, online.Options{})
	forgotten := next(t, on, "a", s)
	on.Forget("a")
	loaded := next(t, on, "a", s)
	refused(t, on, forgotten, "forgotten")
	state, err := on.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := on.Decode(state); err != nil {
		t.Fatal(err)
	}
	now := next(t, on, "a", s)
	refused(t, on, loaded, "loaded since")
	observe(t, on, now, 10)
}

// TestOnlineKeys: the empty key is one like any other; what is no text cannot be
// saved, and is refused.
func TestOnlineKeys(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	on := newOnline(t, online.Options{})
	observe(t, on, next(t, on, "", s), 10)
	if _, err := on.Next("a\xff", s); !errors.Is(err, model.ErrOptions) ||
		!strings.Contains(err.Error(), `"a\xff"`) {
		t.Errorf("a key that is no text: %v", err)
	}
	state, err := on.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back := newOnline(t, online.Options{})
	if err := back.Decode(state); err != nil {
		t.Fatal(err)
	}
	if keys := back.Keys(); !slices.Equal(keys, []string{""}) {
		t.Errorf("keys %q", keys)
	}
	if known, err := on.Learnt(""); err != nil || known.Launches != 1 {
		t.Errorf("%+v, %v", known, err)
	}
}
