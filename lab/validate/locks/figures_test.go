package locks

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/training"
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

// made is a sweep of two implementations on three points: the first takes 4 times as long as its closed form
// on the last.
func made() *sweep {
	s := &sweep{Training: &training.Training{Implementations: []impl.Spec{{}, {Algorithm: impl.Sort}}},
		device: "made"}
	for i, us := range []float64{1, 1, 4} {
		s.Samples = append(s.Samples, training.Sample{Line: i, Closed: []float64{1, 2},
			Simulated: []float64{us, 2}, Target: []float64{math.Log(us), 0}})
		s.others, s.hot = append(s.others, float64(i)), append(s.hot, 0.5)
		s.types = append(s.types, device.F32)
	}
	s.specs = make([]synth.Spec, len(s.Samples))
	return s
}

// TestAdds: integers and f32 are added under locks, wider elements by compare-and-swap.
func TestAdds(t *testing.T) {
	gpu, err := device.Builtin("gtx680")
	if err != nil {
		t.Fatal(err)
	}
	s := &sweep{gpu: gpu}
	for _, c := range []struct {
		base impl.Algorithm
		of   device.Type
		want string
	}{
		{impl.Private, device.F32, byLock}, {impl.Private, device.U64, byCAS},
		{impl.Spec{}.Algorithm, device.F32, atTargets}, {impl.ThreadPrivate, device.F32, otherwise},
		{impl.Sort, device.U64, otherwise},
	} {
		if got := s.adds(impl.Spec{Algorithm: c.base}, c.of); got != c.want {
			t.Errorf("base %v, %s: %s, want %s", c.base, c.of, got, c.want)
		}
	}
}

// TestFromMemory: a time that is half of what the DRAM needs for the indices is found, and the
// time of a stream that L2 holds is passed over.
func TestFromMemory(t *testing.T) {
	s := made()
	s.gpu = &device.Profile{}
	s.gpu.Memory.DRAMRate.Value, s.gpu.Memory.L2Bytes.Value = 4e6, 4
	s.specs[0].N, s.specs[1].N, s.specs[2].N = 1, 2, 3
	if factor, compared := s.fromMemory(); !near(factor, 2) || compared != 4 {
		t.Errorf("%v times of %d", factor, compared)
	}
}

// TestRows: calls are summed up by implementation and type.
func TestRows(t *testing.T) {
	s := made()
	s.types[1] = device.F64
	report := s.report()
	rows, far := report.Rows, report.Widest
	if len(rows) != 4 || rows[0].Calls != 2 || rows[1].Calls != 1 || rows[0].Type != device.F32 ||
		rows[1].Type != device.F64 {
		t.Fatalf("%+v", rows)
	}
	r := rows[0] // of a right closed form and one of a quarter
	if !near(r.ClosedForm.MedianPercent, 37.5) || !near(r.ClosedForm.LargestFactor, 4) ||
		!near(r.ClosedForm.Bias, 0.5) || !near(r.Difference.Sharing, 4) {
		t.Errorf("%+v", r)
	}
	if len(far) != 3 || !near(far[0].SimulatedUS, 4) || !near(far[0].ClosedFormUS, 1) ||
		far[0].OtherWarps != 2 || far[1].factor() != 0 {
		t.Errorf("%+v", far)
	}
	groups := report.Groups
	if len(groups) != 2 || groups[0].Adds != atTargets || groups[0].Calls != 3 ||
		groups[1].Adds != otherwise || !near(groups[0].Difference.Factor, math.Cbrt(4)) ||
		groups[1].Difference.RMS != 0 {
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
