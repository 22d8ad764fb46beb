package egielski14

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/hwsim/apps"
)

// The numbers of elements of the inputs at scale 1.
const (
	pixels   = 1 << 16
	elements = 1 << 18 // of a matrix that are not zero
	keys     = 1 << 15 // to sort, and page views
	summands = 1 << 17
)

// input is one input of a benchmark.
type input struct {
	name string
	apps.AppInput
	levels [3]float64 // collision levels of its atomic updates, see collisionLevels
	// represents marks those that Figures 7 and 8 show, motivates those of
	// Figures 2 and 5.
	represents, motivates bool
}

// collisionBlock is the number of updates of a block in the block level.
const collisionBlock = 256

// newInput counts the collisions of the updates' targets.
func newInput(name string, in apps.AppInput, targets []uint32) (input, error) {
	stats, err := collision.Analyze(targets, collision.Options{BlockSize: collisionBlock, Workers: 1})
	if err != nil {
		return input{}, fmt.Errorf("%s: %w", name, err)
	}
	return input{name: name, AppInput: in, levels: [3]float64{stats.WarpLevel, stats.BlockLevel,
		stats.AllLevel}}, nil
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
func keySequences(seed uint64, scale int) ([]input, error) {
	n := keys * scale
	var all []input
	for i, k := range keySets {
		values := k.values
		if values == 0 {
			values = uint32(n)
		}
		sequence, err := drawn(k.family, n, values, seed+uint64(i), k.params)
		if err != nil {
			return nil, err
		}
		in, err := newInput(k.name, apps.AppInput{Keys: sequence}, sequence)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}

// visitors is the number of visitors of the page logs.
const visitors = 1024

// pageLog is a log of views: pairs of a page and a visitor, some of them
// repeated soon.
type pageLog struct {
	name   string
	family string
	pages  uint32
	params map[string]float64
}

var pageLogs = []pageLog{
	{"no repeats", "permuted", 64, nil},
	{"uniform", "uniform", 16, nil},
	{"popular", "zipf", 16, map[string]float64{"s": 1, "shuffle": 1}},
	{"very popular", "zipf", 16, map[string]float64{"s": 1.5, "shuffle": 1}},
	{"reloads 4", "runs", 16, map[string]float64{"len": 4}},
	{"reloads 16", "runs", 16, map[string]float64{"len": 16}},
	{"reloads 64", "runs", 16, map[string]float64{"len": 64}},
	{"one visitor", "constant", 16, nil},
}

// visits are the inputs of the page view count: pairs are drawn as one number,
// pages times visitors of them.
func visits(seed uint64, scale int) ([]input, error) {
	var all []input
	for i, log := range pageLogs {
		pairs, err := drawn(log.family, keys*scale, log.pages*visitors, seed+uint64(i), log.params)
		if err != nil {
			return nil, err
		}
		in := apps.AppInput{Keys: make([]uint32, len(pairs)), Others: make([]uint32, len(pairs)),
			Bins: uint64(log.pages), Width: visitors}
		for i, pair := range pairs {
			in.Keys[i], in.Others[i] = pair/visitors, pair%visitors
		}
		x, err := newInput(log.name, in, pairs)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// compacted are the sizes of the output array of the summation.
var compacted = []uint32{1, 2, 8, 32, 128, 512, 2048, 8192}

// sums are the inputs of the summation.
func sums(seed uint64, scale int) ([]input, error) {
	var all []input
	for _, bins := range compacted {
		targets, err := synth.Generate(synth.Spec{Family: "sequential", N: summands * scale, K: bins,
			Seed: seed})
		if err != nil {
			return nil, err
		}
		in, err := newInput(fmt.Sprintf("%d sums", bins),
			apps.AppInput{Keys: targets, Bins: uint64(bins)}, targets)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}
