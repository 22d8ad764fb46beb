package casloop

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// interleavings of each survey; with ATOMTUNE_FULL=1 five times as many.
func interleavings() int {
	if golden.Full() {
		return 10000
	}
	return 2000
}

// contention draws the seed'th run: 2 to 4 groups of 1 to 4 lanes, 1 to 4 updates
// each, of any operation and type, by operands of 1 to 2.
func contention(seed uint64, l Listing) Options {
	random := rand.New(rand.NewPCG(seed, 1))
	o := Options{
		Listing: l, Op: device.Ops()[random.IntN(6)], Type: []device.Type{device.F32,
			device.F64}[random.IntN(2)],
		Groups: 2 + random.IntN(3), Lanes: 1 + random.IntN(4), Seed: seed,
	}
	number := func() uint64 {
		f := 1 + random.Float64()
		if o.Type == device.F64 {
			return bits64(f)
		}
		return uint64(bits32(float32(f)))
	}
	o.Initial = number()
	for range o.Groups * o.Lanes * (1 + random.IntN(4)) {
		o.Operands = append(o.Operands, Operand{A: number(), B: number()})
	}
	return o
}

// serial makes the updates one after another.
func serial(t *testing.T, o *Options, updates []Operand) uint64 {
	t.Helper()
	f, err := FuncOf(o.Op, o.Type)
	if err != nil {
		t.Fatal(err)
	}
	value := o.Initial
	for _, x := range updates {
		value = f(value, x)
	}
	return value
}

// census is what became of many runs.
type census struct {
	lossy, overwritten, stuck int // runs with an update lost, overwritten, that could not go on
	updates, exchanges        int
}

// survey executes the interleavings and checks what holds under every model: that
// updates are made or missing, and that those made give the target in the order
// of their exchanges if none was overwritten.
func survey(t *testing.T, l Listing, change func(*Options)) census {
	t.Helper()
	var c census
	for seed := range uint64(interleavings()) {
		o := contention(seed, l)
		change(&o)
		r, err := Run(o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Made)+r.Missing != len(o.Operands) || r.Exchanges < len(r.Made) ||
			r.Accesses < r.Exchanges {
			t.Fatalf("run %d: %d made and %d missing of %d updates", seed, len(r.Made), r.Missing,
				len(o.Operands))
		}
		if want := serial(t, &o, r.Made); r.Overwritten == 0 && r.Final != want {
			t.Fatalf("run %d: %s listing, %s on %s ends at %#x, its updates in their order at %#x", seed, l,
				o.Op, o.Type, r.Final, want)
		}
		if limit := len(o.Operands) * (1 + o.Groups*o.Lanes); l == Second && r.Exchanges > limit && o.Refresh == 0 &&
			!o.Split {
			t.Fatalf("run %d: %d exchanges for %d updates, more than %d", seed, r.Exchanges, len(o.Operands), limit)
		}
		c.updates += len(o.Operands)
		c.exchanges += r.Exchanges
		c.lossy += min(1, r.Lost())
		c.overwritten += min(1, r.Overwritten)
		if r.Stuck {
			c.stuck++
		}
	}
	return c
}

// TestListings: where copies stay, most runs of the first listing end with lanes that can never make
// their update, and those of the second, under the same model, make every one: an exchange fails only
// for a stale first read, or because another one succeeded after the value was learnt. Where copies go
// now and then, or every read is of memory, the first makes every update as well. Where the compiler
// may read twice, or the comparison and the store are two accesses, both overwrite updates, whatever
// they read; the second listing still makes all of them. Where copies go now and then the first listing
// needs twice as many exchanges as the second; where every read is of memory it needs about as many.
func TestListings(t *testing.T) {
	perUpdate := map[string]float64{}
	for _, c := range []struct {
		name               string
		listing            Listing
		refresh            float64
		twice, split       bool
		overwritten, stuck float64 // the least share of the runs; where it is 0 none
	}{
		{"copies", First, 0, false, false, 0, 0.9}, {"copies", Second, 0, false, false, 0, 0},
		{"rare reads", First, 1. / 16, false, false, 0, 0}, {"rare reads", Second, 1. / 16, false, false, 0, 0},
		{"fresh reads", First, 1, false, false, 0, 0}, {"fresh reads", Second, 1, false, false, 0, 0},
		{"reads twice", First, 1, true, false, 0.25, 0}, {"reads twice", Second, 1, true, false, 0.25, 0},
		{"split", First, 0, false, true, 0.25, 0.01}, {"split", Second, 0, false, true, 0.25, 0},
		{"split, fresh", First, 1, false, true, 0.25, 0}, {"split, fresh", Second, 1, false, true, 0.25, 0},
	} {
		n := survey(t, c.listing, func(o *Options) { o.Refresh, o.ReadTwice, o.Split = c.refresh, c.twice, c.split })
		for what, of := range map[string]struct {
			runs  int
			share float64
		}{"overwrite": {n.overwritten, c.overwritten}, "are stuck": {n.stuck, c.stuck}} {
			if share := float64(of.runs) / float64(interleavings()); share < of.share || of.share == 0 && share > 0 {
				t.Errorf("%s, %s listing: %d of %d runs %s", c.name, c.listing, of.runs, interleavings(), what)
			}
		}
		if c.overwritten == 0 && n.lossy != n.stuck {
			t.Errorf("%s, %s listing: %d runs lose updates, %d are stuck", c.name, c.listing, n.lossy, n.stuck)
		}
		perUpdate[fmt.Sprint(c.name, c.listing)] = float64(n.exchanges) / float64(n.updates)
	}
	for name, bounds := range map[string][2]float64{"rare reads": {2, math.Inf(1)}, "fresh reads": {0, 1.5}} {
		first, second := perUpdate[fmt.Sprint(name, First)], perUpdate[fmt.Sprint(name, Second)]
		if first < bounds[0]*second || first > bounds[1]*second {
			t.Errorf("%s, exchanges per update: %.2f and %.2f", name, first, second)
		}
	}
}

// TestRunIsRepeatable: the seed decides the order, and the caller's operands stay.
func TestRunIsRepeatable(t *testing.T) {
	o := contention(7, Second)
	before := fmt.Sprint(o)
	first, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Run(o)
	if err != nil || fmt.Sprint(first) != fmt.Sprint(again) || fmt.Sprint(o) != before {
		t.Errorf("%v, then %v, %v", first, again, err)
	}
	o.Seed++
	if other, err := Run(o); err != nil || fmt.Sprint(other) == fmt.Sprint(first) {
		t.Errorf("seed %d gives the run of seed %d, %v", o.Seed, o.Seed-1, err)
	}
}

// TestLimit: the limit ends a run, and what is missing is counted.
func TestLimit(t *testing.T) {
	o := contention(3, Second)
	o.Limit = 5
	r, err := Run(o)
	if err != nil || r.Accesses != 5 || r.Stuck || r.Missing != len(o.Operands)-len(r.Made) ||
		r.Lost() == 0 {
		t.Errorf("after 5 accesses: %+v, %v", r, err)
	}
}

// TestOptions: what describes no run is an error.
func TestOptions(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"listing": func(o *Options) { o.Listing = 0 },
		"groups":  func(o *Options) { o.Groups = 0 },
		"lanes":   func(o *Options) { o.Lanes = -1 },
		"operands": func(o *Options) {
			o.Operands = o.Operands[1:]
			o.Groups, o.Lanes = 2,
				len(o.Operands)
		},
		"none":    func(o *Options) { o.Operands = nil },
		"refresh": func(o *Options) { o.Refresh = 1.5 },
		"limit":   func(o *Options) { o.Limit = -1 },
	} {
		o := contention(1, First)
		change(&o)
		if _, err := Run(o); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	o := contention(1, First)
	o.Type = device.I32
	if _, err := Run(o); !errors.Is(err, ErrOp) {
		t.Errorf("i32: error %v", err)
	}
}

// Two work-groups add once each. Where the second one reads before the first one's
// exchange, which it does in half of the orders, its copy is stale for ever.
func ExampleRun() {
	for _, l := range []Listing{First, Second} {
		lossy := 0
		for seed := range uint64(1000) {
			one := Operand{A: uint64(bits32(1))}
			r, err := Run(Options{
				Listing: l, Op: device.Add, Type: device.F32, Groups: 2, Lanes: 1, Seed: seed,
				Operands: []Operand{one, one},
			})
			if err != nil {
				fmt.Println(err)
				return
			}
			if r.Lost() > 0 {
				lossy++
			}
		}
		fmt.Printf("%s listing: %d of 1000 runs lose an update\n", l, lossy)
	}
	// Output:
	// first listing: 530 of 1000 runs lose an update
	// second listing: 0 of 1000 runs lose an update
}
