package fit

import (
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// columns are the recorded columns from which the h200 profile's entries come.
var columns = map[string]struct {
	operation device.Operation
	typ       device.Type
}{
	"u32_add": {device.OpAdd, device.U32}, "f32_add": {device.OpAdd, device.F32},
	"u64_add": {device.OpAdd, device.U64}, "f64_add": {device.OpAdd, device.F64},
	"u32_casloop": {device.OpCASLoop, device.U32}, "f64_casloop": {device.OpCASLoop, device.F64},
	"u32_casfree": {device.OpCASFree, device.U32},
	"u32_load":    {device.OpLoad, device.U32}, "u32_store": {device.OpStore, device.U32},
	"u64_load": {device.OpLoad, device.U64}, "u64_store": {device.OpStore, device.U64},
	"u64_exch": {device.OpExchange, device.U64},
}

// TestH200Profile fits one half of the recordings and demands the
// constants and the structure that the profile holds.
func TestH200Profile(t *testing.T) {
	m, err := h200.Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	gpu, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name, c := range columns {
		if testing.Short() && name != "f32_add" {
			continue
		}
		r, err := Scratchpad(m, name, Options{Wide: c.typ.Bytes() == 8})
		if err != nil {
			t.Fatal(err)
		}
		want, err := latency.ForDevice(gpu, c.operation, c.typ)
		if err != nil {
			t.Fatal(err)
		}
		if r.Params.Structure != want.Structure {
			t.Errorf("%s: %+v, the profile has %+v", name, r.Params.Structure, want.Structure)
		}
		for number, term := range latency.Terms() {
			got := r.Params.Constant(number)
			if term == "hidden" {
				got = r.Params.Hidden
				number = -1
			}
			if held := held(want, number); math.Abs(got-held) > 0.006 && !unused(want, term) {
				t.Errorf("%s: %s fitted %.3f, the profile has %.3f", name, term, got, held)
			}
			checked++
		}
		checkSource(t, gpu, c.operation, c.typ)
	}
	if checked < len(latency.Terms()) {
		t.Errorf("%d constants checked", checked)
	}
}

func held(p latency.Params, number int) float64 {
	if number < 0 {
		return p.Hidden
	}
	return p.Constant(number)
}

// unused reports a constant that the mechanism does not ask for.
func unused(p latency.Params, term string) bool {
	return term == "bank" && p.Mechanism == device.Native
}

func checkSource(t *testing.T, gpu *device.Profile, o device.Operation, typ device.Type) {
	t.Helper()
	a, err := gpu.SharedOperation(o, typ)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(a.Base.Source, "scratchpad.csv.gz") {
		t.Errorf("%s %s: the base comes from %q", typ, o, a.Base.Source)
	}
}

// TestInstall puts a fit into a copy of a profile.
func TestInstall(t *testing.T) {
	base, err := device.Builtin("gtx680")
	if err != nil {
		t.Fatal(err)
	}
	before := base.SharedAtomic(device.F32).Base.Value
	r := Result{Params: fermi, Constants: []Constant{{"base", 108, Interval{107, 109}}}}
	p, err := Install(base, device.OpAdd, device.F32, r, "a test")
	if err != nil {
		t.Fatal(err)
	}
	got, err := latency.ForDevice(p, device.OpAdd, device.F32)
	if err != nil || got != fermi {
		t.Errorf("%+v (%v), want %+v", got, err, fermi)
	}
	if base.SharedAtomic(device.F32).Base.Value != before {
		t.Error("the base profile was changed")
	}
	q := p.SharedAtomic(device.F32).Base
	if q.Source != "a test" || !strings.Contains(q.Rationale, "107 to 109") {
		t.Errorf("%+v", q)
	}
	added, err := Install(p, device.OpMin, device.U32, Result{Params: native}, "a test")
	if err != nil {
		t.Fatal(err)
	}
	want := native
	want.Bank = native.Round // a native unit serves a bank's lanes one by one
	if got, err := latency.ForDevice(added, device.OpMin, device.U32); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
}
