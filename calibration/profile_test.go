package calibration

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/latency"
)

// invented is a device whose every measured constant differs from the H200's.
func invented(t testing.TB) *device.Profile {
	t.Helper()
	h200, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	data, err := h200.Encode()
	if err != nil {
		t.Fatal(err)
	}
	p, err := device.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	p.Title, p.Name = "NVIDIA Invented 5000", "invented-5000"
	p.Global.Hash = nil // its regions take turns
	for _, c := range []struct {
		q     *device.Quantity
		value float64
	}{
		{&p.Core.Clock, 1500}, {&p.Core.SMs, 84}, {&p.Core.IssueCycles, 1}, {&p.Core.ALULatency, 6},
		{&p.Core.MaxWarps, 48},
		{&p.Core.MaxBlocks, 16}, {&p.Core.Barrier, 40}, {&p.Shared.BytesPerSM, 102400},
		{&p.Shared.BytesPerBlock, 101376}, {&p.Shared.PassPort, 0.9},
		{&p.Exchange.ShuffleLatency, 30}, {&p.Exchange.ShufflePort, 2}, {&p.Exchange.BallotLatency, 15},
		{&p.Exchange.BallotPort, 2.5},
		{&p.Exchange.MatchLatency, 40}, {&p.Exchange.MatchKey, 14}, {&p.Exchange.MatchPort, 3},
		{&p.Exchange.MatchKeyPort, 5},
		{&p.Global.LoadLatency, 240}, {&p.Global.MissLatency, 300}, {&p.Global.SMSector, 2},
		{&p.Global.Slices, 48},
		{&p.Global.ChunkBytes, 512}, {&p.Global.RegionBytes, 4096}, {&p.Global.RegionSlices, 4},
		{&p.Global.Answers.Sector, 3}, {&p.Global.Answers.Pass, 18}, {&p.Global.Answers.SM, 5},
		{&p.Global.Answers.Store, 16},
		{&p.Memory.DRAMRate, 1e12}, {&p.Memory.L2Rate, 3e12}, {&p.Memory.AtomicRate, 8e11},
		{&p.Memory.L2Bytes, 40 << 20},
		{&p.Memory.L2AtomicBytes, 30e6}, {&p.Memory.MissBytes, 64}, {&p.Launch.First, 4},
		{&p.Launch.Next, 2.5}, {&p.Launch.Gap, 0.8},
		{&p.Launch.ClearFree, 4096}, {&p.Host.Relayout, 11},
	} {
		c.q.Value = c.value
	}
	for key, a := range p.SharedAtomics {
		a.Hold.Value *= 1.25
		p.SharedAtomics[key] = a
	}
	for key, a := range p.GlobalAtomics {
		a.Latency.Value *= 1.5
		a.Pass.Value *= 1.25
		p.GlobalAtomics[key] = a
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return p
}

// rowsFor are the patterns of the tests: every eighth of the structured ones and
// some random ones.
func rowsFor() []patterns.Pattern {
	var some []patterns.Pattern
	for i, p := range patterns.Structured() {
		if i%8 == 0 {
			some = append(some, p)
		}
	}
	return append(some, patterns.Random(1, 3)...)
}

// synthesised is what a run on the invented device would measure.
func synthesised(t testing.TB, relative float64, seed uint64) Input {
	t.Helper()
	run, err := synthesiseRun(invented(t), "8.6", rowsFor(), synthNoise{Relative: relative}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return Input{Provenance: run.Provenance, Readings: run.Readings,
		Scratchpad: archive.Measurements(run.Scratchpad)}
}

// values lists by place the quantities of which a synthesised run has readings.
func values(p *device.Profile) map[string]float64 {
	all := map[string]float64{}
	p.Facts(func(f device.Fact) {
		words := strings.Split(f.Place, ".")
		part := words[len(words)-1]
		switch {
		case f.Quantity == nil || len(words) > 3 || words[0] == "library" || slices.Contains([]string{"store_pass",
			"slice_requests", "fill_bytes", "later_start"}, part):
			return
		case words[0] == "shared_atomics" && (!slices.Contains(synthesisedColumns, words[1]) ||
			!strings.HasSuffix(words[1], "_add") && !slices.Contains([]string{"base", "round", "bank"}, part)):
			return
		}
		all[f.Place] = f.Quantity.Value
	})
	for place, value := range all {
		if of, same := strings.CutSuffix(place, ".same_address"); same {
			all[place] = max(value, all[of+".pass"])
		}
	}
	return all
}

// TestProfileRecovers makes a run of a known device with 1 % noise and demands
// its constants back: most within their interval, all near.
func TestProfileRecovers(t *testing.T) {
	truth := values(invented(t))
	held, all := 0, 0
	for seed := range trials(2) {
		profile := Profile
		if !golden.Full() {
			profile = assembled
		}
		p, report, err := profile(synthesised(t, 0.01, seed))
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != "invented-5000" || p.Title != "NVIDIA Invented 5000" || p.Architecture != "Ampere" ||
			len(report.Warnings) > 0 || len(report.Columns) != len(synthesisedColumns) {
			t.Errorf("%s, %s, %s, warnings %q", p.Name, p.Title, p.Architecture, report.Warnings)
		}
		got := values(p)
		listed := map[string]Interval{}
		for _, q := range report.Quantities {
			listed[q.Name] = q.Interval
		}
		for name, want := range truth {
			if math.Abs(got[name]-want) > 0.06*want+0.3 {
				t.Errorf("seed %d: %s = %v, want %v", seed, name, got[name], want)
			}
			if span, ok := listed[name]; ok {
				all++
				if span.Low <= want*(1+1e-9) && want*(1-1e-9) <= span.High {
					held++
				} else {
					t.Logf("seed %d: %s: %v to %v does not hold %v", seed, name, span.Low, span.High, want)
				}
			}
		}
	}
	t.Logf("%d of %d intervals hold the truth", held, all)
	if all < 50*int(trials(2)) || float64(held) < 0.85*float64(all) {
		t.Errorf("%d of %d intervals hold the truth", held, all)
	}
}

// shuffled returns the input with its readings and columns in another order.
func shuffled(in Input, seed uint64) Input {
	rng := rand.New(rand.NewPCG(seed, 1))
	in.Readings = slices.Clone(in.Readings)
	rng.Shuffle(len(in.Readings), func(i, k int) {
		in.Readings[i], in.Readings[k] = in.Readings[k],
			in.Readings[i]
	})
	m := *in.Scratchpad
	m.Columns = slices.Clone(m.Columns)
	rng.Shuffle(len(m.Columns), func(i, k int) {
		m.Columns[i], m.Columns[k] = m.Columns[k],
			m.Columns[i]
	})
	in.Scratchpad = &m
	return in
}

// assembled makes a profile without fitting patterns: their columns are those of
// the invented device.
func assembled(in Input) (*device.Profile, Report, error) {
	b, err := newBuilder(in)
	if err != nil {
		return nil, Report{}, err
	}
	return b.build(func(columns []ColumnFit) error {
		truth, err := device.Builtin("h200")
		for i := range columns {
			c := &columns[i]
			if err == nil {
				c.Result.Params, err = latency.ForDevice(truth, c.Operation, c.Type)
			}
		}
		return err
	})
}

// TestProfileOrder: the order of readings and columns does not matter, to the
// byte.
func TestProfileOrder(t *testing.T) {
	in := synthesised(t, 0.01, 5)
	makers := []func(Input) (*device.Profile, Report, error){assembled}
	if golden.Full() {
		in = only(in, needed...)
		in.Scratchpad = every(8, in.Scratchpad) // enough where constants do not matter
		makers = append(makers, Profile)
	}
	for _, profile := range makers {
		var encoded [2][]byte
		for i, in := range []Input{in, shuffled(in, 1)} {
			p, _, err := profile(in)
			if err != nil {
				t.Fatal(err)
			}
			if encoded[i], err = p.Encode(); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(encoded[0], encoded[1]) {
			t.Error("readings in another order give another profile")
		}
	}
}
