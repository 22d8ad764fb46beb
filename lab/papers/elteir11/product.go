package elteir11

import (
	"slices"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// products are the sides of the matrices of Figure 10.
func products() []int { return []int{8, 16, 32, 64, 128, 256} }

// productIterations is how many iterations of the product's loop are taken to be unrolled:
// as many as two loads each fill a clause of 16.
const productIterations = 8

// productLoads are the loads beside those of the unrolled loop: what is left of
// the paper's count.
func productLoads(unrolled int) int { return productComplete - 1 - recordStores - 2*unrolled }

// productElements is what one wavefront does for 64 elements from that one on of
// an n by n product: each lane loads a row of X, and of Y a column, at the
// addresses that X, before Y, row by row, has. The lanes have neighbouring
// columns and, from n = 64 on, one row.
func productElements(n, unrolled, first int) coordinator.Work {
	x := experiment.Pattern{First: first / n * n, Turn: 1, Width: n, Down: n}
	y := experiment.Pattern{First: n*n + first%n, Turn: n, Width: n, Across: 1}
	return coordinator.Work{
		Loads:   productLoads(unrolled),
		Further: experiment.Loop{Iterations: n, Patterns: []experiment.Pattern{x, y}, Unrolled: unrolled},
	}
}

// product is the kernel: thread t of T has the elements t, t + T and so on.
func product(n, unrolled int) *coordinator.Kernel {
	groups, elements := split(n * n)
	k := working(groups, elements, coordinator.Work{}, coordinator.Work{Stores: recordStores})
	for g := range k.Groups {
		for e := range elements {
			k.Groups[g][0][e].Before = productElements(n, unrolled, (e*groups+g)*coordinator.WavefrontLanes)
		}
	}
	return k
}

// productComparisons are an n by n product whose FastPath loads come from memory, and
// from the L2 cache where that holds them.
type productComparisons struct{ straight, cached comparison }

// cachedLoads runs a kernel with the coordinator and loads from the L2 cache.
func (r *radeon) cachedLoads(k *coordinator.Kernel) (us float64) {
	return r.microseconds(r.run(k, coordinator.Options{Regime: experiment.Paths{Cached: true},
		Atomics: coordinator.Software, AsPrinted: true}).Cycles)
}

// multiplied runs the kernel of a product.
func (r *radeon) multiplied(n int, k *coordinator.Kernel) productComparisons {
	straight := r.comparison(k)
	straight.at = n
	cached := straight
	cached.softwareUS = r.cachedLoads(k)
	return productComparisons{straight, cached}
}

// product runs an n by n product, with the closed forms.
func (r *radeon) product(n int) productComparisons {
	k := product(n, productIterations)
	d := r.multiplied(n, k)
	for _, c := range []*comparison{&d.straight, &d.cached} {
		r.closed(c, len(k.Groups[0][0]), equations.KernelWork{
			Loads: float64(productLoads(productIterations) + 2*n), Stores: recordStores})
	}
	return d
}

// figure10 is matrix multiplication, [elteir11] Figure 10.
func (r *radeon) figure10(f *findings) {
	var straight, cached, one, oneCached comparisons
	for _, n := range products() {
		d, e := r.product(n), r.multiplied(n, perWavefront(product(n, productIterations)))
		straight, cached = append(straight, d.straight), append(cached, d.cached)
		one, oneCached = append(one, e.straight), append(oneCached, e.cached)
	}
	short := func(k *coordinator.Kernel) float64 {
		return r.microseconds(r.launch(k, coordinator.System).Cycles) / r.cachedLoads(k)
	}
	few := product(slices.Max(products()), 2)
	f.productRows("", straight, cached, short(few))
	f.productRows(eachWavefront, one, oneCached, short(perWavefront(few)))
	const closed = "; the closed forms take X as neighbouring words"
	f.Table(straight.table("figure10", "Matrix multiplication, loads from memory"+closed, "n"))
	f.Table(cached.table("figure10-cached", "Matrix multiplication, loads from the L2 cache"+closed,
		"n"))
	f.Table(one.times("figure10-wavefront", "Matrix multiplication, loads from memory"+eachWavefront, "n"))
	f.Table(oneCached.times("figure10-wavefront-cached", "Matrix multiplication, loads from the L2 cache"+
		eachWavefront, "n"))
	f.Page = straight.page("Matrix multiplication, n by n", "n", []point{{8, statedSmallProduct},
		{256, statedLargeProduct}})
	f.Page.Panels[1] = withLine(f.Page.Panels[1], "simulated, per wavefront", one)
	f.Page.Panels[1] = withLine(f.Page.Panels[1], "simulated, loads cached", cached)
}

// productRows compares with the paper's values; short is the largest product with
// cached loads and less of its loop unrolled.
func (f *findings) productRows(level string, straight, cached comparisons, short float64) {
	f.ratio("speedup at 8 by 8"+level, statedSmallProduct, straight.at(8).speedup())
	f.ratio("speedup at 256 by 256"+level, statedLargeProduct, straight.at(256).speedup(),
		papers.Number(cached.at(256).speedup()), f.closed(statedLargeProduct, short))
	f.State("speedup with the size of the matrices"+level,
		papers.Interval(straight[0].speedup(), slices.Max([]float64{straight.last().speedup(),
			cached.last().speedup()})),
		straight.rises() && cached.rises())
}
