package elteir11

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// total is the number of accesses that a kernel's work and one atomic operation
// of so many accesses make.
func total(k *coordinator.Kernel, atomic int) float64 {
	s := k.Groups[0][0][0]
	n := atomic
	for _, w := range []coordinator.Work{s.Before, s.After} {
		loop, _ := w.Further.(experiment.Loop)
		n += w.Loads + w.UniformLoads + w.Stores + loop.Unrolled*len(loop.Patterns)
	}
	return float64(n)
}

// accesses are the counts of accesses that section VI gives.
func (r *radeon) accesses(context.Context, papers.Options) (papers.Outcome, error) {
	// A software addition is its nine accesses of equation (3).
	software := int(equations.SoftwareAtomic(equations.Concurrency{}, 0))
	copying := experiment.Copy(1, 1, coordinator.WavefrontLanes)
	multiplying, kmeans, scalar := product(products()[0], productTurns), kernelOf(kmeansWork()),
		kernelOf(r.scalarWork())
	var f findings
	exactly := func(item string, paper, ours float64) { f.State(item, ours, ours == paper) }
	f.ratio("copy, device's own: CompletePath", 3, total(copying, 1))
	f.ratio("copy, coordinator: FastPath", 10, total(copying, software))
	exactly("matrix multiplication, device's own: CompletePath", productComplete,
		total(multiplying, 1))
	exactly("k-means, device's own: CompletePath", kmeansComplete, total(kmeans, 1))
	exactly("scalar product, device's own: CompletePath", scalarComplete, total(scalar, 1))
	replaced := func(own int) float64 { return float64(own - 1 + software) }
	f.ratio("matrix multiplication, coordinator: FastPath", productSoftware, replaced(productSystem))
	f.ratio("string match, coordinator: FastPath", matchSoftware, replaced(matchSystem))
	match := matching(1, map[int]bool{0: true}, 1)
	f.ratio("string match, device's own: all", matchSystem, total(match, 1))
	x := r.x()
	t := papers.NewTable("accesses",
		"Accesses, FastPath:CompletePath, and what memory accesses alone gain",
		"kernel|device's own|coordinator|memory speedup, x = "+papers.Number(x).String())
	for _, k := range []struct {
		name             string
		system, software equations.Accesses
	}{
		{"copy", equations.Accesses{Complete: 3}, equations.Accesses{Fast: 10}},
		{"matrix multiplication", equations.Accesses{Fast: 3, Complete: productComplete},
			equations.Accesses{Fast: productSoftware}},
		{"string match", equations.Accesses{Fast: 1, Complete: 19},
			equations.Accesses{Fast: matchSoftware}},
	} {
		ratio := func(a equations.Accesses) string { return fmt.Sprintf("%v:%v", a.Fast, a.Complete) }
		t.Add(k.name, ratio(k.system), ratio(k.software),
			equations.MemorySpeedup(k.system, k.software, x))
	}
	f.Table(t)
	return f.Outcome, nil
}

// kernelOf is a kernel of one workgroup that does that work.
func kernelOf(before, after coordinator.Work) *coordinator.Kernel {
	return working(1, 1, before, after)
}
