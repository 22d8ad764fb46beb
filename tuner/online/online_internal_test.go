package online

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// world is a simulated device: implementation i takes scale·exp(ln + theta) with
// noise.
type world struct {
	ln, half, theta []float64
	sigma           float64 // of ln(time)
	spikes          float64 // share of launches that take longer, up to 5 times
	warmup          float64 // factor of an implementation's first launch
	sizes           float64 // standard deviation of ln(scale)
	launched        []int
	rand            *rand.Rand
}

func drawWorld(t *rapid.T) *world {
	n := rapid.IntRange(1, 18).Draw(t, "implementations")
	w := &world{
		sigma:    rapid.Float64Range(0, 0.1).Draw(t, "noise"),
		spikes:   rapid.SampledFrom([]float64{0, 0, 0.02}).Draw(t, "spikes"),
		warmup:   rapid.SampledFrom([]float64{1, 1.5, 50}).Draw(t, "warm-up"),
		sizes:    rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "sizes"),
		launched: make([]int, n),
		rand:     rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)),
	}
	ties := rapid.Bool().Draw(t, "ties")
	for range n {
		half := rapid.Float64Range(leastHalf, 1.2).Draw(t, "half")
		w.half = append(w.half, half)
		w.theta = append(w.theta, rapid.Float64Range(-half, half).Draw(t, "theta"))
		ln := rapid.Float64Range(0, 2).Draw(t, "ln")
		if ties { // all of them take the same time, whatever was predicted
			ln = 1 - w.theta[len(w.theta)-1]
		}
		w.ln = append(w.ln, ln)
	}
	return w
}

// launch sets the forecasts of a launch and returns the noise-free times.
func (w *world) launch(k *record) []float64 {
	scale := w.sizes * w.rand.NormFloat64()
	times := make([]float64, len(w.ln))
	for i := range w.ln {
		k.forecasts[i] = forecast{w.ln[i] + scale, w.half[i]}
		times[i] = math.Exp(w.ln[i] + scale + w.theta[i])
	}
	return times
}

// measure returns what a launch reads.
func (w *world) measure(i int, us float64) float64 {
	us *= math.Exp(w.sigma * w.rand.NormFloat64())
	if w.launched[i]++; w.launched[i] == 1 {
		us *= w.warmup
	}
	if w.rand.Float64() < w.spikes {
		us *= 1.5 + 3.5*w.rand.Float64()
	}
	return us
}

// run makes so many launches and returns the noise-free time of those played
// and that of each implementation, had it been played throughout.
func (w *world) run(k *record, r rules, launches int) (played float64, fixed []float64) {
	fixed = make([]float64, len(w.ln))
	for range launches {
		times := w.launch(k)
		i := k.decide(r)
		for j, us := range times {
			fixed[j] += us
		}
		played += times[i]
		us := w.measure(i, times[i])
		k.observe(i, math.Log(us)-k.forecasts[i].ln, us, r)
	}
	return played, fixed
}

func testRules(t testing.TB, o Options) (Options, rules) {
	t.Helper()
	o, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	return o, o.rules()
}

// TestBoundHolds: in every world whose times lie in the ranges of their
// forecasts, with spikes and slow first launches too, no more was lost than
// LostUS at any moment that is read, nor than what was promised earlier.
func TestBoundHolds(t *testing.T) {
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		o, r := testRules(t, Options{
			Epsilon:    rapid.SampledFrom([]float64{0.02, 0.05, 0.2}).Draw(rt, "epsilon"),
			Patience:   rapid.SampledFrom([]float64{1, 8, 128}).Draw(rt, "patience"),
			Confidence: 1 - 1e-6,
		})
		if lost, promised := drawWorld(rt).boundUsed(o, r); !(lost <= 1 && promised <= 1) {
			rt.Fatalf("%v of LostUS was lost, and %v of what was promised", lost, promised)
		}
		runs++
	})
	if runs < 20 {
		t.Errorf("only %d runs", runs)
	}
}

// TestBoundCountsTheWidth: where what is launched first is as slow as its range allows, more is lost
// than its estimate says, and no more than the end of its interval.
func TestBoundCountsTheWidth(t *testing.T) {
	o, r := testRules(t, Options{Epsilon: 0.02, Patience: 1, Confidence: 1 - 1e-6})
	w := &world{
		ln: []float64{1, 1, 1, 1}, half: []float64{1.2, 1.2, 1.2, 1.2},
		theta: []float64{1.2, 1.2, 1.2, -0.5},
		sigma: 0.1, warmup: 1, launched: make([]int, 4), rand: rand.New(rand.NewPCG(1, 7)),
	}
	if lost, promised := w.boundUsed(o, r); !(lost <= 1 && promised <= 1) {
		t.Errorf("%v of LostUS was lost, and %v of what was promised", lost, promised)
	}
}

// boundUsed returns the greatest share of LostUS, and of LostUS + ToComeUS at an
// earlier moment, that launches have lost in 500 launches.
func (w *world) boundUsed(o Options, r rules) (lost, promised float64) {
	k := newRecord(len(w.ln), o.Noise)
	played, fixed := 0.0, make([]float64, len(w.ln))
	promise := math.Inf(1)
	for _, launches := range []int{1, 19, 80, 400} {
		more, each := w.run(k, r, launches)
		played += more
		for i := range fixed {
			fixed[i] += each[i]
		}
		b := k.bound(o, r)
		excess := played - (1+b.Epsilon)*slices.Min(fixed)
		if excess > 0 {
			lost, promised = max(lost, excess/b.LostUS), max(promised, excess/promise)
		}
		if w.sizes == 0 && launches > 1 {
			promise = min(promise, b.LostUS+b.ToComeUS)
		}
	}
	return lost, promised
}

// TestBoundSaysSomething: where the best is predicted to be slow, at the end of
// its range, a good part of LostUS is lost; and after 2,000 launches, both figures
// together are a small share of their time.
func TestBoundSaysSomething(t *testing.T) {
	o, r := testRules(t, Options{Epsilon: 0.02, Patience: 8})
	used := 0.0
	for seed := range uint64(5) {
		adverse := func() *world {
			return &world{
				ln: []float64{0, 0.3, 0.3, 0.3}, half: []float64{0.3, 0.3, 0.3, 0.3},
				theta: []float64{0.3, 0.3, 0.3, -0.3},
				sigma: 0.01, warmup: 1, launched: make([]int, 4), rand: rand.New(rand.NewPCG(seed, 5)),
			}
		}
		lost, _ := adverse().boundUsed(o, r)
		used = max(used, lost)
		k := newRecord(4, o.Noise)
		_, fixed := adverse().run(k, r, 2000)
		if b := k.bound(o, r); !(b.LostUS+b.ToComeUS < 0.1*slices.Min(fixed)) {
			t.Errorf("after 2,000 launches of %v us: %+v", slices.Min(fixed), b)
		}
	}
	if !(used > 0.2) {
		t.Errorf("at most %v of LostUS is lost", used)
	}
}

// TestConverges: with a clear best implementation, of which the model thinks
// least, the launches come to cost what it costs.
func TestConverges(t *testing.T) {
	for _, c := range []struct {
		name                  string
		sigma, spikes, warmup float64
		launches              int
		before                int // launches that are not read
	}{
		{"constant", 0, 0, 1, 1000, 6000},
		{"noise of 1 %", 0.01, 0, 1, 1000, 6000},
		{"noise of 10 %", 0.1, 0, 1, 1000, 12000},
		{"spikes and warm-up", 0.03, 0.02, 50, 1000, 12000},
	} {
		for seed := range uint64(3) {
			o, r := testRules(t, Options{Epsilon: 0.02, Patience: 8})
			w := &world{
				ln:    []float64{0, 0.1, 0.2, 0.5, 0.6},
				half:  []float64{0.3, 0.3, 0.3, 0.7, 0.9},
				theta: []float64{0.1, 0.2, -0.1, 0.3, -0.65},
				sigma: c.sigma, spikes: c.spikes, warmup: c.warmup, launched: make([]int, 5),
				rand: rand.New(rand.NewPCG(seed, 2)),
			}
			k := newRecord(5, o.Noise)
			w.run(k, r, c.before)
			played, fixed := w.run(k, r, c.launches)
			if ratio := played / fixed[4]; !(ratio <= 1.01) {
				t.Errorf("%s, seed %d: the last launches take %.4f times the best", c.name, seed, ratio)
			}
			if k.Restarts != 0 {
				t.Errorf("%s, seed %d: %d restarts without a change", c.name, seed, k.Restarts)
			}
		}
	}
}

// TestDrift: after the incumbent has become slower, or another faster, the best
// is found again.
func TestDrift(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"incumbent slower": func(w *world) { w.theta[0] = 0.5 },
		"another faster":   func(w *world) { w.theta[2] = -0.6 },
		"all slower":       func(w *world) { w.theta[0], w.theta[1], w.theta[2] = 0.3, 0.3, 0.3 },
	} {
		for seed := range uint64(3) {
			o, r := testRules(t, Options{Patience: 8})
			w := &world{
				ln: []float64{0, 0.1, 0.3}, half: []float64{0.4, 0.4, 0.4}, theta: []float64{0, 0, 0},
				sigma: 0.03, warmup: 1, launched: make([]int, 3), rand: rand.New(rand.NewPCG(seed, 3)),
			}
			k := newRecord(3, o.Noise)
			w.run(k, r, 2000)
			change(w)
			w.run(k, r, 6000)
			played, fixed := w.run(k, r, 1000)
			if ratio := played / min(fixed[0], fixed[1], fixed[2]); !(ratio <= 1.02) {
				t.Errorf("%s, seed %d: %.4f times the best after the change", name, seed, ratio)
			}
			if k.Restarts == 0 || k.Restarts > 3 {
				t.Errorf("%s, seed %d: %d restarts", name, seed, k.Restarts)
			}
		}
	}
}

// TestNoiseEstimate: what is put on top taken away, the noise is found within a
// third, also among spikes; and no early estimate is far off.
func TestNoiseEstimate(t *testing.T) {
	for _, sigma := range []float64{0.01, 0.1} {
		for _, spikes := range []float64{0, 0.05} {
			r := rand.New(rand.NewPCG(1, uint64(1000*sigma)))
			sum, last := 0.0, 0.0
			var n, early noise
			for i := range 3200 {
				reading := sigma * r.NormFloat64()
				if r.Float64() < spikes {
					reading += 2
				}
				n.add(reading - last)
				if early.add(reading - last); early.Sigma > 5*sigma {
					t.Fatalf("noise %v with %v spikes: %v after %d steps", sigma, spikes, early.Sigma, early.Count)
				}
				if last = reading; i%64 == 63 {
					sum, early = sum+n.Sigma, noise{}
				}
			}
			if got := sum / 50 / medianLoss / (1 + noiseMargin/8.0); math.Abs(got/sigma-1) > 0.35 {
				t.Errorf("noise %v with %v spikes: %v", sigma, spikes, got)
			}
		}
	}
}

// TestHalfWidthsCover: the share of runs in which the location of readings, with spikes and without,
// ever leaves its interval is below what is allowed for.
func TestHalfWidthsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	const sigma, half = 0.1, 0.4
	const used = medianLoss * (1 + noiseMargin/8.0) * sigma // the least that is put on top
	for _, c := range []struct {
		spikes, delta  float64
		runs, readings int
	}{{0, 0.1, 2000, 100}, {spikes, 0.1, 2000, 100}, {spikes, 1e-4, 200_000, 20}} {
		_, r := testRules(t, Options{Confidence: 1 - c.delta})
		left := 0
		for range c.runs {
			theta := half * (2*random.Float64() - 1)
			var a arm
			for range c.readings {
				reading := theta + sigma*random.NormFloat64()
				if random.Float64() < c.spikes {
					reading += 2
				}
				a.read(reading, used)
				at := a.location(r.tau(half), used)
				if a.Count >= r.first(1) && math.Abs(at-theta) > r.halfWidth(a.Count, 1, half, used) {
					left++
					break
				}
			}
		}
		if float64(left) > c.delta*float64(c.runs) {
			t.Errorf("%+v: %d left their intervals", c, left)
		}
	}
}
