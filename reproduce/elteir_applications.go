package reproduce

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/speedup"
)

// products are the sides of the matrices of Figure 10.
func products() []int { return []int{8, 16, 32, 64, 128, 256} }

// product runs the matrix multiplications, whose threads have one element each
// while there is room.
func (r *radeon) product(shared bool) (duels, error) {
	var all duels
	for _, n := range products() {
		groups, elements := split(n * n)
		before, after := productWork(n, shared)
		d, err := r.applied(n, groups, elements, before, after)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// figure10 is matrix multiplication, [elteir11] Figure 10.
func (r *radeon) figure10(context.Context, Options) (Outcome, error) {
	apart, err := r.product(false)
	if err != nil {
		return Outcome{}, err
	}
	shared, err := r.product(true)
	if err != nil {
		return Outcome{}, err
	}
	var f findings
	const count = "accesses by the paper's table, the loop's two loads n times, one atomic addition per element"
	f.productRows(apart, shared, count)
	f.table(apart.table("figure10", "Matrix multiplication, rows of X as neighbouring words", "n"))
	f.table(shared.table("figure10-shared", "Matrix multiplication, rows of X as one word that all want", "n"))
	f.Page = apart.page("Matrix multiplication, n by n", "n", []point{{8, 0.62}, {256, 13.55}})
	f.Page.Panels[1] = withLine(f.Page.Panels[1], "simulated, X shared", shared)
	return f.Outcome, nil
}

func (f *findings) productRows(apart, shared duels, count string) {
	f.enforce(ratioOf("speedup at 8 by 8, without queues for X", 0.62, apart.at(8).speedup(), count))
	f.gap(ratioOf("speedup at 8 by 8, X as one word that all want", 0.62, shared.at(8).speedup(),
		count+"; a queue for the lanes on one word, which 69.4 in section III demands, makes X slower than the paper's time allows"))
	f.gap(ratioOf("speedup at 256 by 256, without queues for X", 13.55, apart.at(256).speedup(),
		count+"; it cannot exceed 96 over 18 GB/s, 5.33, as long as no load queues for a word, so some of them do"))
	f.gap(ratioOf("speedup at 256 by 256, X as one word that all want", 13.55, shared.at(256).speedup(),
		count+"; a wavefront's lanes share a row of X, but wavefronts have different rows on different channels, and here all queue at one"))
	f.enforce(claim{
		item: "both descriptions enclose the speedup at 256 by 256", paper: Number(13.55),
		ours: Interval(apart.at(256).speedup(), shared.at(256).speedup()), unit: "times",
		reason: "X without queues, and with all queues at one channel; the paper does not say where X lies",
		holds:  apart.at(256).speedup() < 13.55 && shared.at(256).speedup() > 13.55,
	})
	f.enforce(claim{
		item: "speedup with the size of the matrices", paper: Text("increases"), ours: Interval(apart[0].speedup(), apart.last().speedup()), unit: "times",
		reason: "at every doubling of n, without queues for X", holds: apart.rises(),
	})
}

// figure11 is the map phase of k-means, [elteir11] Figure 11.
func (r *radeon) figure11(context.Context, Options) (Outcome, error) {
	before, after := kmeansWork()
	var all duels
	for points := 512; points <= 8192; points *= 2 {
		groups, elements := split(points)
		d, err := r.applied(points, groups, elements, before, after)
		if err != nil {
			return Outcome{}, err
		}
		all = append(all, d)
	}
	var f findings
	f.pointRows(all, fmt.Sprintf("one point per thread, accesses by the paper's table: %d loads of the point, %d of centroids that all threads share, %d stores", before.Loads, before.UniformLoads, after.Stores))
	f.table(all.table("figure11", "Map phase of k-means", "points"))
	f.Page = all.page("Map phase of k-means", "points", []point{{512, 15.52}, {8192, 67.3}})
	return f.Outcome, nil
}

func (f *findings) pointRows(all duels, count string) {
	f.enforce(ratioOf("speedup at 512 points", 15.52, all.at(512).speedup(), count))
	f.gap(ratioOf("speedup at 8,192 points", 67.3, all.at(8192).speedup(),
		count+". All queue for one centroid at a time, for as long per load as section III demands; fewer shared loads, or arithmetic, would bring it down, and the paper gives neither"))
	f.enforce(claim{
		item: "speedup with the number of points", paper: Text("increases"), ours: Interval(all[0].speedup(), all.last().speedup()), unit: "times",
		reason: "at every doubling", holds: all.rises(),
	})
}

// scalar runs the scalar product over the workgroups.
func (r *radeon) scalar() (duels, error) {
	before, after := r.scalarWork()
	var all duels
	for _, n := range workgroupCounts() {
		d, err := r.applied(n, n, 1, before, after)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// figure12 is the scalar product, [elteir11] Figure 12.
func (r *radeon) figure12(context.Context, Options) (Outcome, error) {
	all, err := r.scalar()
	if err != nil {
		return Outcome{}, err
	}
	var f findings
	f.scalarRows(all)
	before, _ := r.scalarWork()
	ratio := r.form.ALUFetch(speedup.KernelWork{Loads: float64(before.Loads), Cycles: float64(before.Cycles)})
	f.enforce(claim{
		item: "ALU:Fetch ratio", paper: Number(scalarALUFetch), ours: Number(ratio), unit: "1",
		reason: "of the kernel that is simulated, in whole cycles; the paper's ratio is what it was described by", holds: within(ratio, scalarALUFetch, 1.01),
	})
	f.table(all.table("figure12", "Scalar product", "workgroups"))
	f.Page = all.page("Scalar product", "workgroups", []point{{2, 0.4}, {128, 0.92}})
	return f.Outcome, nil
}

func (f *findings) scalarRows(all duels) {
	const count = "two loads, an atomic addition, arithmetic by the ALU:Fetch ratio of 2.88"
	const unlike = count + ". Figure 8 measured 1.9 at 128 workgroups for the addition alone, and the loads can only add to the gain: the paper's two figures disagree, and our device follows Figure 8"
	f.enforce(ratioOf("speedup at 2 workgroups", 0.4, all.at(2).speedup(), count))
	f.gap(ratioOf("speedup at 128 workgroups", 0.92, all.at(128).speedup(), unlike))
	f.gap(ratioOf("mean speedup", 0.61, all.mean(), unlike))
	f.enforce(claim{
		item: "speedup with the number of workgroups", paper: Text("increases"), ours: Interval(all[0].speedup(), all.last().speedup()), unit: "times",
		reason: "at every doubling", holds: all.rises(),
	})
}
