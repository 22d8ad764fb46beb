package elteir11

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
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
func (r *radeon) accesses(f *findings) {
	// A software addition is its nine accesses of equation (3).
	software := int(equations.SoftwareAtomic(equations.Concurrency{}, 0))
	copying := experiment.Copy(1, 1, coordinator.WavefrontLanes)
	f.ratio("copy, device's own: CompletePath", float64(copyComplete), total(copying, 1))
	f.ratio("copy, coordinator: FastPath", float64(copySoftware), total(copying, software))
	// What the paper's counts leave for the addition by the coordinator.
	left := func(software, system int) papers.Value { return papers.Number(float64(software - (system - 1))) }
	inCopy := left(copySoftware, copyComplete)
	replaced := func(item string, paper, own int) {
		f.ratio(item, float64(paper), float64(own-1+software), left(paper, own), inCopy)
	}
	replaced("matrix multiplication, coordinator: FastPath", productSoftware, productSystem)
	replaced("string match, coordinator: FastPath", matchSoftware, matchSystem)
	f.ratio("string match, device's own: all", float64(matchSystem), total(matching(1, []int{0}, 1), 1))
	x := r.x()
	t := papers.NewTable("accesses",
		"Accesses, FastPath:CompletePath, and what memory accesses alone gain",
		"kernel|device's own|coordinator|memory speedup, x = "+papers.Number(x).String())
	for _, k := range []struct {
		name                     string
		fast, complete, software int
	}{
		{"copy", 0, copyComplete, copySoftware},
		{"matrix multiplication", productFast, productSystem - productFast, productSoftware},
		{"string match", matchFast, matchComplete, matchSoftware},
	} {
		system := equations.Accesses{Fast: float64(k.fast), Complete: float64(k.complete)}
		software := equations.Accesses{Fast: float64(k.software)}
		paths := func(a equations.Accesses) string { return fmt.Sprintf("%v:%v", a.Fast, a.Complete) }
		t.Add(k.name, paths(system), paths(software), equations.MemorySpeedup(system, software, x))
	}
	f.Table(t)
}

// bound is an application at its largest input, for Figure 14.
type bound struct {
	name     string
	complete float64 // accesses through the CompletePath, by the paper's table
	paper    float64 // its largest speedup
	ours     float64
}

// bounds are the applications of section VI-D, by rising accesses. Matrix
// multiplication loads from memory.
func (r *radeon) bounds() []bound {
	scalar := r.scalar()
	product := r.product(slices.Max(products()))
	groups, elements := split(8192)
	before, after := kmeansWork()
	kmeans := r.applied(groups, elements, before, after)
	return []bound{
		{"scalar product", float64(scalarComplete), statedScalarMany, scalar.last().speedup()},
		{"matrix multiplication", float64(productComplete), statedLargeProduct,
			product.straight.speedup()},
		{"k-means", float64(kmeansComplete), statedManyPoints, kmeans.speedup()},
	}
}

// figure14 is the speedup over accesses and arithmetic, [elteir11] section
// VI-D.
func (r *radeon) figure14(f *findings) {
	all := r.bounds()
	t := papers.NewTable("figure14", "Speedup at the largest input",
		"application|CompletePath accesses|paper|simulated")
	var complete, paper, ours []float64
	for _, b := range all {
		t.Add(b.name, b.complete, b.paper, b.ours)
		complete, paper, ours = append(complete, b.complete), append(paper, b.paper), append(ours, b.ours)
	}
	f.Table(t)
	f.State("speedup with the accesses through the CompletePath", papers.Interval(ours[0], ours[2]),
		papers.Rises(ours))
	shares := []float64{0, 0.5}
	page := plot.Page{Title: "Speedup over accesses and arithmetic (Radeon HD 5870)", Width: 1100,
		Panels: []plot.Panel{
			plot.Figure{Title: "applications at their largest input", XLabel: "CompletePath accesses",
				YLabel: "speedup of the coordinator", YLog: true, Lines: []plot.Line{
					{Name: "paper", X: complete, Y: paper, Style: plot.Markers},
					{Name: "simulated", X: complete, Y: ours, Style: plot.Markers},
				}},
		}}
	bounds := plot.Figure{
		Title:  fmt.Sprintf("%d accesses, %d workgroups", productComplete, mostGroups),
		XLabel: "ALU:Fetch ratio", YLabel: "speedup of the coordinator", XLog: true, YLog: true}
	falls := true
	var first, last float64
	for _, share := range shares {
		line := r.arithmetic(share)
		falls = falls && papers.Falls(line.Y)
		first, last = line.Y[0], line.Y[len(line.Y)-1]
		bounds.Lines = append(bounds.Lines, line)
	}
	page.Panels = append(page.Panels, bounds)
	f.Page = page
	f.State("speedup with the ALU:Fetch ratio", papers.Interval(last, first), falls)
}

// arithmetic is the simulated speedup over the ALU:Fetch ratio of a kernel with
// the accesses of matrix multiplication, of whose loads that share is shared.
func (r *radeon) arithmetic(share float64) plot.Line {
	line := plot.Line{Name: fmt.Sprintf("%.0f %% of the loads shared", 100*share)}
	for ratio := 1.0; ratio <= 64; ratio *= 4 {
		w := r.form.GuideKernel(ratio, float64(productComplete), share)
		before := coordinator.Work{Loads: int(w.Loads), UniformLoads: int(w.UniformLoads),
			Cycles: int(w.Cycles)}
		d := r.comparison(working(mostGroups, 1, before, coordinator.Work{}))
		line.X, line.Y = append(line.X, ratio), append(line.Y, d.speedup())
	}
	return line
}
