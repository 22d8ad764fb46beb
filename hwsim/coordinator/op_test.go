package coordinator

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// everyWay runs a kernel whose lanes update several variables by the coordinator, with random times
// and with the device's, and by the device.
func everyWay(t *testing.T, kernel func(*rand.Rand) *Kernel, is func(k *Kernel, r Result) bool) {
	t.Helper()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		k := kernel(rng)
		d := small(t, 4, 20)
		for i, o := range []Options{
			{Regime: Late{Seed: seed, Longest: 8 << rng.IntN(5)}, AsPrinted: seed%2 == 0},
			{Regime: Late{Seed: seed}, Atomics: System}, {Regime: Paths{}},
		} {
			o.Device = d
			r, err := Run(k, o)
			if err == nil {
				_, err = Check(k.Variables, &r)
			}
			if err != nil || !is(k, r) {
				t.Fatalf("seed %d, run %d: %v, variables end as %d, history %+v", seed, i, err, r.Final, r.History)
			}
		}
	}
}

// threadsOf is a kernel of several workgroups whose lanes each execute those statements, of which
// update makes the operation.
func threadsOf(rng *rand.Rand, variables, statements int, op Op,
	update func(thread uint32, statement int) Update) *Kernel {
	k := threads(1+rng.IntN(5), 1+rng.IntN(2), 4)
	k.Variables = make([]uint32, variables)
	for _, g := range k.Groups {
		for w := range g {
			lanes := g[w][0].Updates
			g[w] = nil
			for i := range statements {
				s := Statement{Op: op}
				for lane, u := range lanes {
					thread := u.Operand
					u = update(thread, i)
					u.Lane = lane
					s.Updates = append(s.Updates, u)
				}
				g[w] = append(g[w], s)
			}
		}
	}
	return k
}

// TestExchange: all values are different, and each one is returned once or remains.
func TestExchange(t *testing.T) {
	everyWay(t, func(rng *rand.Rand) *Kernel {
		variables := 1 + rng.IntN(3)
		k := threadsOf(rng, variables, 3, Exchange, func(thread uint32, statement int) Update {
			return Update{Variable: rng.IntN(variables), Operand: 1000 + 3*thread + uint32(statement)}
		})
		for v := range k.Variables {
			k.Variables[v] = uint32(v)
		}
		return k
	}, func(k *Kernel, r Result) bool {
		in, out := slices.Clone(k.Variables), slices.Clone(r.Final)
		for _, h := range r.History {
			in, out = append(in, h.Operand), append(out, h.Old)
		}
		slices.Sort(in)
		slices.Sort(out)
		return len(r.History) > 0 && slices.Equal(in, out) && len(slices.Compact(out)) == len(in)
	})
}

// TestCompareExchange: of all threads that want to make each value the next one, one wins, and the
// last values are what the winners have made.
func TestCompareExchange(t *testing.T) {
	const variables, steps = 2, 3
	everyWay(t, func(rng *rand.Rand) *Kernel {
		return threadsOf(rng, variables, steps*variables, CompareExchange,
			func(thread uint32, statement int) Update {
				step := uint32(statement / variables)
				return Update{Variable: (statement + int(thread)) % variables, Expected: 10 * step,
					Operand: 10*step + 10}
			})
	}, func(_ *Kernel, r Result) bool {
		winners := map[state]int{}
		for _, h := range r.History {
			if h.Old == h.Expected {
				winners[state{h.Variable, h.Expected}]++
			}
		}
		for v := range variables {
			for step := range uint32(steps) {
				if winners[state{v, 10 * step}] != 1 {
					return false
				}
			}
		}
		return slices.Equal(r.Final, []uint32{10 * steps, 10 * steps})
	})
}

// TestCompareExchangeRace: every thread wants to be the first, and the others learn who was.
func TestCompareExchangeRace(t *testing.T) {
	everyWay(t, func(rng *rand.Rand) *Kernel {
		return threadsOf(rng, 1, 1, CompareExchange, func(thread uint32, _ int) Update {
			return Update{Operand: thread + 1}
		})
	}, func(_ *Kernel, r Result) bool {
		winners := 0
		for _, h := range r.History {
			if h.Old == 0 {
				winners++
			} else if h.Old != r.Final[0] {
				return false
			}
		}
		return winners == 1
	})
}

// TestRequests: a request holds operation and variable, and none is 0.
func TestRequests(t *testing.T) {
	for o := range ops {
		for _, variable := range []int{0, 1, 64, 1<<24 - 1} {
			r := requestOf(o, variable)
			if r == 0 || r.op() != o || r.variable() != variable || !r.names(requestOf(Add, variable)) ||
				r.names(requestOf(o, variable+1)) || request(0).names(r) {
				t.Errorf("operation %d on %d: request %d, of %d on %d", o, variable, r, r.op(), r.variable())
			}
		}
	}
	if _, err := Run(threadsOf(rand.New(rand.NewPCG(1, 1)), 1, 1, ops, func(uint32, int) Update {
		return Update{}
	}), Options{Device: builtin(t), Regime: Late{}}); err == nil {
		t.Error("an unknown operation is taken")
	}
}
