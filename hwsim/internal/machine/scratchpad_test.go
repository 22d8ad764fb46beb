package machine

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
)

func scratchpad(t testing.TB, name string, op device.Operation, typ device.Type) *Scratchpad {
	t.Helper()
	s, err := NewScratchpad(machineProfile(t, name), op, typ)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ownWords returns the pattern of lanes on words 0, 1, 2 and so on, changed.
func ownWords(lanes int, change map[int]int32) []int32 {
	p := make([]int32, lanes)
	for l := range p {
		p[l] = int32(l)
	}
	for l, a := range change {
		p[l] = a
	}
	return p
}

// TestWorkedExamples holds one warp of the GTX 580 to the figures of
// [gomezluna13] section 2.1.
func TestWorkedExamples(t *testing.T) {
	const base = 108
	s := scratchpad(t, "gtx580", device.OpAdd, device.F32)
	cases := []struct {
		change map[int]int32
		want   float64
	}{
		{nil, base},
		{map[int]int32{1: 0}, base + 120},
		{map[int]int32{1: 0, 2: 0, 3: 0}, base + 3*120},
		{map[int]int32{1: 1024}, base + 152},
		{map[int]int32{1: 32}, base + 2*32}, // "typically 68", twice a bank penalty of "typically 32"
		{map[int]int32{1: 1024, 2: 2048}, base + 152 + 152 + 32},
		{map[int]int32{1: 1024, 2: 2048, 3: 32}, base + 152 + 152 + 32 + 64},
		{map[int]int32{1: 1024, 2: 2048, 3: 32, 4: 1056}, base + 152 + 152 + 32 + 64 + 64 + 32},
	}
	for _, c := range cases {
		got, err := s.Warp(ownWords(32, c.change))
		if err != nil || got != c.want {
			t.Errorf("%v: %v cycles, %v, want %v", c.change, got, err, c.want)
		}
	}
}

// fullest returns how many of the addresses share the fullest bank.
func fullest(addresses []int32, banks int32) float64 {
	count := map[int32]float64{}
	most := 1.0
	for _, a := range addresses {
		count[a%banks]++
		most = max(most, count[a%banks])
	}
	return most
}

func different(addresses []int32) []int32 {
	out := slices.Clone(addresses)
	slices.Sort(out)
	return slices.Compact(out)
}

// plain is what an operation on words of 4 bytes costs one warp, counted with
// maps: [gomezluna13] Algorithm 1, for a native unit the lanes of the fullest
// bank, for compare-and-swap the lanes of the fullest bank in each iteration.
func plain(a device.SharedAtomic, banks int32, pattern []int32) float64 {
	pending := slices.DeleteFunc(slices.Clone(pattern), func(x int32) bool { return x < 0 })
	if len(pending) == 0 {
		return 0
	}
	if a.Mechanism == device.Native {
		return a.Base.Value + a.Round.Value*(fullest(pending, banks)-1)
	}
	cost := a.Base.Value - a.Round.Value
	for iteration := 0; len(pending) > 0; iteration++ {
		held := map[int32]bool{}
		var won, left []int32
		for _, x := range pending {
			lock := x
			if a.Mechanism == device.Lock {
				lock = x % int32(a.Locks.Value)
			}
			if held[lock] {
				left = append(left, x)
				continue
			}
			held[lock] = true
			won = append(won, x)
		}
		cost += a.Round.Value
		if iteration == 0 || a.Mechanism == device.Lock {
			cost += a.Bank.Value * (fullest(different(pending), banks) - 1)
		}
		if a.Mechanism == device.CAS {
			won = pending
		}
		cost += a.Write.Value * (fullest(won, banks) - 1)
		pending = left
	}
	return cost
}

// TestPlain compares the pipeline with the plain count over random patterns,
// whatever was simulated before.
func TestPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	for _, c := range []struct {
		device string
		typ    device.Type
	}{{"gtx580", device.F32}, {"gtx680", device.U32}, {"hd5870", device.U32}, {"hd5870", device.F32}} {
		d := machineProfile(t, c.device)
		s := scratchpad(t, c.device, device.OpAdd, c.typ)
		p := make([]int32, int(d.Core.WarpLanes.Value))
		for range 400 {
			space := patterns.Space{Words: 1 << rng.IntN(13), Kind: patterns.Kind(rng.IntN(6))}
			space.Draw(rng, p)
			got, err := s.Warp(p)
			if err != nil {
				t.Fatal(err)
			}
			if want := plain(d.SharedAtomic(c.typ), int32(d.Shared.Banks.Value),
				p); math.Abs(got-want) > 0.01 {
				t.Fatalf("%s %s over %v: %v cycles, plainly counted %v", c.device, c.typ, p, got, want)
			}
		}
	}
}

func TestScratchpadErrors(t *testing.T) {
	hopper, amd := machineProfile(t, "h200"), machineProfile(t, "hd5870")
	for _, c := range []struct {
		d   *device.Profile
		op  device.Operation
		typ device.Type
	}{
		{nil, device.OpAdd, device.U32}, {amd, device.OpAdd, device.F64}, {amd, device.OpMin, device.U32},
		{hopper, "sub", device.U32}, {hopper, device.OpAdd, 9}, {hopper, device.OpLoad, 9},
	} {
		if _, err := NewScratchpad(c.d, c.op, c.typ); !errors.Is(err, device.ErrCannot) {
			t.Errorf("%s on %s: error %v, want %v", c.op, c.typ, err, device.ErrCannot)
		}
	}
	s, own := scratchpad(t, "gtx580", device.OpAdd, device.F64), ownWords(32, nil) // of 6,144 words
	for _, c := range []struct {
		warps   [][]int32
		repeats int
		right   bool
	}{
		{[][]int32{own, make([]int32, 31)}, 1, false}, {[][]int32{own, ownWords(32, map[int]int32{7: -2})}, 1, false},
		{[][]int32{own, ownWords(32, map[int]int32{3: 6144})}, 1, false}, {nil, 1, false}, {[][]int32{own}, 0, false},
		{slices.Repeat([][]int32{own}, 49), 1, false}, {[][]int32{own, ownWords(32, map[int]int32{3: 6143})}, 1, true},
	} {
		if _, err := s.Warps(c.warps, c.repeats); (err == nil) != c.right || !c.right && !errors.Is(err, ErrStream) {
			t.Errorf("%d warps: error %v", len(c.warps), err)
		}
		if len(c.warps) == 2 {
			if _, err := s.Warp(c.warps[1]); (err == nil) != c.right || !c.right && !errors.Is(err, ErrStream) {
				t.Errorf("a warp on %v: error %v", c.warps[1], err)
			}
		}
	}
}

// TestWarpDoesNotAllocate: neither does an idle warp, which takes no time.
func TestWarpDoesNotAllocate(t *testing.T) {
	p, idle := ownWords(32, map[int]int32{1: 0, 5: 32, 7: 1024}), slices.Repeat([]int32{patterns.Inactive}, 32)
	for _, c := range []struct {
		device string
		op     device.Operation
		typ    device.Type
	}{{"gtx580", device.OpAdd, device.F32}, {"h200", device.OpAdd, device.F64}, {"gtx680", device.OpLoad, device.F32},
		{"h200", device.OpCASLoop, device.U32}} {
		s := scratchpad(t, c.device, c.op, c.typ)
		if n := testing.AllocsPerRun(100, func() {
			cycles, err := s.Warp(p)
			none, err2 := s.Warp(idle)
			if err != nil || err2 != nil || cycles == 0 || none != 0 {
				t.Fatal(cycles, none, err, err2)
			}
		}); n != 0 {
			t.Errorf("%s %s on %s: %v allocations", c.device, c.op, c.typ, n)
		}
	}
}

// TestScratchpadForgets demands that a pattern takes as long after others as
// alone, also where a loop is much faster than the device's plain loads, and where ports are busy for
// longer than an operation takes.
func TestScratchpadForgets(t *testing.T) {
	quick, busy := *machineProfile(t, "gtx580"), *machineProfile(t, "v100")
	quick.SharedAtomics = maps.Clone(quick.SharedAtomics)
	lock := quick.SharedAtomics["lock"]
	lock.Base.Value, lock.Round.Value, lock.Bank.Value, lock.Write.Value = 60, 4, 2, 40
	quick.SharedAtomics["lock"] = lock
	busy.SharedAtomics = maps.Clone(busy.SharedAtomics)
	for key, a := range busy.SharedAtomics {
		a.Port.Value, a.WritePort.Value = 9*a.Port.Value, 9*a.WritePort.Value
		busy.SharedAtomics[key] = a
	}
	rng := rand.New(rand.NewPCG(8, 9))
	for _, c := range []struct {
		d   *device.Profile
		op  device.Operation
		typ device.Type
	}{{&quick, device.OpAdd, device.F32}, {&busy, device.OpAdd, device.U32}} {
		used, err := NewScratchpad(c.d, c.op, c.typ)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			p := make([]int32, 32)
			for l := range p {
				p[l] = int32(rng.IntN(2 << (i % 10)))
			}
			after, err := used.Warp(p)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := NewScratchpad(c.d, c.op, c.typ)
			if err != nil {
				t.Fatal(err)
			}
			if alone, err := fresh.Warp(p); err != nil || math.Abs(alone-after) > 0.01 {
				t.Fatalf("%s %s %v: %v cycles after others, %v alone (%v)", c.d.Name, c.op, p, after, alone, err)
			}
		}
	}
}

func machineProfile(t testing.TB, name string) *device.Profile {
	t.Helper()
	p, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
