package tuner_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/online"
)

// answered is one of the calls that goroutines make at the same time, and what it gives alone.
type answered struct {
	name string
	ask  func() (any, error)
	want any
}

// TestConcurrent: 1,000 goroutines that ask Choose, ChooseSampled, a Chooser and an Online, all of
// them shared, get what each gets alone. ATOMTUNE_FULL=1 has them ask for a minute.
func TestConcurrent(t *testing.T) {
	const goroutines = 1000
	d := tunertest.Profile(t, "h200")
	budget := tuner.SamplingBudget{Launches: 1000}
	searching := tuner.Options{SearchLaunch: true}
	searched, err := tuner.NewChooser(d, searching)
	if err != nil {
		t.Fatal(err)
	}
	ruled, err := tuner.NewChooser(d, tuner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var calls []*answered
	var streams []*collision.Stats
	add := func(name string, ask func() (any, error)) {
		calls = append(calls, &answered{name: name, ask: ask})
	}
	for _, label := range []string{"uniform:n=4000,k=50", "zipf:n=70000,k=1000,s=1.3", "sorted:n=3000,k=7",
		"hotspot:n=5000,k=100000,h=2,p=0.8", "constant:n=2048,k=1"} {
		spec, err := synth.Parse(label)
		if err != nil {
			t.Fatal(err)
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		bins, s := uint64(spec.K), tunertest.Analyze(t, label)
		streams = append(streams, s)
		add("Choose "+label, func() (any, error) { return tuner.Choose(s, d, searching) })
		add("Chooser.Choose "+label, func() (any, error) { return searched.Choose(s) })
		add("Pick "+label, func() (any, error) { return searched.Pick(s) })
		add("PickSampled "+label, func() (any, error) {
			pick, sampling, err := ruled.PickSampled(indices, bins, budget)
			return []any{pick, sampling}, err
		})
		add("ChooseSampled "+label, func() (any, error) {
			return tuner.ChooseSampled(indices, bins, d, tuner.Options{}, budget)
		})
	}
	for _, c := range calls {
		if c.want, err = c.ask(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
	learning, err := online.New(d, online.Options{Keys: goroutines})
	if err != nil {
		t.Fatal(err)
	}
	learnt := learn(t, learning, "alone", streams, nil)
	end := time.Now()
	if os.Getenv("ATOMTUNE_FULL") != "" {
		end = end.Add(time.Minute)
	}
	var all sync.WaitGroup
	var asked atomic.Int64
	for g := range goroutines {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 0))
			for begun := false; !begun || time.Now().Before(end); begun = true {
				if !begun && g%4 == 1 {
					learn(t, learning, fmt.Sprint(g), streams, learnt)
					continue
				}
				c := calls[random.IntN(len(calls))]
				if got, err := c.ask(); err != nil || !reflect.DeepEqual(got, c.want) {
					t.Errorf("%s: %+v, %v, alone it is %+v", c.name, got, err, c.want)
				}
				asked.Add(1)
			}
		})
	}
	all.Wait()
	t.Logf("%d answers", asked.Load())
}

// learn has an Online choose for launches under a key, each of which takes as long as predicted, and
// returns the choices. They must be those that are given.
func learn(t *testing.T, on *online.Online, key string, streams []*collision.Stats,
	want []string) (chosen []string) {
	for i := range 10 {
		l, err := on.Next(key, streams[i%len(streams)])
		if err == nil {
			err = on.Observe(l, l.PredictedUS)
		}
		if err != nil {
			t.Errorf("key %s: %v", key, err)
			return nil
		}
		chosen = append(chosen, fmt.Sprint(l.Variant, l.PredictedUS))
	}
	if want != nil && !reflect.DeepEqual(chosen, want) {
		t.Errorf("key %s: %q, alone it is %q", key, chosen, want)
	}
	return chosen
}
