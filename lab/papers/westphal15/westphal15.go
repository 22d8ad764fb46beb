// Package westphal15 simulates sums by key, plain, reduced within warps and
// binned in shared memory, and follows the votes of [westphal15] step by step.
//
// References:
//
//	[westphal15]    E. Westphal. Voting and Shuffling to Optimize Atomic Operations.
//	                NVIDIA developer blog, 2015.
package westphal15

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
)

//go:embed statements.csv
var statements string

//go:embed published.csv
var publishedTable string

// published are the numbers of [westphal15].
var published = papers.NewPublished("westphal15", publishedTable)

// Paper lists the experiments of [westphal15].
func Paper() papers.Paper {
	return papers.NewPaper(papers.Paper{Key: "westphal15", Scaled: true, Memo: true, Published: published,
		Reference: "E. Westphal. Voting and Shuffling to Optimize Atomic Operations. NVIDIA developer " +
			"blog, 2015",
		Experiments: []papers.Experiment{
			{Name: "steps", Title: "get_peers and reduce_peers, step by step", Make: steps},
			{Name: "divergence", Title: "Compare-and-swap loops of a warp", Make: divergence},
			{Name: "figure1", Title: "Double precision, ordered and shifted keys", Make: figure1},
			{Name: "excluded", Title: "Single precision, and random keys", Make: excluded},
			{Name: "masks", Title: "What the masks of peers cost", Make: masks},
			{Name: "hopper", Title: "The same keys on an H200, simulated and measured", Make: hopper},
		}}, statements)
}

// The box of [westphal15]: 100 by 100 by 100 cells with 10 particles each, one
// update a particle.
var (
	boxCells  = uint64(published.Number("keys"))
	perCell   = uint64(published.Number("particles of a cell"))
	shift     = published.Number("probability of a shift") / 100
	particles = int(perCell * boxCells)
)

// boxSample is how many of the particles are simulated at scale 1: in boxPieces
// stretches at equal distances, against memory for all cells. A stretch is whole
// warps.
const (
	boxSample = 1 << 17
	boxPieces = 8
	boxWarp   = 32
)

// sampled is how many of the particles are simulated: one warp of each stretch at
// least, and all of them at most.
func sampled(o papers.Options) int {
	const step = boxPieces * boxWarp
	return min(max(1, o.Scaled(boxSample)/step)*step, particles)
}

// keyOrder is one of the three distributions of keys of [westphal15].
type keyOrder struct {
	name string
	spec string // of datasets/synth, without seed
}

// The distributions. A shifted particle goes, with that probability each, one
// cell on in x, in y and in z.
var (
	randomKeys  = keyOrder{"random", fmt.Sprintf("uniform:n=%d,k=%d", particles, boxCells)}
	orderedKeys = keyOrder{"ordered", cells(0)}
	shiftedKeys = keyOrder{"shifted", cells(shift)}
	keyOrders   = []keyOrder{randomKeys, orderedKeys, shiftedKeys}
)

func cells(shift float64) string {
	return fmt.Sprintf("cells:n=%d,k=%d,ppc=%d,shift=%v", particles, boxCells, perCell, shift)
}

// drawnSample names a sample of the particles.
type drawnSample struct {
	keyOrder
	seed  uint64
	scale float64
}

// samples are those that were drawn before.
var samples sync.Map

// keys draws all particles and returns the sample.
func (k keyOrder) keys(o papers.Options) ([]uint32, error) {
	name := drawnSample{k, o.Seed, o.Scale}
	if known, ok := samples.Load(name); ok {
		return known.([]uint32), nil
	}
	spec, err := synth.Parse(fmt.Sprintf("%s,seed=%d", k.spec, o.Seed))
	if err != nil {
		return nil, err
	}
	all, err := synth.Generate(spec)
	if err != nil {
		return nil, err
	}
	sample := pieces(all, sampled(o))
	samples.Store(name, sample)
	return sample, nil
}

// pieces returns n of the keys in stretches of whole warps at equal distances, or
// all of them where they are fewer.
func pieces(all []uint32, n int) []uint32 {
	if n >= len(all) {
		return all
	}
	length := n / boxPieces
	out := make([]uint32, 0, n)
	for i := range boxPieces {
		at := (len(all) - length) / (boxPieces - 1) * i &^ 1023
		out = append(out, all[at:at+length]...)
	}
	return out
}

// form is one of the implementations that [westphal15] compares.
type form uint8

const (
	simple  form = iota // the device's atomic addition, or its compare-and-swap loop
	reduced             // reduce_peers, the masks of peers being there
	masked              // get_peers and reduce_peers
	keyed               // the same with masks found by a hash of the keys
	hashed              // binning in shared memory by a hash table made on the fly
	forms   = 5
)

// byHash finds masks by a hash of the keys.
var byHash = impl.Spec{Reduction: impl.Peers, Masks: impl.Hash}

var formNames = [forms]string{"simple atomic", "warp reduction", "warp reduction and masks",
	"warp reduction and masks by hash", "shared hashed"}

func (f form) String() string { return formNames[f] }

// given returns the device with masks of peers for nothing: a match instruction
// that takes no time.
func given(d *device.Profile) *device.Profile {
	free := *d
	free.Exchange.HasMatch.Value = true
	for _, q := range []*device.Quantity{
		&free.Exchange.MatchLatency, &free.Exchange.MatchKey, &free.Exchange.MatchPort,
		&free.Exchange.MatchKeyPort,
	} {
		q.Value = 0
	}
	return &free
}

// nanoseconds simulates the sums of one form and returns the time of its kernel
// per update. The final sums are compared with a serial reference.
func (f form) nanoseconds(d *device.Profile, t device.Type, keys []uint32, cells,
	seed uint64) (float64, error) {
	cfg := hwsim.Config{Device: d, Call: device.Call{Type: t}, Seed: seed}
	var r hwsim.Result
	var err error
	switch f {
	case hashed:
		r, err = apps.RunHashed(cfg, apps.DefaultHashTable(), keys, cells)
	case keyed:
		cfg.Implementation = byHash
		r, err = hwsim.Run(cfg, keys, cells)
	case reduced:
		cfg.Device, cfg.Implementation = given(d), impl.Spec{Reduction: impl.Match}
		r, err = hwsim.Run(cfg, keys, cells)
	case masked:
		cfg.Implementation = impl.Spec{Reduction: impl.Peers}
		r, err = hwsim.Run(cfg, keys, cells)
	default:
		r, err = hwsim.Run(cfg, keys, cells)
	}
	switch {
	case err != nil:
		return 0, err
	case !r.Correct:
		return 0, fmt.Errorf("%s, %s on %s: wrong sums", f, t, d.Name)
	}
	kernel := r.Kernels[len(r.Kernels)-1]
	return float64(kernel.Cycles) * 1e3 / d.Core.Clock.Value / float64(len(keys)), nil
}

// timed is nanoseconds of the sample of an order of keys, or what is stored of it.
func (f form) timed(
	o papers.Options, d *device.Profile, t device.Type, order keyOrder, near bool,
) (float64, error) {
	run := fmt.Sprintf("westphal15 %s %s %s | %s keys, scale %v, seed %d, in L2 %v",
		d.Name, t, f, order.name, o.Scale, o.Seed, near)
	return o.Simulated(run, func() (float64, error) {
		keys, err := order.keys(o)
		if err != nil {
			return 0, err
		}
		if near {
			d = targetsInL2(d)
		}
		return f.nanoseconds(d, t, keys, boxCells, o.Seed)
	})
}

// boxDevices are the generations of [westphal15], Kepler and Maxwell. It does
// not name its boards.
var boxDevices = []string{"gtx680", "gtx980"}

// boxTimes are nanoseconds per update, by device, key order and form.
type boxTimes map[string]map[string][forms]float64

// targetsInL2 returns the device with an L2 from which no target is evicted.
func targetsInL2(d *device.Profile) *device.Profile {
	larger := *d
	larger.Memory.L2AtomicBytes.Value = 1 << 32
	return &larger
}

// boxTasks is how many runs boxRuns makes for so many key orders.
func boxTasks(orders int) int { return len(boxDevices) * orders * forms }

// boxRuns simulates all forms on the devices: as they are, or, with near, with all
// targets in L2.
func boxRuns(
	ctx context.Context, o papers.Options, t device.Type, orders []keyOrder, near bool,
) (boxTimes, error) {
	for _, order := range orders { // so that no two tasks draw them
		err := ctx.Err()
		if err == nil {
			_, err = order.keys(o)
		}
		if err != nil {
			return nil, err
		}
	}
	times := make([]float64, boxTasks(len(orders)))
	err := o.Share(ctx, len(times), func() (func(int) error, error) {
		return func(task int) (err error) {
			d, err := device.Builtin(boxDevices[task/forms/len(orders)])
			if err != nil {
				return err
			}
			f, order := form(task%forms), task/forms%len(orders)
			times[task], err = f.timed(o, d, t, orders[order], near)
			return err
		}, nil
	})
	if err != nil {
		return nil, err
	}
	all := boxTimes{}
	for i, name := range boxDevices {
		all[name] = map[string][forms]float64{}
		for j, order := range orders {
			all[name][order.name] = [forms]float64(slices.Clone(times[(i*len(orders)+j)*forms:][:forms]))
		}
	}
	return all, nil
}

// findings collects the outcome of one experiment.
type findings struct{ papers.Findings }
