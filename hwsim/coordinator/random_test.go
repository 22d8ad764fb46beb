package coordinator

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// small is an HD 5870 with a few lanes and compute units, so that many runs
// take little time.
func small(t testing.TB, lanes, units int) *device.Profile {
	t.Helper()
	builtin, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	d := *builtin
	d.Core.WarpLanes.Value, d.Core.SMs.Value = float64(lanes), float64(units)
	return &d
}

// contents says what a random kernel may hold.
type contents struct {
	several  bool // addresses in a statement
	groups   int  // at most
	positive bool // operands that never come back to an old value
	ops      []Op // one each statement, none for additions; of small values, so that comparisons hold
}

// draw makes a kernel: lanes, variables, branches and pauses at random.
func draw(rng *rand.Rand, lanes int, c contents) *Kernel {
	k := &Kernel{Variables: make([]uint32, 1+rng.IntN(3))}
	for v := range k.Variables {
		k.Variables[v] = uint32(rng.IntN(5)) - 2
	}
	fronts := 1 + rng.IntN(2)
	for range 1 + rng.IntN(c.groups) {
		var g Workgroup
		for range fronts {
			var f Wavefront
			for range rng.IntN(4) {
				f = append(f, c.statement(rng, lanes, len(k.Variables)))
			}
			g = append(g, f)
		}
		k.Groups = append(k.Groups, g)
	}
	return k
}

func (c contents) statement(rng *rand.Rand, lanes, variables int) Statement {
	var s Statement
	if rng.IntN(3) == 0 {
		s.Before.Cycles = rng.IntN(500)
	}
	if len(c.ops) > 0 {
		s.Op = c.ops[rng.IntN(len(c.ops))]
	}
	variable := rng.IntN(variables)
	share := rng.Float64()
	for lane := range lanes {
		if rng.Float64() > share {
			continue
		}
		if c.several {
			variable = rng.IntN(variables)
		}
		u := Update{Lane: lane, Variable: variable, Operand: uint32(rng.IntN(6)) - 2}
		if c.positive {
			u.Operand = 1 + rng.Uint32N(1000)
		}
		if s.Op == CompareExchange {
			u.Expected = uint32(rng.IntN(6)) - 2
		}
		s.Updates = append(s.Updates, u)
	}
	return s
}

// sums is what so many additions make of the variables.
func sums(k *Kernel) (final []uint32, n int) {
	final = append(final, k.Variables...)
	for _, g := range k.Groups {
		for _, f := range g {
			for _, s := range f {
				for _, u := range s.Updates {
					final[u.Variable] += u.Operand
					n++
				}
			}
		}
	}
	return final, n
}

// TestRuns is the protocol under late visibility. ATOMTUNE_FULL makes five times as many
// runs.
func TestRuns(t *testing.T) {
	cases := map[string]struct {
		contents
		runs int
	}{
		"add":       {contents{groups: 6, positive: true}, 1000},
		"addresses": {contents{groups: 5, positive: true, several: true}, 600},
		"signed":    {contents{groups: 5, several: true}, 800},
		"exchange":  {contents{groups: 5, several: true, positive: true, ops: []Op{Exchange}}, 300},
		"compare":   {contents{groups: 5, several: true, ops: []Op{CompareExchange}}, 400},
		"mixed":     {contents{groups: 6, ops: []Op{Add, Exchange, CompareExchange}}, 400},
	}
	full := golden.Full()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			runs, checked, ordered := c.runs, 0, 0
			if full {
				runs *= 5
			}
			for seed := range uint64(runs) {
				rng := rand.New(rand.NewPCG(seed, 1))
				d := small(t, 4, 20)
				k := draw(rng, 4, c.contents)
				o := Options{
					Device: d, Regime: Late{Seed: seed, Longest: 8 << rng.IntN(5)},
					AsPrinted: rng.IntN(2) == 0, Persistent: rng.IntN(2) == 0,
				}
				if o.Persistent {
					d.Core.MaxBlocks.Value, d.Core.SMs.Value = 3, 1
				}
				r, err := Run(k, o)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				v, err := Check(k.Variables, &r)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				want, n := sums(k)
				if v.Operations != n || len(c.ops) == 0 && !slices.Equal(r.Final, want) {
					t.Fatalf("seed %d: %d operations of %d, variables end as %d, want %d", seed, v.Operations, n,
						r.Final, want)
				}
				checked += v.Operations
				ordered += v.Ordered
			}
			if checked < runs || (c.positive && ordered < runs) {
				t.Errorf("%d operations in %d runs, %d variables with one order", checked, runs, ordered)
			}
		})
	}
}
