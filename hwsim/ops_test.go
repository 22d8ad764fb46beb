package hwsim

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/variant"
)

// TestOperations runs every implementation with every operation and type over
// seeded streams and compares the final array with the serial reference.
func TestOperations(t *testing.T) {
	devices := []string{"h200", "gtx680", "c2075", "hd5870"}
	checked := map[device.Op]int{}
	for seed := range uint64(72) {
		rng := rand.New(rand.NewPCG(seed, 11))
		indices, bins := stream(rng)
		call := device.Call{Op: device.Ops()[seed%6], Type: device.Types()[seed/6%6],
			Operand: device.Operand(seed / 36 % 2)}
		d := profile(t, devices[seed/6%4])
		for _, v := range suite(t) {
			in := indices
			if v.Base == variant.SegReduce {
				in = slices.Clone(indices)
				slices.Sort(in)
			}
			if d.CanCall(v, call, bins) != nil {
				continue
			}
			r, err := Run(Config{Device: d, Call: call, Variant: v, Seed: seed}, in, bins)
			if err != nil {
				t.Fatalf("seed %d %s %s %s on %s: %v", seed, v, call.Op, call.Type, d.Name, err)
			}
			if !r.Correct {
				t.Fatalf("seed %d %s %s %s on %s: n=%d bins=%d: wrong final array", seed, v, call.Op, call.Type,
					d.Name, len(in), bins)
			}
			checked[call.Op]++
		}
	}
	for _, o := range device.Ops() {
		if checked[o] < 20 {
			t.Errorf("%s: only %d runs checked", o, checked[o])
		}
	}
}

// TestKeeps runs every implementation on targets that hold values already, with every operation and
// type: updates add to them, no launch clears, and the call takes no longer than one that clears,
// but for sums that are added in place of stored.
func TestKeeps(t *testing.T) {
	devices := []string{"h200", "gtx680"}
	checked := map[variant.Base]int{}
	for seed := range uint64(36) {
		rng := rand.New(rand.NewPCG(seed, 12))
		indices, bins := stream(rng)
		call := device.Call{Op: device.Ops()[seed%6], Type: device.Types()[seed/6%6],
			Operand: device.Operand(seed / 3 % 2), Keeps: true}
		d := profile(t, devices[seed%2])
		for _, v := range suite(t) {
			in := indices
			if v.Base == variant.SegReduce {
				in = slices.Sorted(slices.Values(indices))
			}
			if d.CanCall(v, call, bins) != nil {
				continue
			}
			cfg := Config{Device: d, Call: call, Variant: v, Seed: seed}
			r, err := Run(cfg, in, bins)
			if err != nil || !r.Correct {
				t.Fatalf("seed %d %s %s %s on %s: n=%d bins=%d: correct %v, %v", seed, v, call.Op,
					call.Type, d.Name, len(in), bins, r.Correct, err)
			}
			if slices.ContainsFunc(r.Kernels, func(k KernelTime) bool { return k.Name == "clear targets" }) {
				t.Fatalf("%s clears targets that are to be kept", v)
			}
			cfg.Call.Keeps = false
			cleared, err := Run(cfg, in, bins)
			if err != nil || v.UsesAtomics() && r.US > cleared.US*1.02 {
				t.Fatalf("seed %d %s: %v us kept, %v us cleared, %v", seed, v, r.US, cleared.US, err)
			}
			checked[v.Base]++
		}
	}
	for base := variant.Base(0); base < variant.BaseCount; base++ {
		if base != variant.Coordinator && checked[base] < 10 {
			t.Errorf("%s: only %d runs checked", base, checked[base])
		}
	}
}

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

// TestOperationsRefused: what cannot be reduced beforehand is refused, with the reason.
func TestOperationsRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		call device.Call
		runs bool
	}{
		{"naive", device.Call{Op: device.Mad}, true},
		{"ss", device.Call{Op: device.Mad, Type: device.F64}, true},
		{"sr", device.Call{Op: device.Mad, Type: device.F32}, false},
		{"private", device.Call{Op: device.Mad}, false},
		{"sort", device.Call{Op: device.Mad}, false},
		{"private", device.Call{Op: device.Div}, false},
		{"private", device.Call{Op: device.Div, Type: device.F32}, true},
		{"naive", device.Call{Op: 9}, false},
	} {
		v, err := variant.Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Run(Config{Device: profile(t, "h200"), Call: c.call, Variant: v}, []uint32{0, 1, 1}, 2)
		if c.runs != (err == nil) || err != nil && !errors.Is(err, device.ErrCannot) &&
			!errors.Is(err, device.ErrType) {
			t.Errorf("%s %s %s: error %v", c.name, c.call.Op, c.call.Type, err)
		}
	}
}
