package machine

import (
	"errors"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
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
// bank, for compare-and-swap the lanes of the fullest bank in each turn.
func plain(a device.SharedAtomic, banks int32, pattern []int32) float64 {
	pending := slices.DeleteFunc(slices.Clone(pattern), func(x int32) bool { return x < 0 })
	if len(pending) == 0 {
		return 0
	}
	if a.Mechanism == device.Native {
		return a.Base.Value + a.Round.Value*(fullest(pending, banks)-1)
	}
	cost := a.Base.Value - a.Round.Value
	for turn := 0; len(pending) > 0; turn++ {
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
		if turn == 0 || a.Mechanism == device.Lock {
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
	checked := 0
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
			checked++
		}
	}
	if checked != 1600 {
		t.Fatalf("%d patterns checked", checked)
	}
}

// TestTrace follows the locks of [gomezluna13] section 2.1.3: 0, 1,024 and
// 2,048 share one, and the last of them is read three times.
func TestTrace(t *testing.T) {
	s := scratchpad(t, "gtx580", device.OpAdd, device.U32)
	cycles, turns, err := s.Trace(ownWords(32, map[int]int32{1: 1024, 2: 2048}))
	if err != nil {
		t.Fatal(err)
	}
	want := []Turn{
		{Pending: 0xFFFFFFFF, Winners: 0xFFFFFFF9, ReadPasses: 3, WritePasses: 1, StartCycles: 0,
			EndCycles: 184},
		{Pending: 0x6, Winners: 0x2, ReadPasses: 2, WritePasses: 1, StartCycles: 184, EndCycles: 336},
		{Pending: 0x4, Winners: 0x4, ReadPasses: 1, WritePasses: 1, StartCycles: 336, EndCycles: 444},
	}
	if cycles != 444 || !slices.Equal(turns, want) {
		t.Errorf("%v cycles, turns %+v, want %+v", cycles, turns, want)
	}
}

// TestTraceOfAll checks what holds of every operation: turns follow each
// other, each lane wins once, and the end is what Warp says.
func TestTraceOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	d := machineProfile(t, "h200")
	checked := 0
	for _, typ := range device.Types() {
		for _, op := range device.Operations() {
			s, err := NewScratchpad(d, op, typ)
			if err != nil {
				continue
			}
			p := make([]int32, 32)
			for range 40 {
				patterns.Space{Words: 1 << rng.IntN(12), Kind: patterns.Kind(rng.IntN(6))}.Draw(rng, p)
				checkTrace(t, s, p)
				checked++
			}
		}
	}
	if checked < 40*20 {
		t.Fatalf("%d operations checked", checked)
	}
}

func checkTrace(t *testing.T, s *Scratchpad, p []int32) {
	t.Helper()
	cycles, turns, err := s.Trace(p)
	if err != nil {
		t.Fatal(err)
	}
	pending := uint64(0)
	for l, a := range p {
		if a >= 0 {
			pending |= 1 << l
		}
	}
	end := 0.0
	for i, turn := range turns {
		if turn.Pending != pending || turn.Winners&^pending != 0 || turn.Winners == 0 ||
			turn.StartCycles < end || turn.EndCycles <= turn.StartCycles {
			t.Fatalf("%v: turn %d is %+v, after %v cycles with %d lanes left", p, i, turn, end,
				bits.OnesCount64(pending))
		}
		pending &^= turn.Winners
		end = turn.EndCycles
	}
	alone, err := s.Warp(p)
	if pending != 0 || end != cycles || alone != cycles || err != nil {
		t.Fatalf("%v: lanes %x left, turns end at %v, trace at %v, warp at %v, %v", p, pending, end,
			cycles, alone, err)
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
	s := scratchpad(t, "gtx580", device.OpAdd, device.F64) // 6,144 words
	for want, p := range map[string][]int32{
		"31 lanes":            make([]int32, 31),
		"lane 7: address -2":  ownWords(32, map[int]int32{7: -2}),
		"lane 3: address 614": ownWords(32, map[int]int32{3: 6144}),
	} {
		_, of1 := s.Warp(p)
		_, _, of2 := s.Trace(p)
		_, of3 := s.Warps([][]int32{ownWords(32, nil), p}, 1)
		for _, err := range []error{of1, of2, of3} {
			if !errors.Is(err, ErrStream) || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %v with %q", err, ErrStream, want)
			}
		}
	}
	if c, err := s.Warp(ownWords(32, map[int]int32{3: 6143})); err != nil || c <= 0 {
		t.Errorf("the last word: %v cycles, %v", c, err)
	}
}

func TestIdleWarp(t *testing.T) {
	for _, op := range []device.Operation{device.OpAdd, device.OpLoad} {
		s := scratchpad(t, "gtx680", op, device.F32)
		idle := slices.Repeat([]int32{patterns.Inactive}, 32)
		if c, err := s.Warp(idle); c != 0 || err != nil {
			t.Errorf("%s: a warp without active lanes: %v cycles, %v", op, c, err)
		}
		if c, turns, err := s.Trace(idle); c != 0 || len(turns) != 0 || err != nil {
			t.Errorf("%s: a warp without active lanes: %v cycles, %v, %v", op, c, turns, err)
		}
	}
}

func TestWarpDoesNotAllocate(t *testing.T) {
	p := ownWords(32, map[int]int32{1: 0, 5: 32, 7: 1024})
	for _, c := range []struct {
		device string
		op     device.Operation
		typ    device.Type
	}{{"gtx580", device.OpAdd, device.F32}, {"h200", device.OpAdd, device.F64},
		{"h200", device.OpCASLoop, device.U32}} {
		s := scratchpad(t, c.device, c.op, c.typ)
		if n := testing.AllocsPerRun(100, func() {
			if _, err := s.Warp(p); err != nil {
				t.Fatal(err)
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
