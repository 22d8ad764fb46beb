package tuner_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// drawn is a stream with its targets.
type drawn struct {
	indices []uint32
	bins    uint64
}

// drawnStreams are streams of all families.
func drawnStreams(t *testing.T, n int) (list []drawn) {
	rng := synth.NewRand(21)
	for range n {
		spec, err := synth.Sample(rng, synth.Ranges{NMin: 1, NMax: 1 << 16, KMax: 1 << 20})
		tunertest.Must(t, err)
		indices, bins := tunertest.Generate(t, spec.String())
		list = append(list, drawn{indices, bins})
	}
	return list
}

// everyOption are options of all sorts.
func everyOption() []tuner.Options {
	_, fitted := tunertest.Trained()
	f32 := device.Call{Type: device.F32}
	return []tuner.Options{
		{},
		{Call: f32, Relaid: true, Model: fitted},
		{Call: device.Call{Type: device.F64, Returns: true}, NoSort: true},
		{Call: f32, Deterministic: true},
		{Call: device.Call{Type: device.U64, Operand: device.One, Keeps: true}, Cautious: true},
		{Call: device.Call{Type: device.I32, Op: device.Max}, SearchLaunch: true},
		{Call: f32, Launches: []device.Launch{{Threads: 128}, {Blocks: 64, Threads: 512}}},
		{Call: f32, Launches: []device.Launch{{Threads: 512}}, MemoryBytes: 1 << 16},
		{Only: []impl.Spec{{}, {Algorithm: impl.Sort}}},
		{Exclude: []impl.Spec{{}}, MemoryBytes: 1},
	}
}

// TestDecisions: whatever Choose answers, but for its words, is what testdata/decisions.txt holds, on each device and
// for options and streams of all kinds, and so are the answers by a sample and by settling.
func TestDecisions(t *testing.T) {
	streams := drawnStreams(t, 8)
	measured := map[int][]collision.Stats{}
	var lines []string
	for _, name := range golden.Devices {
		d := tunertest.Profile(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		if measured[lanes] == nil {
			for i, s := range streams {
				stats, err := collision.Analyze(s.indices, collision.Options{Bins: s.bins, WarpSize: lanes, Workers: 1})
				tunertest.Must(t, err)
				if i%2 == 1 {
					stretch(&stats, 1<<i)
				}
				measured[lanes] = append(measured[lanes], stats)
			}
		}
		for k, o := range everyOption() {
			if o.Model != nil && name != "h200" {
				o.Model = nil
			}
			var sum golden.Digest
			for i := range streams {
				answer(t, &sum, o, func() (tuner.Decision, error) { return tuner.Choose(&measured[lanes][i], d, o) })
			}
			lines = append(lines, fmt.Sprintf("%s, options %d: %s", name, k, &sum))
		}
		var sum golden.Digest
		for i, s := range streams {
			budget := tuner.SamplingBudget{Calls: 1 << i, CostUS: float64(i % 3), Seed: uint64(i)}
			answer(t, &sum, tuner.Options{}, func() (tuner.Decision, error) {
				return tuner.ChooseSampled(s.indices, s.bins, d, tuner.Options{Call: device.Call{Type: device.F32}}, budget)
			})
		}
		lines = append(lines, fmt.Sprintf("%s, sampled: %s", name, &sum), settledLine(t, d, streams))
	}
	golden.Compare(t, "testdata/decisions.txt", lines)
}

// settledLine is a digest of the answers by samples that settle the choice.
func settledLine(t *testing.T, d *device.Profile, streams []drawn) string {
	var sum golden.Digest
	for i, s := range streams {
		how := tuner.Reading{Seed: uint64(i), First: 4, Part: 2 + i%3, Workers: 1}
		answer(t, &sum, tuner.Options{}, func() (tuner.Decision, error) {
			return settle(collision.Indices(s.indices), s.bins, d, tuner.Options{Call: device.Call{Type: device.F32}}, how)
		})
	}
	return fmt.Sprintf("%s, settled: %s", d.Name, &sum)
}

// stretch makes statistics those of a stream that goes on in the same way.
func stretch(s *collision.Stats, factor uint64) {
	s.Updates *= factor
	s.Runs *= factor
	s.MaxFrequency *= factor
	s.MaxChunkFrequency4 *= factor
	s.MaxChunkFrequency8 *= factor
	for i := range s.Misses {
		s.Misses[i].MaxFrequency *= factor
	}
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
}

func answer(t *testing.T, sum *golden.Digest, o tuner.Options, choose func() (tuner.Decision, error)) {
	decision, err := choose()
	if err != nil {
		sum.Text("refused")
		return
	}
	checkDecision(t, decision, o)
	decision.Reason = ""
	for i := range decision.Warnings {
		decision.Warnings[i].Text = ""
	}
	for i := range decision.LeftOut {
		decision.LeftOut[i].Reason = ""
	}
	sum.JSON(t, decision)
}
