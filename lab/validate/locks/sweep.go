package locks

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/training"
)

// A sweep is a device's simulated points, with closed forms.
type sweep struct {
	*training.Training
	device string
	gpu    *device.Profile
	types  []device.Type // of each sample
	specs  []synth.Spec  // likewise
	others []float64     // likewise: other warps that hold a target
	hot    []float64     // likewise: share of the updates of the hottest target
}

// The checkpoints of the points.
//
//go:embed *.jsonl.gz
var checkpoints embed.FS

// readSweeps reads the points of both devices, once.
var readSweeps = sync.OnceValues(func() (list []*sweep, err error) {
	for _, name := range Devices {
		s, err := readSweep(name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
})

// readSweep reads the points of a device.
func readSweep(name string) (*sweep, error) {
	d, err := device.Builtin(name)
	if err != nil {
		return nil, err
	}
	data, err := checkpoints.ReadFile(name + ".jsonl.gz")
	if err != nil {
		return nil, err
	}
	head, made, err := training.DecodeCheckpoint(name, data)
	if err != nil {
		return nil, err
	}
	s := &sweep{device: name, gpu: d}
	if s.Training, err = training.Prepare(d, head.Sweep, made); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rows := slices.Clone(made)
	slices.SortFunc(rows, func(a, b training.Row) int { return cmp.Compare(a.Point, b.Point) })
	for i := range rows {
		r := &rows[i]
		p, err := training.PointOf(head.Sweep, *r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.types, s.specs = append(s.types, p.Call.Type), append(s.specs, p.Stream)
		s.others = append(s.others, otherWarps(&r.Stats))
		s.hot = append(s.hot, float64(r.Stats.MaxFrequency)/float64(r.Stats.Updates))
	}
	return s, nil
}

// indexBytes is the size of an index of a stream.
const indexBytes = 4

// fromMemory is the largest factor by which a simulated time is below that in which the DRAM
// delivers the indices, of streams that L2 does not hold, and the number of times compared.
func (s *sweep) fromMemory() (factor float64, compared int) {
	m := &s.gpu.Memory
	for i := range s.Samples {
		bytes := float64(s.specs[i].N) * indexBytes
		if bytes <= m.L2Bytes.Value {
			continue
		}
		for v := range s.Implementations {
			if one := &s.Samples[i]; one.Has(v) {
				factor, compared = max(factor, 1e6*bytes/m.DRAMRate.Value/one.Simulated[v]), compared+1
			}
		}
	}
	return factor, compared
}

// check holds the sweep to its device's memory.
func (s *sweep) check() validate.Check {
	factor, compared := s.fromMemory()
	return validate.AtMost(s.device+": time in which DRAM delivers the indices over a simulated one, maximum",
		factor, 1, validate.UnitTimes, compared)
}
