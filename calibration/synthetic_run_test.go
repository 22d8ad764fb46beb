package calibration

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// synthesiseRun makes what a run would measure on a device with that profile if
// simple mechanisms were all that it has: what a fit of it gives shows what
// readings can tell. Patterns are the rows of every operation on shared memory.
// Noise.Relative is that of each of seven repeats of a reading; Noise.Outliers
// is of patterns alone. Errors wrap latency.ErrPattern or latency.ErrParams.
func synthesiseRun(p *device.Profile, capability string, all []patterns.Pattern, n synthNoise,
	seed uint64) (recordings.Run, error) {
	s := synthesis{p: p, noise: n, rng: rand.New(rand.NewPCG(seed, 99))}
	s.run = recordings.Run{Name: "synthetic", Provenance: recordings.Provenance{
		GPU: p.Title, ComputeCapability: capability, Driver: "synthetic", CUDA: "synthetic",
		Program: "synthetic", Options: fmt.Sprintf("seed %d", seed),
		Starts: []recordings.Start{{Date: "2000-01-01T00:00:00Z"}}}}
	s.device()
	s.calls()
	s.memory()
	s.warp()
	s.shared()
	s.global()
	err := s.scratchpad(all, seed)
	if err == nil {
		err = s.err
	}
	return s.run, err
}

// synthesis keeps the first error.
type synthesis struct {
	p     *device.Profile
	noise synthNoise
	rng   *rand.Rand
	run   recordings.Run
	err   error
}

const synthesisedRepeats = 7

// add adds a reading of that true value.
func (s *synthesis) add(suite, name string, truth float64, unit, format string, args ...any) {
	values := make([]float64, synthesisedRepeats)
	for i := range values {
		values[i] = truth * max(0.01, 1+s.noise.Relative*s.rng.NormFloat64())
	}
	slices.Sort(values)
	s.run.Readings = append(s.run.Readings, recordings.Reading{
		Suite: suite, Name: name, Parameters: fmt.Sprintf(format, args...), Unit: unit,
		Repeats: synthesisedRepeats, Starts: 1,
		Value: values[synthesisedRepeats/2], Low: values[0], High: values[synthesisedRepeats-1]})
}

func (s *synthesis) device() {
	c, m := s.p.Core, s.p.Shared
	for _, a := range []struct {
		name  string
		value float64
		unit  string
	}{
		{"sm_count", c.SMs.Value, "1"}, {"warp_lanes", c.WarpLanes.Value, "1"},
		{"max_threads_per_sm", c.MaxWarps.Value * c.WarpLanes.Value, "1"},
		{"max_blocks_per_sm", c.MaxBlocks.Value, "1"}, {"max_threads_per_block",
			c.MaxThreadsPerBlock.Value, "1"},
		{"shared_bytes_per_sm", m.BytesPerSM.Value, "byte"}, {"shared_bytes_per_block",
			m.BytesPerBlock.Value, "byte"},
		{"l2_bytes", s.p.Memory.L2Bytes.Value, "byte"},
	} {
		s.run.Readings = append(s.run.Readings, recordings.Reading{Suite: "device", Name: a.name,
			Value: a.value, Unit: a.unit,
			Low: a.value, High: a.value, Repeats: 1, Starts: 1})
	}
}

func (s *synthesis) calls() {
	l := s.p.Launch
	s.add("call", "sm_clock", s.p.Core.Clock.Value, "MHz", "")
	for _, n := range []float64{1, 2, 3, 5, 8} {
		s.add("call", "empty_kernels", l.First.Value+(n-1)*l.Next.Value, "us", "launches=%v", n)
	}
	for bytes := 1024.0; bytes <= 1<<28; bytes *= 4 {
		us := l.First.Value
		if bytes > l.ClearFree.Value {
			us += math.Max(l.Next.Value, 1e6*bytes/s.p.Memory.DRAMRate.Value)
		}
		s.add("call", "clear_kernel", us, "us", "bytes=%.0f", bytes)
	}
	const spin, lead = 20, 4
	s.add("call", "dependent_kernel_spin", spin, "us", "")
	for _, n := range []float64{1, 2, 3, 5} {
		s.add("call", "dependent_kernels", lead+n*spin+(n-1)*l.Gap.Value, "us", "launches=%v", n)
	}
	for i, bins := range []int{256, 65536, 1048576} {
		s.add("call", "host_relayout", s.p.Host.Relayout.Value*math.Exp2(float64(i-1)), "ns/update",
			"bins=%d", bins)
	}
}

func (s *synthesis) memory() {
	m, g := s.p.Memory, s.p.Global
	for bytes := float64(1 << 20); bytes <= 1<<30; bytes *= 2 {
		rate := m.L2Rate.Value
		if bytes > m.L2Bytes.Value {
			rate = m.DRAMRate.Value
		}
		s.add("memory", "read_bandwidth", rate, "byte/s", "bytes=%.0f", bytes)
		s.add("memory", "atomic_kernel_bandwidth", min(rate, m.AtomicRate.Value), "byte/s", "bytes=%.0f",
			bytes)
	}
	for bytes := float64(64 << 10); bytes <= 1<<30; bytes *= 4 {
		cycles := g.LoadLatency.Value
		if bytes > m.L2Bytes.Value {
			cycles += g.MissLatency.Value
		}
		s.add("memory", "load_latency", cycles, "cycle", "bytes=%.0f", bytes)
	}
}

func (s *synthesis) warp() {
	e, c := s.p.Exchange, s.p.Core
	chain := func(op string, keys int, cycles, port float64) {
		s.add("warp", "latency", cycles, "cycle", "op=%s keys=%d", op, keys)
		s.add("warp", "throughput", port, "cycle", "op=%s keys=%d", op, keys)
	}
	chain("alu_add", 1, c.ALULatency.Value, c.IssueCycles.Value/c.Schedulers.Value)
	chain("shuffle", 1, e.ShuffleLatency.Value, e.ShufflePort.Value)
	chain("ballot", 1, e.BallotLatency.Value+c.ALULatency.Value, e.BallotPort.Value)
	for keys := 1; keys <= 32; keys *= 2 {
		k := float64(keys)
		chain("match_any", keys, e.MatchLatency.Value+c.ALULatency.Value+k*e.MatchKey.Value,
			e.MatchPort.Value+k*e.MatchKeyPort.Value)
	}
	for warps := 1.0; warps <= c.MaxWarps.Value; warps *= 2 {
		s.add("warp", "issue", c.IssueCycles.Value/min(warps, c.Schedulers.Value), "cycle",
			"op=alu_add warps=%v", warps)
	}
	for threads := 32.0; threads <= 1024; threads *= 2 {
		s.add("warp", "barrier", c.Barrier.Value*math.Sqrt(threads/256), "cycle", "threads=%v", threads)
	}
}

// scratchpad makes the columns of patterns.
func (s *synthesis) scratchpad(all []patterns.Pattern, seed uint64) error {
	pad := &recordings.Scratchpad{Patterns: all}
	for i, column := range synthesisedColumns {
		t, o, _ := ParseColumn(column)
		params, err := latency.ForDevice(s.p, o, t)
		if err != nil {
			return err
		}
		m, err := synthScratchpad(params, all, s.noise, seed+uint64(i))
		if err != nil {
			return fmt.Errorf("column %s: %w", column, err)
		}
		cycles := m.Columns[0].Cycles
		pad.Columns = append(pad.Columns, recordings.ScratchpadColumn{Name: column, Cycles: cycles,
			Low: slices.Clone(cycles), High: slices.Clone(cycles), Repeats: synthesisedRepeats, Starts: 1})
	}
	s.run.Scratchpad = pad
	return nil
}

var synthesisedColumns = []string{"u32_load", "u32_store", "u32_add", "u32_casloop", "f32_add",
	"u64_add", "f64_add"}

// TestSynthesisedRun: the run in testdata, which tests of other packages fit, is
// that of an H200 whose behaviour simple mechanisms explain.
func TestSynthesisedRun(t *testing.T) {
	gpu, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	var rows []patterns.Pattern
	for i, p := range patterns.Structured() {
		if i%48 == 0 {
			rows = append(rows, p)
		}
	}
	run, err := synthesiseRun(gpu, "9.0", rows, synthNoise{Relative: 0.01}, 3)
	if err != nil {
		t.Fatal(err)
	}
	readings, errReadings := recordings.EncodeReadings(run.Provenance, run.Readings)
	cycles, spread, errPatterns := recordings.EncodeScratchpad(run.Provenance, run.Scratchpad)
	calls, errCalls := recordings.EncodeCalls(run.Provenance, []recordings.Call{{
		Label: "uniform:n=9,k=4", Updates: 9, Bins: 4, Origin: recordings.Measured,
		MedianUS: 5, MinUS: 4, MaxUS: 6, Repeats: 3, Correct: true}})
	if err := errors.Join(errReadings, errPatterns, errCalls); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"readings.csv": readings, "scratchpad.csv": cycles,
		"scratchpad_spread.csv": spread, "calls.csv": calls} {
		golden.Text(t, filepath.Join("testdata", "run", name), string(content))
	}
}
