package online_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/online"
)

// newOnline returns an Online with the model of the small sweep.
func newOnline(t testing.TB, o online.Options) *online.Online {
	t.Helper()
	_, o.Model = tunertest.Trained()
	on, err := online.New(tunertest.Profile(t, "h200"), o)
	tunertest.Must(t, err)
	return on
}

func next(t testing.TB, on *online.Online, key string, s *collision.Stats) online.Launch {
	t.Helper()
	l, err := on.Next(key, s)
	tunertest.Must(t, err)
	return l
}

func observe(t testing.TB, on *online.Online, l online.Launch, us float64) {
	t.Helper()
	if err := on.Observe(l, us); err != nil {
		t.Fatal(err)
	}
}

func encode(t testing.TB, on *online.Online) []byte {
	t.Helper()
	state, err := on.Encode()
	tunertest.Must(t, err)
	return state
}

// TestOnlineStartsFromTheModel: the first launch of each key is what Choose says, with the predicted time of
// Choose, on every device and kind of call, or what is predicted to be faster by no more than a tie.
func TestOnlineStartsFromTheModel(t *testing.T) {
	_, fitted := tunertest.Trained()
	compared, list := 0, tunertest.Streams(t)[:15]
	for _, name := range []string{"h200", "gtx680"} {
		d := tunertest.Profile(t, name)
		for i, call := range tunertest.Calls() {
			o := tuner.Options{Call: call, Relaid: i%3 == 0, Deterministic: i%5 == 0}
			if name == "h200" {
				o.Model = fitted
			}
			on, err := online.New(d, online.Options{Options: o})
			if errors.Is(err, model.ErrNone) {
				continue
			}
			tunertest.Must(t, err)
			for j, s := range list {
				full, err := tuner.Choose(s, d, o)
				l, onErr := on.Next(fmt.Sprint(j), s)
				if err != nil || onErr != nil {
					if !errors.Is(err, model.ErrNone) || !errors.Is(onErr, model.ErrNone) {
						t.Fatalf("Choose: %v, Next: %v", err, onErr)
					}
					continue
				}
				at := slices.IndexFunc(full.Ranking, func(r tuner.Ranked) bool { return r.Implementation == l.Implementation })
				if at < 0 || math.Abs(l.PredictedUS/full.Ranking[at].PredictedUS-1) > 1e-9 || l.Trial ||
					at > 0 && (l.PredictedUS > full.Choice.PredictedUS ||
						full.Choice.PredictedUS > (1+tuner.TieBand)*l.PredictedUS) {
					t.Fatalf("%s: first launch %+v, Choose %+v", name, l, full.Choice)
				}
				compared++
			}
		}
	}
	if compared < 200 {
		t.Errorf("only %d first launches were compared", compared)
	}
}

// TestOnlineLearns: where the model's choice takes three times as long as
// predicted, another is launched after the second time; what is learnt on one
// size serves on another, and other keys know nothing of it.
func TestOnlineLearns(t *testing.T) {
	on := newOnline(t, online.Options{})
	small, large := tunertest.Analyze(t, "uniform:n=100000,k=256"),
		tunertest.Analyze(t, "uniform:n=200000,k=256")
	first := next(t, on, "a", small).Implementation
	for i := range 40 {
		l := next(t, on, "a", small)
		factor := 1.0
		if l.Implementation == first {
			factor = 3
		}
		if i > 2 && !l.Trial && l.Implementation == first {
			t.Fatalf("launch %d is still %s", i, first)
		}
		us := modelUS(t, small, l.Implementation) * factor
		observe(t, on, l, us)
	}
	if l := next(t, on, "a", large); l.Implementation == first && !l.Trial {
		t.Errorf("%s is launched on a larger stream", first)
	}
	if l := next(t, on, "b", small); l.Implementation != first {
		t.Errorf("key b begins with %s, not with %s", l.Implementation, first)
	}
	known, err := on.Learnt("a")
	if err != nil || known.Best.Implementation == first || known.Launches != 40 || !(known.TotalUS > 0) {
		t.Errorf("%+v, %v", known, err)
	}
	if keys := on.Keys(); !slices.Equal(keys, []string{"a", "b"}) {
		t.Errorf("keys %q", keys)
	}
	on.Forget("a")
	if l := next(t, on, "a", small); l.Implementation != first {
		t.Errorf("a forgotten key begins with %s", l.Implementation)
	}
}

// modelUS is the time that the model of the small sweep predicts.
func modelUS(t testing.TB, s *collision.Stats, v impl.Spec) float64 {
	t.Helper()
	_, fitted := tunertest.Trained()
	d, err := tuner.Choose(s, tunertest.Profile(t, "h200"), tuner.Options{Model: fitted})
	tunertest.Must(t, err)
	i := slices.IndexFunc(d.Ranking, func(r tuner.Ranked) bool { return r.Implementation == v })
	if i < 0 {
		t.Fatalf("%s is not ranked", v)
	}
	return d.Ranking[i].PredictedUS
}

func TestOnlineErrors(t *testing.T) {
	d, s := tunertest.Profile(t, "h200"), tunertest.Analyze(t, "uniform:n=1000,k=256")
	for want, o := range map[string]online.Options{
		"Epsilon -1":   {Epsilon: -1},
		"Confidence 1": {Confidence: 1},
		"Noise NaN":    {Noise: math.NaN()},
		"Widen 0.5":    {Widen: 0.5},
		"Patience 0.5": {Patience: 0.5},
		"Cap +Inf":     {Cap: math.Inf(1)},
		"-1":           {Keys: -1},
		"Cautious":     {Options: tuner.Options{Cautious: true}},
		"99":           {Options: tuner.Options{Call: device.Call{Type: 99}}},
	} {
		if _, err := online.New(d, o); !errors.Is(err, model.ErrOptions) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	on := newOnline(t, online.Options{Keys: 1})
	for _, none := range []*collision.Stats{nil, {}} {
		if _, err := on.Next("a", none); !errors.Is(err, model.ErrStats) {
			t.Errorf("statistics of no stream: %v", err)
		}
	}
	next(t, on, "", s)
	if _, err := on.Next("a\xff", s); !errors.Is(err, model.ErrOptions) {
		t.Errorf("a key that is not text: %v", err)
	}
	if _, err := on.Next("b", s); !errors.Is(err, model.ErrOptions) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("one key too many: %v", err)
	}
}

// TestOnlineConcurrent: launches from many goroutines are all counted.
func TestOnlineConcurrent(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=1000,k=256")
	on := newOnline(t, online.Options{})
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for range 50 {
				l, err := on.Next(fmt.Sprint(g%2), s)
				if err == nil {
					err = on.Observe(l, l.PredictedUS)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, key := range []string{"0", "1"} {
		if known, err := on.Learnt(key); err != nil || known.Launches != 200 {
			t.Errorf("key %s: %+v, %v", key, known, err)
		}
	}
}

// TestOnlineDoesNotAllocate: neither on the same stream again nor on changing
// ones.
func TestOnlineDoesNotAllocate(t *testing.T) {
	on := newOnline(t, online.Options{})
	pair := []*collision.Stats{tunertest.Analyze(t, "uniform:n=10000,k=256"),
		tunertest.Analyze(t, "uniform:n=20000,k=256")}
	next(t, on, "a", pair[0])
	i := 0
	if n := testing.AllocsPerRun(200, func() {
		i++
		observe(t, on, next(t, on, "a", pair[i/3%2]), 10)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
