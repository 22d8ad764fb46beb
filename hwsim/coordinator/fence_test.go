package coordinator

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// contended draws a kernel with so many wavefronts that the coordinator's
// workgroup needs both of its own to serve them.
func contended(rng *rand.Rand, ops []Op) *Kernel {
	c := contents{positive: true, several: true, ops: ops}
	k := &Kernel{Variables: make([]uint32, 2)}
	for range 4 {
		g := make(Workgroup, 2)
		for w := range g {
			for range 2 {
				g[w] = append(g[w], c.statement(rng, 4, 2))
			}
		}
		k.Groups = append(k.Groups, g)
	}
	return k
}

// failure runs a drawn kernel with those fences, and says what goes wrong.
func failure(t *testing.T, seed uint64, f Fence, ops []Op) error {
	t.Helper()
	k := contended(rand.New(rand.NewPCG(seed, 2)), ops)
	r, err := Run(k, Options{Device: small(t, 4, 20), Regime: Late{Seed: seed}, fences: f})
	if err == nil {
		_, err = Check(k.Variables, &r)
	}
	if want, _ := sums(k); err == nil && len(ops) == 0 && !slices.Equal(r.Final, want) {
		err = errors.New("wrong sums")
	}
	return err
}

// firstFailure runs kernels until one fails, and returns nil where none does.
func firstFailure(t *testing.T, runs uint64, f Fence, ops ...Op) (seed uint64, err error) {
	t.Helper()
	for ; seed < runs && err == nil; seed++ {
		err = failure(t, seed, f, ops)
	}
	return seed - 1, err
}

// TestEveryFenceIsNeeded leaves out one fence at a time: some run must fail
// then, and none may with all of them.
func TestEveryFenceIsNeeded(t *testing.T) {
	const runs = 100
	for name, c := range map[string]struct {
		ops    []Op
		needed Fence
	}{
		"add": {nil, Mended},
		// The second and the third step are one.
		"others": {[]Op{Exchange, CompareExchange}, Mended &^ BarrierCombine},
	} {
		if seed, err := firstFailure(t, runs, Mended, c.ops...); err != nil {
			t.Fatalf("%s: all fences, run %d: %v", name, seed, err)
		}
		removed := 0
		for f := Fence(1); f <= Mended; f <<= 1 {
			if c.needed&f == 0 {
				continue
			}
			removed++
			if _, err := firstFailure(t, runs, Mended&^f, c.ops...); err == nil {
				t.Errorf("%s: no run needs the fence %d", name, f)
			}
		}
		if removed != bits.OnesCount16(uint16(c.needed)) {
			t.Errorf("%s: %d fences were removed", name, removed)
		}
	}
}

// TestPrintedFences shows that Figures 6 and 7 as printed have too few fences,
// and which ones are missing.
func TestPrintedFences(t *testing.T) {
	for _, c := range []struct {
		fences Fence
		right  bool
	}{
		{Printed | FenceChoose, false},
		{Printed | FenceChoose | FencePublish, false},
		{Printed | FenceChoose | FenceRead, false},
		{Printed | FenceChoose | FenceRelease, false},
		{Printed | FenceChoose | FencePublish | FenceRead, false},
		{Printed | FenceChoose | FencePublish | FenceRead | FenceRelease, true},
	} {
		if seed, err := firstFailure(t, 100, c.fences); (err == nil) != c.right {
			t.Errorf("with %d: run %d: %v", c.fences, seed, err)
		}
	}
}
