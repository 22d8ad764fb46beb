package speed

import (
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
)

var collisionSuite = Suite{"collision", "Exact statistics of streams in memory, and one counter in memory for each " +
	"index, which exact statistics cannot do without. The reference adds up the indices.", measureCollision}

// analyzed are the streams, as Spec of synth but for their length.
var analyzed = []string{
	"uniform:k=256", "uniform:k=65536", "uniform:k=16777216", "uniform:k=4294967295",
	"zipf:k=256", "zipf:k=65536", "zipf:k=16777216",
	"sorted:k=65536", "sorted:k=16777216", "sorted:k=4294967295",
	"constant:k=65536", "stride:k=1048576",
}

func measureCollision(r *runner) error {
	const updates, cores = 1 << 24, 2
	if err := counters(r, updates, cores); err != nil {
		return err
	}
	for _, text := range analyzed {
		spec, err := synth.Parse(fmt.Sprintf("%s,n=%d", text, updates))
		if err != nil {
			return err
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			return err
		}
		err = r.time(Case{Name: text, Work: updates, Unit: "indices", Cores: cores, Aim: Aim{Rate: 60e6},
			Run: func() error {
				_, err := collision.Analyze(indices, collision.Options{Workers: cores})
				return err
			}, Against: &Reference{Name: "sum", Work: updates,
				Run: func() error { return addUp(indices, cores) }}})
		if err != nil {
			return err
		}
	}
	return nil
}

// countedText is the stream that counters counts.
const countedText = "uniform:k=65536"

// counters times what no exact statistics can do without, a counter in memory for each index.
func counters(r *runner, updates, cores int) error {
	spec, err := synth.Parse(fmt.Sprintf("%s,n=%d", countedText, updates))
	if err != nil {
		return err
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		return err
	}
	counts := make([][]uint32, cores)
	for i := range counts {
		counts[i] = make([]uint32, spec.K)
	}
	return r.time(Case{Name: "counters/" + countedText, Work: float64(updates), Unit: "indices", Cores: cores,
		Run: func() error {
			return inParts(indices, cores, func(i int, part []uint32) {
				own := counts[i]
				for _, index := range part {
					own[index]++
				}
			})
		}, Against: &Reference{Name: "sum", Work: float64(updates),
			Run: func() error { return addUp(indices, cores) }}})
}

// inParts runs f for so many parts of the indices at once.
func inParts(indices []uint32, cores int, f func(i int, part []uint32)) error {
	var group errgroup.Group
	for i := range cores {
		group.Go(func() error {
			f(i, indices[i*len(indices)/cores:(i+1)*len(indices)/cores])
			return nil
		})
	}
	return group.Wait()
}

// addUp adds up indices with so many goroutines.
func addUp(indices []uint32, cores int) error {
	sums := make([]uint64, cores)
	err := inParts(indices, cores, func(i int, part []uint32) {
		var a, b, c, d uint64
		for ; len(part) >= 4; part = part[4:] {
			a, b, c, d = a+uint64(part[0]), b+uint64(part[1]), c+uint64(part[2]), d+uint64(part[3])
		}
		sums[i] = a + b + c + d
	})
	if err != nil {
		return err
	}
	if len(indices) == 0 {
		return fmt.Errorf("nothing to add up")
	}
	return nil
}
