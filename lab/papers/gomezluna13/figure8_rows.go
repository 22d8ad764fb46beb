package gomezluna13

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/expectation"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/variant"
)

// The limits within which simulated times of k-means count as equal, in
// percent: runs with other objects differ by about one.
const (
	alike      = 1.5
	nearlyBest = 3
)

func (f *findings) capacityRows(d *device.Profile) {
	most := kmeans(2, 128, lanes, 0, variant.Cyclic)
	more := kmeans(2, 128, lanes+1, 0, variant.Cyclic)
	f.State("largest replication factor of 128 clusters of 2-component objects", mostVotes(d, 128, 2),
		most.runs(d) && !more.runs(d))
}

// factorRows are the statements about the best replication factor.
func (f *findings) factorRows(d *device.Profile, us times) {
	var best, stated, words []int
	worst := 0.0
	eachKmeans(func(components, clusters int) {
		copies, time := us.kmeansSeries(d, components, clusters, variant.Cyclic)
		at, paper := lowest(time), kmeansFactors[clusters]
		best, stated, words = append(best, copies[at]), append(stated, paper), append(words, copies[at]*clusters)
		lost := 100 * (us[kmeans(components, clusters, paper, 0, variant.Cyclic)]/time[at] - 1)
		worst = math.Max(worst, lost)
		if components == kmeansComponents[0] {
			f.State(fmt.Sprintf("best replication factor, %d clusters, %d components", clusters, components),
				copies[at], lost <= alike, lost)
		}
	})
	f.State("best replication factor, 128, 256 and 512 clusters, for 2, 4 and 5 components in turn",
		list(best), slices.Equal(best, stated))
	f.State("time that the paper's factor takes beyond the fastest, all data sets, at most", worst,
		worst <= nearlyBest)
	f.State("words that the copies of a vote space take at the best factor, at most",
		slices.Max(words), slices.Max(words) <= lockWords)
}

func (f *findings) kmeansPaddingRow(us times) {
	var gains []float64
	eachKmeans(func(components, clusters int) {
		r := kmeansFactors[clusters]
		padded, plain := us[kmeans(components, clusters, r, 1, variant.Cyclic)], us[kmeans(components, clusters, r, 0, variant.Cyclic)]
		gains = append(gains, 100*(1-padded/plain))
	})
	mean := 0.0
	for _, g := range gains {
		mean += g / float64(len(gains))
	}
	f.State("padding makes the update faster by", mean, mean <= 2)
}

// kmeansBlockRows compare block with cyclic mapping; alone are the ratios of a warp alone.
func (f *findings) kmeansBlockRows(d *device.Profile, us times, alone []float64) {
	var time []float64
	eachKmeans(func(components, clusters int) {
		for _, r := range factors(mostVotes(d, clusters, components))[1:] {
			time = append(time, us[kmeans(components, clusters, r, 0, variant.Block)]/us[kmeans(components, clusters, r, 0, variant.Cyclic)])
		}
	})
	f.State("block mapping takes longer than cyclic mapping in all cases: ratio of the times", time,
		slices.Min(time) > 1)
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
	p, err := latency.ForDevice(d, device.OpAdd, device.U32)
	if err != nil {
		return nil, err
	}
	const samples = 20_000
	var ratios []float64
	for _, clusters := range kmeansClusters {
		for _, r := range factors(mostVotes(d, clusters, kmeansComponents[0]))[1:] {
			var mean [2]float64
			for i, m := range mappings {
				v := latency.Votes{Words: clusters, Replicas: r, Map: m, Threads: voteThreads}
				e, err := expectation.Of(p, v, expectation.Options{Samples: samples, Seed: o.Seed})
				if err != nil {
					return nil, err
				}
				mean[i] = e.Cycles
			}
			ratios = append(ratios, mean[1]/mean[0])
		}
	}
	return ratios, nil
}

// warpCopies is the largest number of copies that the lanes of one warp of a
// block of 1,024 threads use in block mapping.
func warpCopies(copies int) int {
	l := layout{words: 1, copies: copies, mapping: variant.Block}
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
