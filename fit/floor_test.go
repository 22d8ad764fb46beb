package fit

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/fit/regression"
	"github.com/atomtune/atomtune/latency"
)

// TestContenders: what is said of the contenders is what is said of all structures, and no structure
// has less loss than its floor.
func TestContenders(t *testing.T) {
	for _, c := range []struct {
		name  string
		truth latency.Params
		noise float64
		fewer bool // contenders than structures
	}{
		{"exact", hopper, 0, true}, {"rounded", native, 1e-4, true}, {"noisy", swap, 0.02, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := rowsOf(warpsOf(measured(t, c.truth, c.noise, c.noise/2, 1)), "cycles")
			if err != nil {
				t.Fatal(err)
			}
			data = data.thinned()
			list := structures(data, Options{})
			all, err := fitAll(data, list, (*candidate).fit)
			if err != nil {
				t.Fatal(err)
			}
			some, err := contenders(data, list)
			if err != nil {
				t.Fatal(err)
			}
			if fewer := len(some) < len(all)/2; fewer != c.fewer {
				t.Errorf("%d contenders of %d structures", len(some), len(all))
			}
			best, same := rank(all), rank(some)
			if best.Structure != same.Structure || !cmp.Equal(best.B, same.B) || best.loss != same.loss {
				t.Errorf("%+v of the contenders, %+v of all", same.Structure, best.Structure)
			}
			if diff := cmp.Diff(alternatives(all, best), alternatives(some, same)); diff != "" {
				t.Errorf("as well (-all +contenders):\n%s", diff)
			}
			floors := floorsOf(all, data.cycles)
			for i, noise := 0, noiseOf(all); i < len(all); i++ {
				f := &floors[i]
				f.raise(noise)
				if all[i].scale < noise && !f.quieter && noise > regression.LeastScale ||
					lossOf(all[i].errs, noise)*float64(len(data.cycles)) < f.loss {
					t.Errorf("%+v: floor %v, quieter %t", all[i].Structure, f.loss, f.quieter)
				}
			}
		})
	}
}

// TestFloor: of rows that are predicted the same, one prediction reaches those that are near each other.
func TestFloor(t *testing.T) {
	c := &candidate{}
	c.Design = regression.Design{X: [][]float64{{1}, {2}}, Of: []int32{0, 1, 0, 0, 1}}
	f := floorsOf([]*candidate{c}, []float64{100, 7, 102, 150, 7})[0]
	for e, want := range map[float64]int{0: 3, 0.009: 3, 0.01: 4, 0.19: 4, 0.2: 5} {
		if got := f.within(e); got != want {
			t.Errorf("%d rows within %v, want %d", got, e, want)
		}
	}
	// Within 1, 2, 3 and 4 times 0.005 lie 3, 4, 4 and 4 of 5 rows.
	if f.raise(0.005); math.Abs(f.loss-(2*1+1*3+1*5+1*7)) > 1e-6 {
		t.Errorf("the loss is at least %v", f.loss)
	}
	if !f.quieter {
		t.Error("the errors of 3 of 5 rows can be 0")
	}
	if f.raise(regression.LeastScale); f.quieter {
		t.Error("there is no less noise than the least")
	}
}
