package tuner_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// answered is one of the calls that goroutines make at the same time, and what it gives alone.
type answered struct {
	name string
	ask  func() (any, error)
	want any
}

// TestConcurrent: 300 goroutines that ask Choose, ChooseSampled and a Chooser, which is shared, get what
// each gets alone.
func TestConcurrent(t *testing.T) {
	d, budget := tunertest.Profile(t, "h200"), tuner.SamplingBudget{Launches: 1000}
	searching := tuner.Options{SearchLaunch: true}
	searched, ruled := chooser(t, d, searching), chooser(t, d, tuner.Options{})
	var calls []*answered
	add := func(name string, ask func() (any, error)) {
		want, err := ask()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		calls = append(calls, &answered{name, ask, want})
	}
	for _, label := range []string{"uniform:n=4000,k=50", "zipf:n=70000,k=1000,s=1.3", "sorted:n=3000,k=7",
		"hotspot:n=5000,k=100000,h=2,p=0.8", "constant:n=2048,k=1"} {
		indices, bins := tunertest.Generate(t, label)
		s := tunertest.Analyze(t, label)
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
	var all sync.WaitGroup
	for g := range 300 {
		all.Go(func() {
			for i := range 2 {
				c := calls[(7*g+i)%len(calls)]
				if got, err := c.ask(); err != nil || !reflect.DeepEqual(got, c.want) {
					t.Errorf("%s: %+v, %v, alone it is %+v", c.name, got, err, c.want)
				}
			}
		})
	}
	all.Wait()
}
