package coordinator

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestStream runs index streams with several addresses in a wavefront, more
// workgroups than fit, and a last wavefront that is not full.
func TestStream(t *testing.T) {
	for _, c := range []struct {
		n, bins, groups int
		regime          Regime
	}{
		{5000, 1, 200, Paths{}}, {5000, 64, 200, Paths{}}, {3001, 3, 7, Late{Seed: 5}},
		{64, 64, 1, Late{Seed: 6}},
	} {
		rng := rand.New(rand.NewPCG(uint64(c.n), 4))
		indices, values, want := make([]uint32, c.n), make([]uint32, c.n), make([]uint32, c.bins)
		for i := range indices {
			indices[i], values[i] = rng.Uint32N(uint32(c.bins)), rng.Uint32()
			want[indices[i]] += values[i]
		}
		k, err := Call{Device: builtin(t)}.kernel(indices, values, c.bins, c.groups)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(k, Options{Device: builtin(t), Regime: c.regime, Persistent: true})
		if err == nil {
			_, err = Check(k.Variables, &r)
		}
		if err != nil || !slices.Equal(r.Final, want) || len(r.History) != c.n {
			t.Errorf("%d updates of %d: %v, final values equal %v", c.n, c.bins, err,
				slices.Equal(r.Final, want))
		}
	}
}
