package elteir11

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// bound is an application at its largest input, for Figure 14.
type bound struct {
	name     string
	complete float64 // accesses through the CompletePath, by the paper's table
	paper    float64 // its largest speedup
	ours     float64
}

// bounds are the applications of section VI-D, by rising accesses. Matrix
// multiplication loads from memory.
func (r *radeon) bounds() ([]bound, error) {
	scalar, err := r.scalar()
	if err != nil {
		return nil, err
	}
	product, err := r.product(slices.Max(products()), productTurns)
	if err != nil {
		return nil, err
	}
	groups, elements := split(8192)
	before, after := kmeansWork()
	kmeans, err := r.applied(groups, elements, before, after)
	if err != nil {
		return nil, err
	}
	return []bound{
		{"scalar product", scalarComplete, 0.92, scalar.last().speedup()},
		{"matrix multiplication", productComplete, 13.55, product.straight.speedup()},
		{"k-means", kmeansComplete, 67.3, kmeans.speedup()},
	}, nil
}

// figure14 is the speedup over accesses and arithmetic, [elteir11] section
// VI-D.
func (r *radeon) figure14(context.Context, papers.Options) (papers.Outcome, error) {
	all, err := r.bounds()
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	t := papers.NewTable("figure14", "Speedup at the largest input",
		"application|CompletePath accesses|paper|simulated")
	var complete, paper, ours []float64
	for _, b := range all {
		t.Add(b.name, b.complete, b.paper, b.ours)
		complete, paper, ours = append(complete, b.complete), append(paper, b.paper), append(ours, b.ours)
	}
	f.Table(t)
	f.State("speedup with the accesses through the CompletePath", papers.Interval(ours[0], ours[2]),
		slices.IsSorted(ours) && ours[0] < ours[2])
	shares := []float64{0, 0.5}
	page := plot.Page{Title: "Speedup over accesses and arithmetic (Radeon HD 5870)", Width: 1100,
		Panels: []plot.Panel{
			plot.Figure{Title: "applications at their largest input", XLabel: "CompletePath accesses",
				YLabel: "speedup of the coordinator", YLog: true, Lines: []plot.Line{
					{Name: "paper", X: complete, Y: paper, Style: plot.Markers},
					{Name: "simulated", X: complete, Y: ours, Style: plot.Markers},
				}},
		}}
	bounds := plot.Figure{Title: fmt.Sprintf("28 accesses, %d workgroups", mostGroups),
		XLabel: "ALU:Fetch ratio", YLabel: "speedup of the coordinator", XLog: true, YLog: true}
	falls := true
	var first, last float64
	for _, share := range shares {
		line, err := r.arithmetic(share)
		if err != nil {
			return papers.Outcome{}, err
		}
		falls = falls && papers.Falls(line.Y)
		first, last = line.Y[0], line.Y[len(line.Y)-1]
		bounds.Lines = append(bounds.Lines, line)
	}
	page.Panels = append(page.Panels, bounds)
	f.Page = page
	f.State("speedup with the ALU:Fetch ratio", papers.Interval(last, first), falls)
	return f.Outcome, nil
}

// arithmetic is the simulated speedup over the ALU:Fetch ratio of a kernel with
// the accesses of matrix multiplication, of whose loads that share is shared.
func (r *radeon) arithmetic(share float64) (plot.Line, error) {
	line := plot.Line{Name: fmt.Sprintf("%.0f %% of the loads shared", 100*share)}
	for ratio := 1.0; ratio <= 64; ratio *= 4 {
		w := r.form.GuideKernel(ratio, productComplete, share)
		before := coordinator.Work{Loads: int(w.Loads), UniformLoads: int(w.UniformLoads),
			Cycles: int(w.Cycles)}
		d, err := r.comparison(working(mostGroups, 1, before, coordinator.Work{}))
		if err != nil {
			return line, err
		}
		line.X, line.Y = append(line.X, ratio), append(line.Y, d.speedup())
	}
	return line, nil
}
