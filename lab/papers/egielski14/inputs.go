package egielski14

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// summands are those of the sample reduction of the CUDA SDK, from which [egielski14] takes its
// summation. How many keys it sorts and how many views it counts, the paper does not say: a
// million of each is an assumption.
const (
	summands = 1 << 24
	keys     = 1 << 20
	views    = 1 << 20
)

// input is one input of a benchmark.
type input struct {
	name    string
	drawnAs string // what the names of its runs add to its own
	draw    func() (apps.AppInput, error)
	levels  [3]float64 // collision levels of its atomic updates, see collisionLevels
	// represents marks those that Figures 7 and 8 show, motivates those of
	// Figures 2 and 5.
	represents, motivates bool
}

// collisionBlock is the number of updates of a block in the block level.
const collisionBlock = 256

// levelsOf counts the collisions of the updates' targets: keys, or pairs of a page and a visitor.
func levelsOf(application apps.Application, in apps.AppInput) (levels [3]float64, err error) {
	targets := in.Keys
	if application == apps.PageViewCount {
		targets = papers.List(len(in.Keys), func(i int) uint32 {
			return in.Keys[i]*uint32(in.Width) + in.Others[i]
		})
	}
	stats, err := collision.Analyze(targets, collision.Options{BlockSize: collisionBlock, Workers: 1})
	if err != nil {
		return levels, err
	}
	return [3]float64{stats.WarpLevel, stats.BlockLevel, stats.AllLevel}, nil
}

// drawn is a synthetic stream of n targets below k.
func drawn(family string, n int, k uint32, seed uint64, params map[string]float64) ([]uint32,
	error) {
	return synth.Generate(synth.Spec{Family: family, N: n, K: k, Seed: seed, Params: params})
}

// keySet is what merge sort sorts: keys of so many values at most.
type keySet struct {
	name   string
	family string
	values uint32 // 0: as many as keys
	params map[string]float64
}

// keySets are sets without repeated keys, with some and with many.
var keySets = []keySet{
	{"permuted", "permuted", 0, nil},
	{"512 values", "uniform", 512, nil},
	{"64 values", "uniform", 64, nil},
	{"16 values", "uniform", 16, nil},
	{"4 values", "uniform", 4, nil},
	{"2 values", "uniform", 2, nil},
	{"skewed 1", "zipf", 4096, map[string]float64{"s": 1, "shuffle": 1}},
	{"skewed 3", "zipf", 4096, map[string]float64{"s": 3, "shuffle": 1}},
	{"runs of 128", "runs", 0, map[string]float64{"len": 128}},
	{"one value", "constant", 0, nil},
}

// keySequences are the inputs of merge sort.
func keySequences(o papers.Options) []input {
	n := o.Scaled(keys)
	var all []input
	for i, k := range keySets {
		if k.values == 0 {
			k.values = uint32(n)
		}
		all = append(all, input{name: k.name, draw: func() (apps.AppInput, error) {
			sequence, err := drawn(k.family, n, k.values, o.Seed+uint64(i), k.params)
			return apps.AppInput{Keys: sequence}, err
		}})
	}
	return all
}

// visitors is the number of visitors of the page logs.
const visitors = 1024

// pageLog is a log of views: pairs of a page and a visitor, some of them
// repeated soon.
type pageLog struct {
	name   string
	family string
	pages  int // at scale 1
	params map[string]float64
}

var pageLogs = []pageLog{
	{"no repeats", "permuted", 2048, nil},
	{"uniform", "uniform", 512, nil},
	{"popular", "zipf", 512, map[string]float64{"s": 1, "shuffle": 1}},
	{"very popular", "zipf", 512, map[string]float64{"s": 1.5, "shuffle": 1}},
	{"reloads 4", "runs", 512, map[string]float64{"len": 4}},
	{"reloads 16", "runs", 512, map[string]float64{"len": 16}},
	{"reloads 64", "runs", 512, map[string]float64{"len": 64}},
	{"one visitor", "constant", 512, nil},
}

// visits are the inputs of the page view count: pairs are drawn as one number,
// pages times visitors of them.
func visits(o papers.Options) []input {
	var all []input
	for i, log := range pageLogs {
		all = append(all, input{name: log.name, draw: func() (apps.AppInput, error) {
			pages := uint32(o.Scaled(log.pages))
			pairs, err := drawn(log.family, o.Scaled(views), pages*visitors, o.Seed+uint64(i), log.params)
			in := apps.AppInput{Keys: make([]uint32, len(pairs)), Others: make([]uint32, len(pairs)),
				Bins: uint64(pages), Width: visitors}
			for i, pair := range pairs {
				in.Keys[i], in.Others[i] = pair/visitors, pair%visitors
			}
			return in, err
		}})
	}
	return all
}

// compacted are the sizes of the output array of the summation.
var compacted = []uint32{1, 2, 8, 32, 128, 512, 2048, 8192}

// sums are the inputs of the summation.
func sums(o papers.Options) []input {
	var all []input
	for _, bins := range compacted {
		all = append(all, input{name: fmt.Sprintf("%d sums", bins), draw: func() (apps.AppInput, error) {
			targets, err := drawn("sequential", o.Scaled(summands), bins, o.Seed, nil)
			return apps.AppInput{Keys: targets, Bins: uint64(bins)}, err
		}})
	}
	return all
}
