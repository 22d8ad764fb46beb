package hwsim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
)

// TestMadInOrder replays the updates of mad in the order in which the simulator
// made them, which the old values show: sums of positive products only grow. The
// operands are such that the result hangs on the order.
func TestMadInOrder(t *testing.T) {
	const n, bins = 3000, 5
	rng := rand.New(rand.NewPCG(4, 4))
	indices := make([]uint32, n)
	for i := range indices {
		indices[i] = uint32(rng.IntN(bins))
	}
	for _, name := range []string{"h200", "c2075", "hd5870"} {
		call := device.Call{Op: device.Mad, Type: device.F32, Returns: true}
		s := Config{Device: profile(t, name), Call: call}.session(indices, bins)
		for i := range uint64(n) {
			s.Machine.Buffers[kernel.BufValue].Set(i, arith.PatternOf(device.F32, 1+rng.Float64()))
			s.Machine.Buffers[kernel.BufFactor].Set(i, arith.PatternOf(device.F32, 1+rng.Float64()))
		}
		if err := s.Run(); err != nil {
			t.Fatal(err)
		}
		returned, final := s.Output(kernel.BufReturn), s.Output(kernel.BufTarget)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int {
			return cmp.Compare(arith.Float(device.F32, returned[i]),
				arith.Float(device.F32, returned[j]))
		})
		update := func(x uint64, i int) uint64 {
			return arith.Apply(device.Mad, device.F32, x, s.Machine.Buffers[kernel.BufValue].Get(uint64(i)),
				s.Machine.Buffers[kernel.BufFactor].Get(uint64(i)))
		}
		made, inStream := make([]uint64, bins), make([]uint64, bins)
		for k, i := range order {
			x := indices[i]
			if made[x] != returned[i] {
				t.Fatalf("%s: update %d in order found %#x, the ones before leave %#x", name, k, returned[i],
					made[x])
			}
			made[x] = update(made[x], i)
		}
		for i, x := range indices {
			inStream[x] = update(inStream[x], i)
		}
		if !slices.Equal(made, final) {
			t.Errorf("%s: the updates in order leave %#x, the simulator %#x", name, made, final)
		}
		if slices.Equal(made, inStream) {
			t.Errorf("%s: the result does not hang on the order", name)
		}
	}
}
