package gomezluna13

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// The data sets of [gomezluna13] Figure 8, and the replication factors that it
// finds best.
var (
	kmeansComponents = []int{2, 4, 5}
	kmeansClusters   = []int{128, 256, 512}
	kmeansFactors    = statedFactors(kmeansClusters)
)

func statedFactors(clusters []int) map[int]int {
	all := map[int]int{}
	for _, k := range clusters {
		all[k] = int(published.Number(fmt.Sprintf("k-means best of %d clusters", k)))
	}
	return all
}

// kmeans is the centroid update of so many clusters.
func kmeans(components, clusters, copies, pad int, mapping impl.Mapping) voting {
	if copies == 1 {
		pad, mapping = 0, impl.Cyclic
	}
	return voting{layout{clusters, copies, pad, mapping}, components, voteBlocks, voteThreads}
}

// eachKmeans calls do for every data set and number of clusters.
func eachKmeans(do func(components, clusters int)) {
	for _, components := range kmeansComponents {
		for _, clusters := range kmeansClusters {
			do(components, clusters)
		}
	}
}

// figure8 is the execution time of the centroid update, [gomezluna13] section
// 4.1.1.
func figure8(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	d, err := gtx580()
	if err != nil {
		return papers.Outcome{}, err
	}
	var all []voting
	eachKmeans(func(components, clusters int) {
		all = append(all,
			kmeansRuns(d, components, clusters)...)
	})
	us, err := timesOf(ctx, o, all, o.Repeats,
		func(clusters, repeat int) []uint32 { return assign(o, clusters, repeat) })
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.Table(us.kmeansTable(all))
	f.Page = us.kmeansPage(d, o)
	f.capacityRows(d)
	f.factorRows(d, us)
	f.kmeansPaddingRow(us)
	alone, err := aloneRatios(o, d)
	if err != nil {
		return papers.Outcome{}, err
	}
	f.kmeansBlockRows(d, us, alone)
	return f.Outcome, nil
}

// kmeansRuns lists the runs of a data set: all replication factors and both
// mappings, and padding at the factor that the paper finds best.
func kmeansRuns(d *device.Profile, components, clusters int) []voting {
	all := []voting{kmeans(components, clusters, 1, 0, impl.Cyclic)}
	for _, r := range factors(mostVotes(d, clusters, components))[1:] {
		for _, m := range mappings {
			all = append(all, kmeans(components, clusters, r, 0, m))
		}
	}
	return append(all, kmeans(components, clusters, kmeansFactors[clusters], 1, impl.Cyclic))
}

// assign draws the cluster of each object: the objects of a data set stand in
// no order, so that neighbours are as good as independent.
func assign(o papers.Options, clusters, repeat int) []uint32 {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(clusters)<<32|uint64(repeat)))
	all := make([]uint32, o.Objects)
	for i := range all {
		all[i] = uint32(rng.IntN(clusters))
	}
	return all
}

// kmeansSeries is the time over the replication factors.
func (us times) kmeansSeries(d *device.Profile, components, clusters int,
	mapping impl.Mapping) (copies []int, time []float64) {
	copies = factors(mostVotes(d, clusters, components))
	for _, r := range copies {
		time = append(time, us[kmeans(components, clusters, r, 0, mapping)])
	}
	return copies, time
}

func (us times) kmeansTable(all []voting) papers.Table {
	t := papers.NewTable("figure8", "Time of the centroid update",
		"components|clusters|R|mapping|pad [words]|time [us]")
	for _, v := range all {
		t.Add(v.components, v.words, v.copies, mappingNames[v.mapping], v.pad, us[v])
	}
	return t
}

func (us times) kmeansPage(d *device.Profile, o papers.Options) plot.Page {
	page := plot.Page{
		Title: fmt.Sprintf("Centroid update of k-means: %s objects, mean of %d runs (GeForce GTX "+
			"580, simulated)", papers.Thousands(o.Objects), o.Repeats),
		Columns: 3, Width: 1200,
	}
	eachKmeans(func(components, clusters int) {
		copies, cyclic := us.kmeansSeries(d, components, clusters, impl.Cyclic)
		_, block := us.kmeansSeries(d, components, clusters, impl.Block)
		panel := factorPanel(fmt.Sprintf("%d components, %d clusters", components, clusters), copies,
			"time [us]")
		panel.YFit = true
		panel.Lines = []plot.Line{{Name: "cyclic", X: floats(copies), Y: cyclic},
			{Name: "block", X: floats(copies), Y: block}, bestFactor(clusters, cyclic, block)}
		page.Panels = append(page.Panels, panel)
	})
	return page
}

// bestFactor marks the paper's best replication factor over the range of the times.
func bestFactor(clusters int, times ...[]float64) plot.Line {
	all, best := slices.Concat(times...), float64(kmeansFactors[clusters])
	return plot.Line{Name: "the paper's best factor", X: []float64{best, best},
		Y: []float64{slices.Min(all), slices.Max(all)}, Style: plot.Reference}
}

// alike is by how many percent simulated times differ that count as equal: runs of k-means with
// other objects differ by about one percent.
const alike = 1.5

func (f *findings) capacityRows(d *device.Profile) {
	most := kmeans(2, 128, lanes, 0, impl.Cyclic)
	more := kmeans(2, 128, lanes+1, 0, impl.Cyclic)
	found := mostVotes(d, 128, 2)
	f.StateNumber("largest replication factor of 128 clusters of 2-component objects",
		statedKmeansCopies, found,
		most.runs(d) && !more.runs(d) && float64(found) == statedKmeansCopies)
}

// factorRows are the statements about the best replication factor.
func (f *findings) factorRows(d *device.Profile, us times) {
	var best, stated, words []int
	worst := 0.0
	eachKmeans(func(components, clusters int) {
		copies, time := us.kmeansSeries(d, components, clusters, impl.Cyclic)
		at, paper := lowest(time), kmeansFactors[clusters]
		best, stated, words = append(best, copies[at]), append(stated, paper),
			append(words, copies[at]*clusters)
		lost := 100 * (us[kmeans(components, clusters, paper, 0, impl.Cyclic)]/time[at] - 1)
		worst = math.Max(worst, lost)
		if components == kmeansComponents[0] {
			f.StateNumber(fmt.Sprintf("best replication factor, %d clusters, %d components", clusters,
				components), float64(paper), copies[at], copies[at] == paper)
		}
	})
	f.State("best replication factor, 128, 256 and 512 clusters, for 2, 4 and 5 components in turn",
		list(best), slices.Equal(best, stated), worst).PaperValue = papers.Text(list(stated))
	f.State("time that the paper's factor takes beyond the fastest, all data sets, at most", worst,
		worst <= alike)
	f.StateLimit("words that the copies of a vote space take at the best factor, at most",
		statedKmeansSpace, slices.Max(words), float64(slices.Max(words)) <= statedKmeansSpace)
}

func (f *findings) kmeansPaddingRow(us times) {
	var gains []float64
	eachKmeans(func(components, clusters int) {
		r := kmeansFactors[clusters]
		padded, plain := us[kmeans(components, clusters, r, 1, impl.Cyclic)],
			us[kmeans(components, clusters, r, 0, impl.Cyclic)]
		gains = append(gains, 100*(1-padded/plain))
	})
	f.State("padding makes the update faster by", gains, slices.Max(gains) <= alike)
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return sum / float64(len(all))
}

// kmeansBlockRows compare block with cyclic mapping; alone are the ratios of a warp alone.
func (f *findings) kmeansBlockRows(d *device.Profile, us times, alone []float64) {
	var time []float64
	eachKmeans(func(components, clusters int) {
		for _, r := range factors(mostVotes(d, clusters, components))[1:] {
			time = append(time, us[kmeans(components, clusters, r, 0, impl.Block)]/us[kmeans(components,
				clusters, r, 0, impl.Cyclic)])
		}
	})
	f.State("block mapping takes longer than cyclic mapping in all cases: ratio of the times", time,
		slices.Min(time) > 1, mean(time))
	f.State("a warp alone takes longer with block than with cyclic mapping: ratio of the latencies",
		alone, slices.Min(alone) > 1)
	several := 0
	for r := 1; r <= lanes; r *= 2 {
		several = max(several, warpCopies(r))
	}
	f.State("copies that the lanes of one warp use in block mapping, 1,024 threads, up to 32 copies",
		several, several == 1)
}

// aloneRatios is the mean latency of a warp's votes in block over that in
// cyclic mapping, for each number of clusters and of copies.
func aloneRatios(o papers.Options, d *device.Profile) ([]float64, error) {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return nil, err
	}
	const samples = 20_000
	rng := rand.New(rand.NewPCG(o.Seed, 8))
	pattern := make([]int32, lanes)
	var ratios []float64
	for _, clusters := range kmeansClusters {
		for _, r := range factors(mostVotes(d, clusters, kmeansComponents[0]))[1:] {
			var cycles [2]float64
			for i, m := range mappings {
				l := layout{words: clusters, copies: r, mapping: m}
				for range samples {
					for t := range pattern {
						pattern[t] = int32(rng.IntN(clusters) + l.copyOf(t, voteThreads)*clusters)
					}
					cycles[i] += p.closed(pattern)
				}
			}
			ratios = append(ratios, cycles[1]/cycles[0])
		}
	}
	return ratios, p.err
}

// warpCopies is the largest number of copies that the lanes of one warp of a
// block of 1,024 threads use in block mapping.
func warpCopies(copies int) int {
	l := layout{words: 1, copies: copies, mapping: impl.Block}
	most := 0
	for first := 0; first < voteThreads; first += lanes {
		used := map[int]bool{}
		for t := first; t < first+lanes; t++ {
			used[l.copyOf(t, voteThreads)] = true
		}
		most = max(most, len(used))
	}
	return most
}
