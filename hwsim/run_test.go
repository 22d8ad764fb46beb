package hwsim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/variant"
)

func profile(t testing.TB, name string) *device.Profile {
	t.Helper()
	p, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stream draws one of several kinds of streams.
func stream(rng *rand.Rand) (indices []uint32, bins uint64) {
	n := 1 + rng.IntN(400)
	if rng.IntN(8) == 0 {
		n = 1 + rng.IntN(6000)
	}
	bins = 1 + uint64(rng.IntN(1<<uint(rng.IntN(12))))
	indices = make([]uint32, n)
	kind := rng.IntN(5)
	for i := range indices {
		indices[i] = uint32(rng.Uint64N(bins))
		switch {
		case kind == 1 && i > 0 && rng.IntN(6) > 0:
			indices[i] = indices[i-1]
		case kind == 2 && rng.IntN(4) > 0:
			indices[i] = uint32(bins / 2)
		case kind == 3:
			indices[i] = uint32(uint64(i) % bins)
		}
	}
	if kind == 4 {
		slices.Sort(indices)
	}
	return indices, bins
}

// suite lists every implementation with a simulated kernel, and parameters
// beyond those of the candidates.
func suite(t testing.TB) []variant.Variant {
	list := slices.DeleteFunc(variant.Candidates(), func(v variant.Variant) bool {
		return v.Base == variant.Coordinator
	})
	for _, name := range []string{
		"private:r=4,pad=1,map=block", "private:r=3,pad=2", "private+peers", "private:r=2,pad=1+sr",
		"private:r=5+match",
		"vr:t=2", "vr:t=8", "vr:m=4,t=3", "private+vr:m=2,t=5", "vr:m=32,t=2", "sr:t=4", "sr:t=40",
		"sr:t=3+ss",
		"hot:s=16", "hot:s=64,r=4", "hot:s=256,r=3+match", "hot:s=32,r=2+sr", "hot:s=16+vr:m=2,t=5",
		"hot:s=1024+peers", "hot:s=64,r=2,sample=1024", "hot:s=2048,sample=1024+match",
		"private:r=1,ranges=2", "private:r=3,pad=1,ranges=5", "private:r=2,map=block,ranges=64",
		"private:r=1,ranges=3+match", "private:r=1,ranges=2+sr", "private:r=2,ranges=4+vr:m=2,t=5",
		"private:r=1,ranges=7+peers",
		"partition:w=64", "partition:w=128,r=3", "partition:w=4096",
	} {
		v, err := variant.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// TestFinalArray runs every implementation over seeded streams and compares
// the final array with the serial reference: over two streams for each type, operand and
// device, and over almost five times as many with ATOMTUNE_FULL=1.
func TestFinalArray(t *testing.T) {
	streams := uint64(120)
	switch {
	case os.Getenv("ATOMTUNE_FULL") != "":
		streams = 560
	case testing.Short():
		streams = 60
	}
	devices := []string{"h200", "gtx680", "c2075", "hd5870", "gtx580"}
	h200 := profile(t, "h200")
	checked := map[string]int{}
	for seed := range streams {
		rng := rand.New(rand.NewPCG(seed, 7))
		indices, bins := stream(rng)
		call := device.Call{Type: device.Types()[seed%6], Operand: device.Operand(seed / 6 % 2)}
		d := profile(t, devices[seed/12%5])
		for _, v := range suite(t) {
			in := indices
			if v.Base == variant.SegReduce {
				in = slices.Clone(indices)
				slices.Sort(in)
			}
			cfg := Config{Device: d, Call: call, Variant: v, Seed: seed}
			if d.CanRun(v, call.Type, bins) != nil {
				cfg.Device = h200 // which can run most of what others cannot
			}
			if cfg.Device.CanRun(v, call.Type, bins) != nil {
				continue
			}
			r, err := Run(cfg, in, bins)
			if err != nil {
				t.Fatalf("seed %d %s %s on %s: %v", seed, v, call.Type, d.Name, err)
			}
			if !r.Correct {
				t.Fatalf("seed %d %s %s on %s: n=%d bins=%d: wrong final array", seed, v, call.Type, d.Name,
					len(in), bins)
			}
			checked[v.String()]++
		}
	}
	for _, v := range suite(t) {
		if n := checked[v.String()]; n < int(streams*500/560) {
			t.Errorf("%s: only %d streams checked", v, n)
		}
	}
}

// TestScanAcrossRuns is the pattern that [egielski14] Algorithm 1 as printed
// counts twice: equal indices with others between them.
func TestScanAcrossRuns(t *testing.T) {
	for _, pattern := range [][]uint32{
		{0, 1, 0, 0, 0},
		{0, 1, 0, 0, 0, 1, 1, 0, 2, 2, 0, 0, 0, 0, 1, 0},
		{5, 5, 5, 5, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
			5, 5},
	} {
		for _, name := range []string{"sr", "private+sr", "sr+ss"} {
			v, err := variant.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, dev := range []string{"h200", "c2075"} {
				for _, of := range []device.Operand{device.One, device.Loaded} {
					cfg := Config{Device: profile(t, dev), Variant: v, Call: device.Call{Operand: of}}
					r, err := Run(cfg, pattern, 6)
					if err != nil || !r.Correct {
						t.Errorf("%s on %s, %s, over %v: correct %v, %v", name, dev, of, pattern, r.Correct, err)
					}
				}
			}
		}
	}
}

// TestReturned checks that the old values of each target, put in order, are
// the partial sums of one serial order.
func TestReturned(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	indices := make([]uint32, 3000)
	for i := range indices {
		indices[i] = uint32(rng.IntN(7))
	}
	for _, c := range []struct {
		device string
		typ    device.Type
	}{{"h200", device.U32}, {"c2075", device.F64}, {"hd5870", device.F32}} {
		for _, v := range suite(t) {
			d := profile(t, c.device)
			if !v.ReturnsOld() || d.CanRun(v, c.typ, 7) != nil {
				continue
			}
			cfg := Config{Device: d, Variant: v}
			cfg.Call = device.Call{Type: c.typ, Operand: device.One, Returns: true}
			r, err := Run(cfg, indices, 7)
			if err != nil || !r.Correct {
				t.Fatal(c, v, r.Correct, err)
			}
			seen := map[[2]uint64]bool{}
			for i, x := range indices {
				old := r.Returned[i]
				if c.typ.Float() {
					old = uint64(arith.Float(c.typ, old))
				}
				seen[[2]uint64{uint64(x), old}] = true
			}
			counts := map[uint32]uint64{}
			for _, x := range indices {
				if !seen[[2]uint64{uint64(x), counts[x]}] {
					t.Fatalf("%v %s: no update of target %d found %d", c, v, x, counts[x])
				}
				counts[x]++
			}
			if len(seen) != len(indices) {
				t.Errorf("%v %s: %d different old values, want %d", c, v, len(seen), len(indices))
			}
		}
	}
}

// TestReturnedChain follows the old values of every implementation that returns them, with every
// operation and type: what updates of a target found and what the last one left are what the
// first one found and what updates left.
func TestReturnedChain(t *testing.T) {
	checked := map[string]int{}
	for seed := range uint64(48) {
		rng := rand.New(rand.NewPCG(seed, 13))
		indices, bins := stream(rng)
		call := device.Call{Op: device.Ops()[seed%6], Type: device.Types()[seed/6%6], Returns: true,
			Operand: device.Operand(seed / 12 % 2), Keeps: seed%3 == 0}
		if call.Op == device.Mad {
			continue // rounds twice where a warp adds products up first
		}
		values := arith.Values(call, seed, len(indices))
		d := profile(t, []string{"h200", "gtx680", "hd5870"}[seed%3])
		for _, v := range suite(t) {
			if !v.ReturnsOld() || d.CanCall(v, call, bins) != nil {
				continue
			}
			r, err := Run(Config{Device: d, Call: call, Variant: v, Seed: seed}, indices, bins)
			if err != nil || !r.Correct {
				t.Fatal(seed, d.Name, v, r.Correct, err)
			}
			left := make([]map[uint64]int, bins)
			for k, before := range arith.Before(call, seed, bins) {
				left[k] = map[uint64]int{before: 1}
				left[k][r.Final[k]]--
			}
			for i, x := range indices {
				one := arith.OneOf(call.Type)
				if values != nil {
					one = values[i]
				}
				left[x][arith.Apply(call.Op, call.Type, r.Returned[i], one, 0)]++
				left[x][r.Returned[i]]--
			}
			for k, states := range left {
				for state, n := range states {
					if n != 0 {
						t.Fatalf("seed %d %s %s %s on %s: target %d is left %+d times more often than found in "+
							"state %#x", seed, v, call.Op, call.Type, d.Name, k, n, state)
					}
				}
			}
			checked[v.String()]++
		}
	}
	for _, v := range suite(t) {
		if v.ReturnsOld() && checked[v.String()] < 10 {
			t.Errorf("%s: %d streams checked", v, checked[v.String()])
		}
	}
}

// TestReturnedUnchanged: updates that change nothing find what their target holds. A counter's
// result does not tell that there were some.
func TestReturnedUnchanged(t *testing.T) {
	indices, bins := stream(rand.New(rand.NewPCG(17, 17)))
	call := device.Call{Op: device.Mul, Operand: device.One, Keeps: true, Returns: true}
	before, checked := arith.Before(call, 5, bins), 0
	for _, v := range suite(t) {
		d := profile(t, "h200")
		if !v.ReturnsOld() || d.CanCall(v, call, bins) != nil {
			continue
		}
		r, err := Run(Config{Device: d, Call: call, Variant: v, Seed: 5}, indices, bins)
		if err != nil || !r.Correct {
			t.Fatal(v, r.Correct, err)
		}
		for i, x := range indices {
			if r.Returned[i] != before[x] {
				t.Fatalf("%s: update %d of target %d found %d, want %d", v, i, x, r.Returned[i], before[x])
			}
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("%d implementations checked", checked)
	}
}

func TestDeterminism(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	indices, bins := stream(rng)
	for _, v := range suite(t) {
		if v.Base == variant.SegReduce {
			continue
		}
		cfg := Config{Device: profile(t, "h200"), Variant: v, Call: device.Call{Type: device.F32}}
		if cfg.Device.CanRun(v, cfg.Call.Type, bins) != nil {
			continue
		}
		a, err := Run(cfg, indices, bins)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := Run(cfg, indices, bins)
		if a.Cycles != b.Cycles || a.Events != b.Events || fmt.Sprint(a.Final) != fmt.Sprint(b.Final) {
			t.Errorf("%s: two runs differ", v)
		}
	}
}
