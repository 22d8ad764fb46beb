package locks

import (
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9*max(1, math.Abs(b)) }

// TestErrorOf: of predictions of half, the right and four times the simulated time.
func TestErrorOf(t *testing.T) {
	e := errorOf([]float64{math.Log(2), 0, math.Log(0.25)})
	if !near(e.MedianPercent, 50) || !near(e.P90Percent, 250) || !near(e.LargestFactor, 4) ||
		!near(e.Bias, math.Cbrt(2)) {
		t.Errorf("%+v", e)
	}
	e = errorOf([]float64{math.Log(5)})
	if !near(e.LargestFactor, 5) || !near(e.MedianPercent, 80) {
		t.Errorf("a fifth of the simulated time: %+v", e)
	}
}

// TestPartsOf: logarithms that are one factor, that follow the number of warps, that do
// neither, and that are small.
func TestPartsOf(t *testing.T) {
	others := []float64{0, 0, 7, 7}
	for _, c := range []struct {
		logs          []float64
		factor, warps float64 // percent
		mostly        string
	}{
		{[]float64{0.5, 0.5, 0.5, 0.5}, 100, 0, OneFactor},
		{[]float64{-0.5, -0.5, 0.5, 0.5}, 0, 100, Conflicts},
		{[]float64{-0.5, 0.5, -0.5, 0.5}, 0, 0, TheStreams},
		{[]float64{0.01, 0.02, 0.04, 0.01}, 100 * 4.0 / 5.5, 100 * 0.25 / 5.5, Nothing},
		{[]float64{0, 0, 0, 0}, 0, 0, Nothing},
		{[]float64{0, 0, 1, 1}, 50, 50, OneFactor},
	} {
		p := partsOf(c.logs, others)
		if !near(p.FactorPercent, c.factor) || !near(p.WarpsPercent, c.warps) || p.Mostly != c.mostly {
			t.Errorf("%v: %+v", c.logs, p)
		}
	}
	p := partsOf([]float64{0, 0, 1, 1}, others)
	if !near(p.Factor, math.Exp(0.5)) || !near(p.Spread, 0.5) || !near(p.RMS, math.Sqrt(0.5)) ||
		!near(p.Apart, 1) || !near(p.Sharing, math.E) {
		t.Errorf("%+v", p)
	}
}

// TestOtherWarps: all warps of a block hold one target, each its own, or each target is held by
// two.
func TestOtherWarps(t *testing.T) {
	for _, c := range []struct{ perWarp, perBlock, want float64 }{
		{1, 1, 7}, {32, 256, 0}, {32, 128, 1},
	} {
		s := collision.Stats{WarpSize: 32, BlockSize: 256, DistinctPerWarp: c.perWarp,
			DistinctPerBlock: c.perBlock}
		if got := otherWarps(&s); got != c.want {
			t.Errorf("%v and %v different targets: %v other warps, want %v", c.perWarp, c.perBlock, got,
				c.want)
		}
	}
}

// made is a sweep of two variants on three points: the closed form takes the first for faster,
// which takes 4 times as long on the last. Trees correct that, and spoil the first point.
func made() (*sweep, [][]float64) {
	s := &sweep{Training: &training.Training{Variants: []variant.Variant{{}, {Base: variant.Sort}}},
		device: "made"}
	for i, us := range []float64{1, 1, 4} {
		s.Samples = append(s.Samples, training.Sample{Line: i, Closed: []float64{1, 2},
			Simulated: []float64{us, 2}, Target: []float64{math.Log(us), 0}})
		s.others, s.hot = append(s.others, float64(i)), append(s.hot, 0.5)
		s.types = append(s.types, device.F32)
	}
	s.specs = make([]synth.Spec, len(s.Samples))
	return s, [][]float64{{math.Log(3), 0, math.Log(4)}, {0, 0, 0}}
}

// TestChoices: losses and the worst choice by the closed forms and by trees.
func TestChoices(t *testing.T) {
	s, by := made()
	c := s.choices(by)
	closed, trees := c[0], c[1]
	if !near(closed.Max, 2) || !near(closed.GeometricMean, math.Cbrt(2)) ||
		closed.Worst.Best.Base != variant.Sort || closed.Worst.Choice.Base == variant.Sort {
		t.Errorf("closed forms: %+v", closed)
	}
	if !near(trees.Max, 2) || trees.Worst.Choice.Base != variant.Sort || trees.Points != 3 {
		t.Errorf("trees: %+v", trees)
	}
	checks := choiceChecks(c)
	if len(checks) != 3 || checks[0].Failure() == "" || checks[1].Failure() == "" ||
		checks[2].Failure() != "" {
		t.Errorf("%+v", checks)
	}
	by[0][0] = math.Log(3) // the first point alone costs twice; a third point costs more
	s.Samples[0].Simulated[1], s.Samples[0].Target[1] = 3, math.Log(1.5)
	if checks = choiceChecks(s.choices(by)); checks[2].Failure() == "" {
		t.Errorf("a maximum of 3 instead of 2: %+v", checks[2])
	}
}

// TestAdds: integers and f32 are added under locks, wider elements by compare-and-swap.
func TestAdds(t *testing.T) {
	gpu, err := device.Builtin("gtx680")
	if err != nil {
		t.Fatal(err)
	}
	s := &sweep{gpu: gpu}
	for _, c := range []struct {
		base variant.Base
		of   device.Type
		want string
	}{
		{variant.Private, device.F32, byLock}, {variant.Private, device.U64, byCAS},
		{variant.Variant{}.Base, device.F32, atTargets}, {variant.ThreadPrivate, device.F32, otherwise},
		{variant.Sort, device.U64, otherwise},
	} {
		if got := s.adds(variant.Variant{Base: c.base}, c.of); got != c.want {
			t.Errorf("base %v, %s: %s, want %s", c.base, c.of, got, c.want)
		}
	}
}

// TestFromMemory: a time that is half of what the DRAM needs for the indices is found, and the
// time of a stream that L2 holds is passed over.
func TestFromMemory(t *testing.T) {
	s, _ := made()
	s.gpu = &device.Profile{}
	s.gpu.Memory.DRAMRate.Value, s.gpu.Memory.L2Bytes.Value = 4e6, 4
	s.specs[0].N, s.specs[1].N, s.specs[2].N = 1, 2, 3
	if factor, compared := s.fromMemory(); !near(factor, 2) || compared != 4 {
		t.Errorf("%v times of %d", factor, compared)
	}
}

// TestRows: calls are summed up by implementation and type, before and after trees.
func TestRows(t *testing.T) {
	s, by := made()
	s.types[1] = device.F64
	report := s.report(by)
	rows, far := report.Rows, report.Widest
	if len(rows) != 4 || rows[0].Calls != 2 || rows[1].Calls != 1 || rows[0].Type != device.F32 ||
		rows[1].Type != device.F64 {
		t.Fatalf("%+v", rows)
	}
	r := rows[0] // of a right closed form and one of a quarter
	if !near(r.ClosedForm.MedianPercent, 37.5) || !near(r.ClosedForm.LargestFactor, 4) ||
		!near(r.ClosedForm.Bias, 0.5) || !near(r.Corrected.LargestFactor, 3) ||
		!near(r.Corrected.Bias, math.Sqrt(3)) || !near(r.Difference.Sharing, 4) ||
		!near(r.Correction.Apart, 3) {
		t.Errorf("%+v", r)
	}
	if len(far) != 3 || !near(far[0].SimulatedUS, 4) || !near(far[0].CorrectedUS, 4) ||
		far[0].OtherWarps != 2 || far[1].factor() != 0 {
		t.Errorf("%+v", far)
	}
	groups := report.Groups
	if len(groups) != 2 || groups[0].Adds != atTargets || groups[0].Calls != 3 ||
		groups[1].Adds != otherwise || !near(groups[0].Difference.Factor, math.Cbrt(4)) ||
		!near(groups[0].Left.RMS, math.Log(3)/math.Sqrt(3)) || groups[1].Difference.RMS != 0 {
		t.Errorf("%+v", groups)
	}
	first := groups[0]
	w := first.Worst
	if !near(w.SquaresPercent, 100) || w.SharingPercent != 100 || w.HotPercent != 100 ||
		!near(first.All.SharingPercent, 200.0/3) || !near(first.All.SquaresPercent, 100) {
		t.Errorf("%+v of %+v", w, first.All)
	}
	if got := len(r.checks()); got != rowChecks {
		t.Errorf("%d checks of a row, want %d", got, rowChecks)
	}
}

// FuzzDecodeCorrections: any file is corrections by device, or an error that names it.
func FuzzDecodeCorrections(f *testing.F) {
	const text = `{"device":"gtx680","implementation":"private:r=8,pad=1","values":[0.5,-0.25]}` + "\n"
	packed, err := gzipped.Pack([]byte(text))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(text))
	f.Add(packed)
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, _, _ := gzipped.Unpack(data, 1<<20)
		// Few bytes of a line are a map and what reads JSON.
		beyond := strings.Count(string(plain), "\n") << 12
		var err error
		allocation.BoundBeyond(t, max(len(data), len(plain)), beyond, func() {
			_, err = decodeCorrections("c.jsonl", data)
		})
		if err != nil && !strings.Contains(err.Error(), "c.jsonl:") {
			t.Error(err)
		}
	})
}
