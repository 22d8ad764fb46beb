package device

import (
	"bytes"
	"strings"
	"testing"
)

// TestEstimatesAreMarked: a profile says as a whole that it is an estimate, and each of its quantities
// that it is one or which document states it. None was measured or assumed, and no other profile
// says so of itself.
func TestEstimatesAreMarked(t *testing.T) {
	estimates := 0
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Estimate == nil {
			continue
		}
		estimates++
		estimated, stated := 0, 0
		p.Facts(func(f Fact) {
			switch source := f.Source(); {
			case f.Estimated():
				estimated++
			case strings.Contains(source, "measured") || strings.Contains(source, "recorded") ||
				source == "assumed" || source == "absent" || !strings.Contains(source, ", "):
				t.Errorf("%s: %s is of %q", name, f.Place, source)
			default:
				stated++
			}
		})
		base, err := Builtin(p.Estimate.Base)
		if err != nil || base.Estimate != nil || base.Vendor != p.Estimate.BaseVendor || base.Name == name {
			t.Errorf("%s: the base is %+v, %v", name, p.Estimate, err)
		}
		if stated < 10 || estimated < 5*stated {
			t.Errorf("%s: %d quantities of documents, %d estimated", name, stated, estimated)
		}
		for place, q := range map[string]Quantity{"core.sms": p.Core.SMs, "memory.l2_bytes": p.Memory.L2Bytes,
			"shared.bytes_per_block": p.Shared.BytesPerBlock, "core.warp_lanes": p.Core.WarpLanes} {
			if q.Source == SourceEstimate {
				t.Errorf("%s: %s is an estimate, though documents state it", name, place)
			}
		}
	}
	if estimates != 6 {
		t.Errorf("%d profiles are estimates", estimates)
	}
}

// TestOrigin: what was measured, what papers describe and what is estimated are told apart.
func TestOrigin(t *testing.T) {
	for name, want := range map[string]string{"h100": "readings", "h200": OfReadings, "gtx980": "papers",
		"hd5870": "papers", "a100": "estimate", "mi300x": "estimate"} {
		if p, err := Builtin(name); err != nil || p.Origin() != want {
			t.Errorf("%s: %s, %v", name, p.Origin(), err)
		}
	}
}

// TestFacts: every quantity and capability of a file is visited once, under the name of its place, and
// what is changed stays.
func TestFacts(t *testing.T) {
	p, err := Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	own, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	own.Facts(func(f Fact) {
		if seen[f.Place] || f.Place == "" || f.Estimated() {
			t.Errorf("%+v", f)
		}
		seen[f.Place] = true
		f.Say(SourceEstimate, "a guess")
	})
	hash := 1 // which has a rationale too
	if want := bytes.Count(data, []byte(`"rationale"`)); len(seen) != want-hash {
		t.Errorf("%d facts of %d", len(seen), want-hash)
	}
	for _, place := range []string{"core.sms", "exchange.has_match", "global.answers.store",
		"shared_atomics.f32_add.warp.park", "global_atomics.u32.slice.requests"} {
		if !seen[place] {
			t.Errorf("no %s", place)
		}
	}
	own.Facts(func(f Fact) {
		if !f.Estimated() {
			t.Errorf("%s is still of %q", f.Place, f.Source())
		}
	})
}

// TestEstimateHoldsNoMeasurement: a profile that says that it is an estimate does not load with
// something measured in it.
func TestEstimateHoldsNoMeasurement(t *testing.T) {
	p, err := Builtin("a100")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{"measured on NVIDIA A100: readings.csv", recordedCalls} {
		own := *p
		own.Core.Barrier.Source = source
		if err := own.Validate(); err == nil || !strings.Contains(err.Error(), "core.barrier") ||
			!strings.Contains(err.Error(), source) {
			t.Errorf("%s: %v", source, err)
		}
	}
	own := *p
	own.Estimate = &Estimate{}
	if err := own.Validate(); err == nil || !strings.Contains(err.Error(), "no base") {
		t.Error(err)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}
