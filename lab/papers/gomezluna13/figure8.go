package gomezluna13

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
	"github.com/atomtune/atomtune/variant"
)

// The data sets of [gomezluna13] Figure 8, and the replication factors that it
// finds best.
var (
	kmeansComponents = []int{2, 4, 5}
	kmeansClusters   = []int{128, 256, 512}
	kmeansFactors    = map[int]int{128: 8, 256: 4, 512: 2}
)

// kmeans is the centroid update of so many clusters.
func kmeans(components, clusters, copies, pad int, mapping variant.Mapping) voting {
	if copies == 1 {
		pad, mapping = 0, variant.Cyclic
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
	eachKmeans(func(components, clusters int) { all = append(all, kmeansRuns(d, components, clusters)...) })
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
	all := []voting{kmeans(components, clusters, 1, 0, variant.Cyclic)}
	for _, r := range factors(mostVotes(d, clusters, components))[1:] {
		for _, m := range mappings {
			all = append(all, kmeans(components, clusters, r, 0, m))
		}
	}
	return append(all, kmeans(components, clusters, kmeansFactors[clusters], 1, variant.Cyclic))
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
func (us times) kmeansSeries(d *device.Profile, components, clusters int, mapping variant.Mapping) (copies []int, time []float64) {
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
		Title:   fmt.Sprintf("Centroid update of k-means: %s objects, mean of %d runs (GeForce GTX 580, simulated)", papers.Thousands(o.Objects), o.Repeats),
		Columns: 3, Width: 1200,
	}
	eachKmeans(func(components, clusters int) {
		copies, cyclic := us.kmeansSeries(d, components, clusters, variant.Cyclic)
		_, block := us.kmeansSeries(d, components, clusters, variant.Block)
		panel := factorPanel(fmt.Sprintf("%d components, %d clusters", components, clusters), copies, "time [us]")
		panel.YFit = true
		panel.Lines = []plot.Line{{Name: "cyclic", X: floats(copies), Y: cyclic}, {Name: "block", X: floats(copies), Y: block}}
		page.Panels = append(page.Panels, panel)
	})
	return page
}
