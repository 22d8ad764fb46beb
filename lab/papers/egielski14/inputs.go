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
