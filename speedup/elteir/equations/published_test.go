package equations_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
	"pgregory.net/rapid"
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

// TestByHand works equations out: the printed (3) with 16 lanes, 10 of 24 workgroups and x_l = 1/4, and with as
// many workgroups as execute the operation; the copy kernel of section VI-A, and matrix multiplication; and
// a kernel with accesses of both paths.
func TestByHand(t *testing.T) {
	c, x := equations.Concurrency{Lanes: 16, Workgroups: 10}, 96.0/18
	times := equations.AccessTimes{FastCycles: 100, CompleteCycles: 1000, LocalCycles: 25}
	product := equations.Accesses{Fast: 3, Complete: 28} // of matrices
	fast := func(n float64) equations.Accesses { return equations.Accesses{Fast: n} }
	k := equations.AtomicKernel{Concurrency: c, Sides: 1, Atomics: 3, System: equations.Accesses{Fast: 1, Complete: 4},
		Software: fast(5), ALUFetch: 2}
	system, software := k.SystemTimes(times), k.SoftwareTimes(times)
	for name, got := range map[string][2]float64{
		"(3) as printed, (32 + 10 + 12)/4 + 9": {equations.PrintedSoftwareAtomic(c, 24, 0.25), 22.5},
		"(3) with N_cwg, (32 + 10 + 5)/4 + 9":  {equations.SoftwareAtomic(c, 0.25), 20.75},
		"copy":                                 {equations.MemorySpeedup(equations.Accesses{Complete: 3}, fast(3), x), x},
		"matrix multiplication":                {equations.MemorySpeedup(product, fast(30), x), 5.0777778},
		"memory, system":                       {system.Memory, 4100},
		"memory, software":                     {software.Memory, 500},
		"atomics, system":                      {system.Atomic, 3 * 160 * 1000},
		"atomics, software":                    {software.Atomic, 3 * 20.75 * 100},
		"arithmetic":                           {software.Compute, 2 * 5 * 100},
		"speedup":                              {k.Speedup(times), (4100 + 480000 + 1000) / (500 + 6225 + 1000.0)},
	} {
		if math.Abs(got[0]/got[1]-1) > 1e-7 {
			t.Errorf("%s: %v, want %v", name, got[0], got[1])
		}
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
		for what, v := range map[string][2]float64{
			"(1) and (4)": {equations.SystemAtomicCycles(c, a), equations.SystemAtomic(c, a.X()) * a.FastCycles},
			"(2) and (3)": {equations.SoftwareAtomicCycles(c, a), equations.SoftwareAtomic(c, a.XL()) * a.FastCycles},
			"one side":    {equations.BranchedSoftwareAtomic(c, 1, a.XL()), equations.SoftwareAtomic(c, a.XL())},
		} {
			if math.Abs(v[0]-v[1]) > 1e-9*math.Abs(v[1]) {
				t.Errorf("%s: %v and %v", what, v[0], v[1])
			}
		}
	})
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
