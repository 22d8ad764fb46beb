package scratchpad

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/latency"
)

// fewLanes and fewWords are the size of the patterns that are all compared.
const fewLanes, fewWords = 4, 8

// words are words of which some share banks and some share locks, on devices of 32 banks and 1,024
// locks.
var words = [fewWords]int32{0, 1, 32, 33, 1024, 1025, 1056, 2048}

// allPatterns calls each with every pattern in which each of the lanes wants one of the words or
// none: 9 * 9 * 9 * 9 of them. The other lanes are as they were.
func allPatterns(p []int32, lanes [fewLanes]int, words [fewWords]int32, each func()) {
	choices := append([]int32{patterns.Inactive}, words[:]...)
	var choose func(k int)
	choose = func(k int) {
		if k == fewLanes {
			each()
			return
		}
		for _, w := range choices {
			p[lanes[k]] = w
			choose(k + 1)
		}
	}
	choose(0)
}

// operations calls each with closed form and simulator of every operation and type that differ in
// what is counted or in its length.
func operations(t *testing.T, d *device.Profile, seen map[latency.Params]bool, each func(name string, p pair)) {
	t.Helper()
	for _, typ := range device.Types() {
		for _, o := range device.Operations() {
			params, err := latency.ForDevice(d, o, typ)
			if errors.Is(err, device.ErrCannot) || seen[params] {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			seen[params] = true
			model, err := latency.NewModel(params)
			if err != nil {
				t.Fatal(err)
			}
			sm, err := hwsim.NewScratchpad(d, o, typ)
			if err != nil {
				t.Fatal(err)
			}
			each(fmt.Sprintf("%s, %s %s", d.Name, typ, o), pair{params, model, sm})
		}
	}
}

// small is a device as another one, with warps of four lanes and few banks and locks.
func small(t *testing.T, name string, banks, locks float64) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	c := *d
	c.Core.WarpLanes.Value, c.Shared.Banks.Value = fewLanes, banks
	c.SharedAtomics = maps.Clone(d.SharedAtomics)
	for key, a := range c.SharedAtomics {
		if a.Mechanism == device.Lock {
			a.Locks.Value = locks
			c.SharedAtomics[key] = a
		}
	}
	return &c
}

// addsOne is the device whose additions to counters are by a unit that merges equal addresses.
func addsOne(t *testing.T, d *device.Profile) *device.Profile {
	t.Helper()
	c := *d
	c.Types = maps.Clone(d.Types)
	u32 := c.Types[device.U32]
	u32.SharedOperations = maps.Clone(u32.SharedOperations)
	u32.SharedOperations[device.OpAdd] = "u32_add_one"
	c.Types[device.U32] = u32
	if a, err := c.SharedOperation(device.OpAdd, device.U32); err != nil || a.Mechanism != device.Merge {
		t.Fatalf("%+v, %v", a, err)
	}
	return &c
}

// TestEveryPattern: every pattern of four lanes over eight words takes as long in closed form as
// simulated, by warps of four lanes on devices of few banks and locks, and by four lanes of a whole
// warp whose other lanes take no part or want words of their own.
func TestEveryPattern(t *testing.T) {
	compared, mechanisms := 0, map[device.Mechanism]int{}
	compare := func(both pair, p []int32, lanes [fewLanes]int, words [fewWords]int32, name string) {
		allPatterns(p, lanes, words, func() {
			closed, simulated, err := both.cycles(p)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(closed-simulated) > 1e-3 {
				t.Fatalf("%s, %v: closed form %v cycles, simulated %v", name, p, closed, simulated)
			}
			compared++
		})
		mechanisms[both.params.Mechanism]++
	}
	seen := map[latency.Params]bool{}
	for _, name := range golden.Devices {
		for _, s := range [][2]float64{{4, 4}, {2, 8}, {8, 2}} {
			d := small(t, name, s[0], s[1])
			if name == "h200" {
				d = addsOne(t, d)
			}
			operations(t, d, seen, func(name string, both pair) {
				compare(both, make([]int32, fewLanes), [fewLanes]int{0, 1, 2, 3},
					[fewWords]int32{0, 1, 2, 3, 4, 5, 6, 7}, fmt.Sprintf("%s, %v banks, %v locks", name, s[0], s[1]))
			})
		}
		whole, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		operations(t, whole, seen, func(name string, both pair) {
			all := both.params.Lanes
			for _, lanes := range [][fewLanes]int{{0, 1, 2, 3}, {0, all/2 - 1, all / 2, all - 1}} {
				idle, own := make([]int32, all), make([]int32, all)
				for l := range all {
					idle[l], own[l] = patterns.Inactive, int32(l)+64
				}
				compare(both, idle, lanes, words, name)
				compare(both, own, lanes, words, name)
			}
		})
	}
	if want := [...]device.Mechanism{device.Lock, device.Spin, device.CAS, device.Native, device.Merge,
		device.Access}; len(mechanisms) != len(want) {
		t.Errorf("compared %v, want %v", mechanisms, want)
	}
	perWarp := 9 * 9 * 9 * 9
	if compared < 150*perWarp || compared%perWarp != 0 {
		t.Errorf("compared %d patterns", compared)
	}
}

// TestAgreement compares closed form and simulator over every operation, type
// and built-in device, with patterns that leave out single lanes, a half of the
// warp, or all lanes but one.
func TestAgreement(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	checked := 0
	for _, name := range golden.Devices {
		for _, typ := range device.Types() {
			for _, o := range device.Operations() {
				both, err := open(name, o, typ)
				if errors.Is(err, device.ErrCannot) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				for range 60 {
					p := sparse(rng, both.params.Lanes)
					closed, simulated, err := both.cycles(p)
					if err != nil {
						t.Fatal(err)
					}
					if closed < both.params.Base*0.9 || math.Abs(closed-simulated) > 0.01*simulated {
						t.Fatalf("%s, %s %s, %v: closed form %v, simulated %v", name, typ, o, p, closed, simulated)
					}
					checked++
				}
			}
		}
	}
	if checked < 3000 {
		t.Errorf("only %d patterns compared", checked)
	}
}

func sparse(rng *rand.Rand, lanes int) patterns.Pattern {
	p := make(patterns.Pattern, lanes)
	patterns.Space{Words: 1 << rng.IntN(12), Kind: patterns.Kind(rng.IntN(6))}.Draw(rng, p)
	keep := rng.IntN(4)
	for l := range p {
		out := false
		switch keep {
		case 0:
			out = rng.IntN(3) == 0
		case 1:
			out = l < lanes/2
		case 2:
			out = l >= lanes/2
		}
		if out && l != lanes/4 {
			p[l] = patterns.Inactive
		}
	}
	return p
}
