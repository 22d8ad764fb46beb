package equations_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// TestPublishedDistance is the case in which the equations give more than 250
// where Figure 8 measured 1.9: 128 workgroups of 64 with x_l = 1/14.
func TestPublishedDistance(t *testing.T) {
	c := equations.Concurrency{Lanes: 64, Workgroups: 128}
	if s := equations.AtomicSpeedup(c, 1, 1.0/14); math.Abs(s-257.1) > 0.1 {
		t.Errorf("equations (3) and (4) give %v", s)
	}
	form, err := equations.NewPipelined(hd5870(t))
	if err != nil {
		t.Fatal(err)
	}
	if s := form.Speedup(c, 1); s < 1.9/1.25 || s > 1.9*1.25 {
		t.Errorf("the corrected form gives %v, the paper measured 1.9", s)
	}
}

// TestPrintedEquationThree works the printed equation out by hand: 16 lanes, 10 of 24
// workgroups, x_l = 1/4. With as many workgroups as execute the operation it is the one in use.
func TestPrintedEquationThree(t *testing.T) {
	c := equations.Concurrency{Lanes: 16, Workgroups: 10}
	if got := equations.PrintedSoftwareAtomic(c, 24, 0.25); got != 22.5 {
		t.Errorf("as printed %v, want (32 + 10 + 12)/4 + 9", got)
	}
	if got := equations.SoftwareAtomic(c, 0.25); got != 20.75 {
		t.Errorf("with N_cwg for N_wg %v, want (32 + 10 + 5)/4 + 9", got)
	}
}

// TestTermsAddUp compares equations (1) and (2), in cycles, with (4) and (3).
func TestTermsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := equations.Concurrency{
			Lanes:      float64(rapid.IntRange(1, 64).Draw(t, "lanes")),
			Workgroups: float64(rapid.IntRange(1, 1000).Draw(t, "workgroups")),
		}
		a := equations.AccessTimes{
			FastCycles:     rapid.Float64Range(1, 1e4).Draw(t, "fast"),
			CompleteCycles: rapid.Float64Range(1, 1e5).Draw(t, "complete"),
			LocalCycles:    rapid.Float64Range(0, 1e3).Draw(t, "local"),
		}
		near := func(what string, x, y float64) {
			if math.Abs(x-y) > 1e-9*math.Abs(y) {
				t.Errorf("%s: %v and %v", what, x, y)
			}
		}
		near("(1) and (4)", equations.SystemAtomicCycles(c, a), equations.SystemAtomic(c,
			a.X())*a.FastCycles)
		near("(2) and (3)", equations.SoftwareAtomicTerms(c, a).Cycles(),
			equations.SoftwareAtomic(c, a.XL())*a.FastCycles)
		near("one side", equations.BranchedSoftwareAtomic(c, 1, a.XL()),
			equations.SoftwareAtomic(c, a.XL()))
	})
}

// TestCrossover checks that the solved number of workgroups parts those that
// win from those that do not.
func TestCrossover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes := float64(rapid.IntRange(1, 64).Draw(t, "lanes"))
		x, xl := rapid.Float64Range(0.01, 20).Draw(t, "x"), rapid.Float64Range(0, 1).Draw(t, "xl")
		wins := func(n float64) bool {
			return equations.AtomicSpeedup(equations.Concurrency{Lanes: lanes, Workgroups: n}, x, xl) > 1
		}
		n := equations.Crossover(lanes, x, xl)
		if math.IsInf(n, 1) {
			if wins(1e9) {
				t.Errorf("no crossover, but a billion workgroups win")
			}
			return
		}
		if wins(n*(1-1e-6)) || !wins(n*(1+1e-6)) {
			t.Errorf("crossover at %v", n)
		}
	})
}

func TestKernelCrossover(t *testing.T) {
	crossed := 0
	rapid.Check(t, func(t *rapid.T) {
		count := func(name string) float64 { return float64(rapid.IntRange(0, 40).Draw(t, name)) }
		k := equations.AtomicKernel{
			Concurrency: equations.Concurrency{Lanes: float64(rapid.IntRange(4, 64).Draw(t, "lanes"))},
			Sides:       float64(rapid.IntRange(1, 4).Draw(t, "sides")),
			Atomics:     float64(rapid.IntRange(1, 9).Draw(t, "atomics")),
			System:      equations.Accesses{Fast: count("fast"), Complete: count("complete")},
			Software:    equations.Accesses{Fast: count("software")},
			ALUFetch:    rapid.Float64Range(0, 10).Draw(t, "alu"),
		}
		a := equations.AccessTimes{FastCycles: 700, LocalCycles: 50,
			CompleteCycles: rapid.Float64Range(100, 9000).Draw(t, "complete cycles")}
		n := k.Crossover(a)
		at := func(n float64) float64 { k.Workgroups = n; return k.Speedup(a) }
		if n == 0 {
			if at(1e-9) < 1-1e-9 {
				t.Errorf("loses with few workgroups: %v", at(1e-9))
			}
			return
		}
		crossed++
		if math.IsInf(n, 1) || at(n*(1+1e-6)) <= 1 || at(n*(1-1e-6)) >= 1 {
			t.Errorf("crossover at %v", n)
		}
	})
	if crossed < 5 {
		t.Errorf("%d crossovers", crossed)
	}
}

// TestPipelinedCrossover solves where the two times meet, and checks it against
// the times on both sides.
func TestPipelinedCrossover(t *testing.T) {
	base := hd5870(t)
	form, err := equations.NewPipelined(base)
	if err != nil {
		t.Fatal(err)
	}
	if n := form.Crossover(64, 1, equations.KernelWork{}); n < 32/1.25 || n > 32*1.25 {
		t.Errorf("crossover at %v workgroups, the paper has about 32", n)
	}
	finite := 0
	for _, p := range grid() {
		for _, x := range gridX {
			f, err := equations.NewPipelined(scaled(base, p.xl, x))
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []equations.KernelWork{{}, {Loads: 8, Cycles: 2000}, {UniformLoads: 4}} {
				lanes, sides := float64(p.lanes), float64(p.sides)
				ratio := func(n float64) float64 {
					return f.KernelSpeedup(equations.Concurrency{Lanes: lanes, Workgroups: n}, sides, w)
				}
				n := f.Crossover(lanes, sides, w)
				switch {
				case math.IsInf(n, 1):
					if ratio(1e9) > 1 || ratio(1) > 1 {
						t.Fatalf("%+v x %v %+v: no crossover, %v at 1e9", p, x, w, ratio(1e9))
					}
				case n == 1:
					if ratio(1) < 1 {
						t.Fatalf("%+v x %v %+v: crossover at 1, where it is %v", p, x, w, ratio(1))
					}
				default:
					finite++
					if math.Abs(ratio(n)-1) > 1e-9 || ratio(n*0.999) >= 1 {
						t.Fatalf("%+v x %v %+v: crossover at %v, where it is %v", p, x, w, n, ratio(n))
					}
				}
			}
		}
	}
	if finite < fewestPoints/2 {
		t.Errorf("%d finite crossovers", finite)
	}
}

// TestMemorySpeedup is the copy kernel of [elteir11] section VI-A, with three
// accesses through the CompletePath, and matrix multiplication, 3:28.
func TestMemorySpeedup(t *testing.T) {
	x := 96.0 / 18
	if s := equations.MemorySpeedup(equations.Accesses{Complete: 3}, equations.Accesses{Fast: 3},
		x); s != x {
		t.Errorf("copy: %v, want %v", s, x)
	}
	s := equations.MemorySpeedup(equations.Accesses{Fast: 3, Complete: 28},
		equations.Accesses{Fast: 30}, x)
	if math.Abs(s-5.0778) > 1e-4 {
		t.Errorf("matrix multiplication: %v", s)
	}
}

// TestAccessesCycles: each access takes the cycles of the path that it goes.
func TestAccessesCycles(t *testing.T) {
	times := equations.AccessTimes{FastCycles: 100, CompleteCycles: 1000}
	if c := (equations.Accesses{Fast: 3, Complete: 2}).Cycles(times); c != 2300 {
		t.Errorf("3 fast accesses of 100 cycles and 2 complete ones of 1000: %v cycles", c)
	}
	k := equations.AtomicKernel{System: equations.Accesses{Fast: 1, Complete: 4},
		Software: equations.Accesses{Fast: 5}}
	if system, software := k.SystemTimes(times), k.SoftwareTimes(times); system.Memory != 4100 ||
		software.Memory != 500 {
		t.Errorf("memory: %+v and %+v", system, software)
	}
}

// The published equations, and what the queues of the HD 5870 make of them.
func ExamplePipelined() {
	d, err := device.Builtin("hd5870")
	if err != nil {
		fmt.Println(err)
		return
	}
	form, err := equations.NewPipelined(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []float64{8, 32, 128} {
		c := equations.Concurrency{Lanes: 64, Workgroups: n}
		fmt.Printf("%3.0f workgroups: equations %.0f, corrected %.1f\n", n,
			equations.AtomicSpeedup(c, 96.0/18, 1.0/14), form.Speedup(c, 1))
	}
	fmt.Printf("the coordinator wins from %.0f workgroups\n", math.Ceil(form.Crossover(64, 1,
		equations.KernelWork{})))
	// Output:
	//   8 workgroups: equations 144, corrected 0.5
	//  32 workgroups: equations 506, corrected 1.0
	// 128 workgroups: equations 1371, corrected 1.9
	// the coordinator wins from 35 workgroups
}
