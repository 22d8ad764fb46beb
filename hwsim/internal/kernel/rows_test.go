package kernel

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// numbers are the Go type that a type of targets is.
type numbers interface {
	uint32 | int32 | float32 | uint64 | int64 | float64
}

// addsPlainly reports whether a run left what a loop over numbers of Go leaves, and whether Correct notices a
// lost update.
func addsPlainly[N numbers](t *testing.T, r RowSession, number func(pattern uint64) N) {
	t.Helper()
	const count = 40
	few := *kernelProfile(t, "h200")
	d := &few
	d.Core.SMs.Value = 2
	indices := make([]uint32, 600)
	for i := range indices {
		indices[i] = uint32(i * i % 37 / (1 + i/300))
	}
	var why string
	if r.Shape, why = d.Limits().RowShape(r.Implementation, r.Rows); why != "" {
		t.Fatal(why)
	}
	r.Indices = append(indices, count-1) // a row of its own
	s := NewRowSession(d, 3, count, r.Indices, nil, r)
	width := s.Rows.Width
	want := make([]N, count*width)
	for k := range want {
		want[k] = number(s.before().Of(uint64(k)))
	}
	for u, row := range r.Indices {
		for j := range width {
			to, x := &want[uint64(row)*width+j], number(s.value(uint64(u)*width+j))
			switch r.Rows.Op {
			case device.Add:
				*to += x
			case device.Min:
				*to = min(*to, x)
			case device.Max:
				*to = max(*to, x)
			}
		}
	}
	if err := s.Run(); err != nil || !s.Correct() {
		t.Fatalf("%s of %+v: correct %v, %v", r.Implementation, r.Rows, s.Correct(), err)
	}
	for k := range want {
		if got := number(s.targets.Get(uint64(k))); got != want[k] {
			t.Fatalf("%s of %+v: target %d is %v, want %v", r.Implementation, r.Rows, k, got, want[k])
		}
	}
	if s.Indices = indices; s.Correct() {
		t.Errorf("%s of %+v: an addition too many passes", r.Implementation, r.Rows)
	}
	s = NewRowSession(d, 3, count, r.Indices, nil, r)
	s.Indices = indices
	err := s.Run()
	if s.Indices = r.Indices; err != nil || s.Correct() {
		t.Errorf("%s of %+v: a lost addition passes, %v", r.Implementation, r.Rows, err)
	}
}

// TestRowsArePlainSums: what the kernels leave is what plain loops over numbers of Go leave, of each type and
// operation, where targets are cleared and where they are kept.
func TestRowsArePlainSums(t *testing.T) {
	for _, v := range []impl.Spec{{}, {Reduction: impl.Runs}, {Algorithm: impl.Hot}} {
		for _, op := range []device.Op{device.Add, device.Min, device.Max} {
			for _, width := range []uint64{3, 16, 70} {
				of := func(typ device.Type) RowSession {
					return RowSession{Implementation: v,
						Rows: device.Call{Type: typ, Op: op, Width: width, Keeps: width == 16}}
				}
				addsPlainly(t, of(device.U32), func(p uint64) uint32 { return uint32(p) })
				addsPlainly(t, of(device.I32), func(p uint64) int32 { return int32(p) })
				addsPlainly(t, of(device.F32), func(p uint64) float32 { return math.Float32frombits(uint32(p)) })
				addsPlainly(t, of(device.U64), func(p uint64) uint64 { return p })
				addsPlainly(t, of(device.I64), func(p uint64) int64 { return int64(p) })
				addsPlainly(t, of(device.F64), math.Float64frombits)
			}
		}
	}
}
