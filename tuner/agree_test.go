package tuner_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// agree holds Pick, the fast implementation, to Choose, the plain one: both give the same answer, with launch and
// speedup, or an error of the same kind, which makes it nil.
func agree(t rapid.TB, c *tuner.Chooser, s *collision.Stats, d *device.Profile, o tuner.Options) *tuner.Decision {
	t.Helper()
	before := *s
	full, err := c.Choose(tuner.Given(s))
	pick, fastErr := c.Pick(s)
	if *s != before {
		t.Fatalf("%s: the statistics were changed", d.Name)
	}
	if err != nil || fastErr != nil {
		if !errors.Is(err, model.ErrNone) || !errors.Is(fastErr, model.ErrNone) {
			t.Fatalf("%s, %+v: Choose: %v, Pick: %v", d.Name, o, err, fastErr)
		}
		return nil
	}
	checkDecision(t, full, o)
	first := full.Ranking[0]
	shape := d.Limits().Shape(pick.Implementation, o.Call, s.Bins, s.Updates, pick.Launch)
	ratio := full.Choice.SpeedupOverNaive
	if pick.Implementation != first.Implementation || pick.PredictedUS != first.PredictedUS || shape != first.Launch ||
		(ratio == nil) != math.IsNaN(pick.SpeedupOverNaive) || ratio != nil && *ratio != pick.SpeedupOverNaive {
		t.Fatalf("%s, %+v: Pick %+v, Choose %+v", d.Name, o, pick, full.Choice)
	}
	return &full
}

// drawOptions draws options of all sorts for a call.
func drawOptions(r *rand.Rand, call device.Call) tuner.Options {
	oneOf := func(n int) bool { return r.IntN(n) == 0 }
	call.Operand, call.Returns, call.Keeps = device.Operand(r.IntN(2)), oneOf(4), oneOf(4)
	o := tuner.Options{Call: call, Relaid: oneOf(3), Deterministic: oneOf(5), NoSort: oneOf(4), Cautious: oneOf(3),
		MemoryBytes: []uint64{0, 0, 0, 1, 4096, 1 << 16}[r.IntN(6)], Calls: []int{0, 1, 2, 100, 1e6}[r.IntN(5)]}
	switch r.IntN(5) {
	case 0:
		o.SearchLaunch = true
	case 1:
		o.Launches = fixedLaunches[r.IntN(len(fixedLaunches)):][:1]
	}
	if oneOf(3) {
		list := append(impl.Candidates(), impl.Sized()...)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		o.Only = list[:1+r.IntN(len(list))]
	}
	if oneOf(8) {
		o.Exclude = impl.Candidates()[:1+r.IntN(3)]
	}
	return o
}

// TestPickAgrees compares the fast implementation with the plain one on every device, for calls and options of all
// sorts, with a model and without, whatever order the implementations are named in.
func TestPickAgrees(t *testing.T) {
	_, fitted := tunertest.Trained()
	// All global implementations are lifted to the time of naive where nothing collides.
	list := append(tunertest.Streams(t), tunertest.Analyze(t, "permuted:n=100000,k=100000"))
	r := rand.New(rand.NewPCG(1, 2))
	compared, searched, moved := 0, 0, 0
	for _, name := range golden.Devices {
		d := tunertest.Profile(t, name)
		hash := model.ProfileHash(d)
		for i := range 18 {
			call := device.Call{Type: device.Types()[i%6]}
			if i%2 > 0 {
				call.Op = device.Ops()[i/2%6]
			}
			o := drawOptions(r, call)
			if name == "h200" && r.IntN(2) == 0 {
				o.Model = measured(fitted)
			}
			c, err := tuner.New(d, o)
			if o.Cautious && errors.Is(err, model.ErrOptions) { // times without intervals
				o.Cautious = false
				c, err = tuner.New(d, o)
			}
			if err != nil {
				if !errors.Is(err, model.ErrNone) && (len(o.Launches) == 0 || !errors.Is(err, model.ErrOptions)) {
					t.Fatalf("%s, %+v: %v", name, o, err)
				}
				continue
			}
			for range 10 {
				s := *list[r.IntN(len(list))]
				if lanes := int(d.Core.WarpLanes.Value); lanes != s.WarpSize { // most figures serve as well
					s.WarpSize, s.Cover, s.Misses = lanes, collision.Cover{}, collision.Misses{}
				}
				got := agree(t, c, &s, d, o)
				if got == nil {
					continue
				}
				compared++
				if o.SearchLaunch {
					searched++
				}
				if slices.Index(o.Only, impl.Spec{}) > 0 && got.Choice.Implementation.IsNaive() {
					moved++
				}
			}
		}
		if model.ProfileHash(d) != hash {
			t.Errorf("%s: the profile was changed", name)
		}
	}
	if compared < 2000 || searched < 200 || moved < 10 {
		t.Errorf("%d choices compared, %d launches searched, %d choices of naive in other places", compared, searched, moved)
	}
}

// TestAnyStats: whatever the statistics, though no stream may have them together, both implementations give the
// same finite, ordered answer or the same kind of error.
func TestAnyStats(t *testing.T) {
	_, fitted := tunertest.Trained()
	rapid.Check(t, func(r *rapid.T) {
		d := tunertest.Profile(t, rapid.SampledFrom(device.Names()).Draw(r, "device"))
		o := tuner.Options{
			Call:          rapid.SampledFrom(tunertest.Calls()).Draw(r, "call"),
			Relaid:        rapid.Bool().Draw(r, "relaid"),
			Deterministic: rapid.Bool().Draw(r, "deterministic"),
			Calls:         rapid.IntRange(0, 1000).Draw(r, "calls"),
		}
		o.Call.Returns = rapid.Bool().Draw(r, "returns")
		if d.Name == "h200" {
			o.Model = fitted
		}
		c, err := tuner.New(d, o)
		if errors.Is(err, model.ErrNone) {
			return
		}
		tunertest.Must(r, err)
		got := agree(r, c, drawStats(r, int(d.Core.WarpLanes.Value)), d, o)
		if got == nil || got.Choice.SpeedupOverNaive == nil {
			return
		}
		if ratio := *got.Choice.SpeedupOverNaive; !(ratio > 0) || math.IsInf(ratio, 0) {
			r.Fatalf("speedup %v", ratio)
		}
	})
}

// drawStats draws statistics that pass every single check.
func drawStats(t *rapid.T, lanes int) *collision.Stats {
	updates := rapid.Uint64Range(1, 1<<36).Draw(t, "updates")
	bins := rapid.Uint64Range(1, 1<<32).Draw(t, "bins")
	unique := rapid.Uint64Range(1, min(updates, bins)).Draw(t, "unique")
	hot := rapid.Uint64Range(1, updates).Draw(t, "hot")
	chunk := rapid.Uint64Range(hot, updates).Draw(t, "chunk")
	mean := func(name string) float64 { return rapid.Float64Range(1, float64(lanes)).Draw(t, name) }
	level := func(name string, of int) float64 {
		return rapid.Float64Range(1/float64(of), 1).Draw(t, name)
	}
	return &collision.Stats{
		Updates: updates, Bins: bins, Unique: unique, WarpSize: lanes, BlockSize: 256,
		WarpLevel: level("warp", lanes), BlockLevel: level("block", 256),
		AllLevel:        float64(updates) / float64(unique),
		DistinctPerWarp: mean("distinct"), DistinctPerBlock: min(256, 8*mean("block distinct")),
		ClusteredFraction: rapid.Float64Range(0, 1).Draw(t, "clustered"),
		Runs:              rapid.Uint64Range(unique, updates).Draw(t, "runs"),
		MaxFrequency:      hot, MaxChunkFrequency4: chunk, MaxChunkFrequency8: chunk,
		SectorsPerWarp4: mean("sectors"), SectorsPerWarp8: mean("sectors 8"),
		SectorPassesPerWarp4: mean("passes"), SectorPassesPerWarp8: mean("passes 8"),
		BankDegree: mean("degree"), BankLanes: mean("lanes"),
	}
}

func TestPickDoesNotAllocate(t *testing.T) {
	_, fitted := tunertest.Trained()
	c := chooser(t, tunertest.Profile(t, "h200"), tuner.Options{Model: fitted})
	s := tunertest.Analyze(t, "uniform:n=10000,k=256")
	if n := testing.AllocsPerRun(100, func() {
		if _, err := c.Pick(s); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTimesStandAlone: what is predicted of an implementation is the same whatever else is ranked, naive or
// not.
func TestTimesStandAlone(t *testing.T) {
	_, fitted := tunertest.Trained()
	d := tunertest.Profile(t, "h200")
	all := slices.Concat(impl.Candidates(), impl.Sized())
	for _, v := range append(impl.Tables(), impl.Widths()...) {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	check := func(t rapid.TB, o tuner.Options, s *collision.Stats, some []impl.Spec) {
		t.Helper()
		ranked := func(only []impl.Spec) map[impl.Spec]tuner.Ranked {
			o.Only = only
			of := map[impl.Spec]tuner.Ranked{}
			c, err := tuner.New(d, o)
			if errors.Is(err, tuner.ErrNone) {
				return of
			}
			tunertest.Must(t, err)
			if decision := agree(t, c, s, d, o); decision != nil {
				for _, one := range decision.Ranking {
					of[one.Implementation] = one
				}
			}
			return of
		}
		beside, usual := ranked(some), ranked(nil)
		for _, v := range some {
			one, can := beside[v]
			if alone, runs := ranked([]impl.Spec{v})[v]; runs != can || !cmp.Equal(alone, one) {
				t.Fatalf("alone %+v, with %v %+v", alone, some, one)
			}
			if of, too := usual[v]; too && !cmp.Equal(of, one) {
				t.Fatalf("among the candidates %+v, with %v %+v", of, some, one)
			}
		}
	}
	list := tunertest.Streams(t)
	for i, s := range list { // what shares the targets of naive
		o := tuner.Options{Call: tunertest.Calls()[i%12], Cautious: i%2 > 0, SearchLaunch: i%3 > 0}
		if i%5 > 2 {
			o.Model = measured(fitted)
		}
		check(t, o, s, impl.Candidates()[1:7])
	}
	rapid.Check(t, func(r *rapid.T) {
		o := tuner.Options{Call: rapid.SampledFrom(tunertest.Calls()).Draw(r, "call"),
			Cautious: rapid.Bool().Draw(r, "cautious"), SearchLaunch: rapid.Bool().Draw(r, "search")}
		if rapid.Bool().Draw(r, "model") {
			o.Model = measured(fitted)
		}
		some := rapid.Permutation(all).Draw(r, "order")[:rapid.IntRange(2, 6).Draw(r, "length")]
		check(r, o, rapid.SampledFrom(list).Draw(r, "stream"), some)
	})
}

// answered is one of the calls that goroutines make at the same time, and what it gives alone.
type answered struct {
	name string
	ask  func() (any, error)
	want any
}

// TestConcurrent: 300 goroutines that ask Choose, ChooseSampled and a Chooser, which is shared, get what
// each gets alone.
func TestConcurrent(t *testing.T) {
	d, budget := tunertest.Profile(t, "h200"), tuner.SamplingBudget{Calls: 1000}
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
		add("Chooser.Choose "+label, func() (any, error) { return searched.Choose(tuner.Given(s)) })
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
