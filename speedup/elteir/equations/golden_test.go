package equations_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// TestTerms: every equation, as printed and as corrected, gives what testdata/terms.txt holds, over a grid
// of concurrencies and kernels.
func TestTerms(t *testing.T) {
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	p, err := equations.NewPipelined(d)
	if err != nil {
		t.Fatal(err)
	}
	times := equations.AccessTimes{FastCycles: 200, CompleteCycles: 900, LocalCycles: 30}
	var lines []string
	for _, lanes := range []float64{1, 16, 64} {
		for _, workgroups := range []float64{1, 3, 20, 319} {
			var sum golden.Digest
			c := equations.Concurrency{Lanes: lanes, Workgroups: workgroups}
			x, xl := times.X(), times.XL()
			sum.Add(x, xl, c.Threads(), equations.PrintedSoftwareAtomic(c, 100, xl), equations.SoftwareAtomic(c, xl),
				equations.SystemAtomic(c, x), equations.AtomicSpeedup(c, x, xl), p.SystemCycles(c))
			for _, sides := range []float64{1, 2, 3} {
				sum.Add(equations.BranchedSoftwareAtomic(c, sides, xl), p.Speedup(c, sides), p.Software(c, sides).Cycles())
				sum.JSON(t, p.Software(c, sides))
				for _, aluFetch := range []float64{0.1, 1, 12} {
					for _, accesses := range []float64{1, 5, 40} {
						w := p.GuideKernel(aluFetch, accesses, sides/4)
						sum.JSON(t, w)
						sum.Add(p.ALUFetch(w), p.SystemKernelCycles(c, w), p.SoftwareKernelCycles(c, sides, w),
							p.KernelSpeedup(c, sides, w), p.Crossover(lanes, sides, w))
					}
				}
			}
			lines = append(lines, fmt.Sprintf("%+v: %s", c, &sum))
		}
	}
	golden.Compare(t, "testdata/terms.txt", lines)
}
