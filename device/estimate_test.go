package device

import (
	"bytes"
	"errors"
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
	if estimates < 2 {
		t.Errorf("%d profiles are estimates", estimates)
	}
}

// TestOrigin: what was measured, what papers describe and what is estimated are told apart, and of NVIDIA
// GPUs the compute capability is known.
func TestOrigin(t *testing.T) {
	for name, want := range map[string]struct {
		origin     string
		capability [2]int
	}{
		"c2075": {"papers", [2]int{2, 0}}, "gtx680": {"papers", [2]int{3, 0}}, "gtx980": {"papers", [2]int{5, 2}},
		"h100": {"readings", [2]int{9, 0}}, "h200": {OfReadings, [2]int{9, 0}}, "hd5870": {origin: "papers"},
		"a100": {"estimate", [2]int{8, 0}}, "mi300x": {origin: "estimate"},
	} {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		major, minor, err := p.ComputeCapability()
		if p.Origin() != want.origin || [2]int{major, minor} != want.capability ||
			(err != nil) != (major == 0) || err != nil && !errors.Is(err, ErrCapability) {
			t.Errorf("%s: %s, %d.%d, %v, want %v", name, p.Origin(), major, minor, err, want)
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
	const hash = 1 // which has a rationale too
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
