package estimate

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
)

func builtin(t *testing.T, name string) *device.Profile {
	t.Helper()
	p, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// made is the profile of a device from a base.
func made(t *testing.T, name, base string) *device.Profile {
	t.Helper()
	f, err := Public()
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Profile(name, builtin(t, base))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// values are the quantities of a profile by place.
func values(p *device.Profile) map[string]float64 {
	all := map[string]float64{}
	p.Facts(func(f device.Fact) {
		if f.Quantity != nil {
			all[f.Place] = f.Quantity.Value
		}
	})
	return all
}

// TestRule: each quantity of a device of the same vendor is a document's, the base's, or scaled by a
// ratio that its rationale names; which ones are scaled is all that the rule says.
func TestRule(t *testing.T) {
	base := values(builtin(t, "h100"))
	p := made(t, "a100", "h100")
	clock := 1410.0 / 1980
	scaled := map[string]float64{
		"global.slices":             66, // 5120 bytes a cycle, as many as of the H100
		"memory.l2_rate":            base["memory.l2_rate"] * clock,
		"memory.dram_rate":          base["memory.dram_rate"] * 1555 / 3350,
		"memory.atomic_kernel_rate": base["memory.atomic_kernel_rate"] * 1555 / 3350,
		"memory.l2_atomic_bytes":    base["memory.l2_atomic_bytes"] * 40 / 50,
		"global.miss_latency":       base["global.miss_latency"] * clock,
	}
	same, stated := 0, 0
	p.Facts(func(f device.Fact) {
		switch want, ok := scaled[f.Place]; {
		case !f.Estimated():
			stated++
		case ok:
			if v := f.Quantity.Value; math.Abs(v/want-1) > 1e-3 ||
				!strings.Contains(f.Quantity.Rationale, "of the h100, with") {
				t.Errorf("%s is %v, want %v: %s", f.Place, v, want, f.Quantity.Rationale)
			}
			delete(scaled, f.Place)
		case f.Quantity != nil:
			if f.Quantity.Value != base[f.Place] || f.Quantity.Rationale != "as on the h100" {
				t.Errorf("%s is %v, on the base %v: %s", f.Place, f.Quantity.Value, base[f.Place],
					f.Quantity.Rationale)
			}
			same++
		}
	})
	if len(scaled) > 0 || same < 300 || stated != 16 {
		t.Errorf("%v not scaled, %d as on the base, %d stated", scaled, same, stated)
	}
	if p.Estimate.Base != "h100" || p.Global.Hash != nil || p.Name != "a100" || p.Vendor != "NVIDIA" {
		t.Errorf("%s, %+v", p.Name, p.Estimate)
	}
	if before := values(builtin(t, "h100")); before["core.sms"] != 132 || len(before) != len(base) {
		t.Error("the base has changed")
	}
}

// TestSlices: without the bytes of a cycle of both, slices go with SMs, in whole region_slices.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		name, base string
		slices     float64
	}{
		{"v100", "h100", 26}, // 66 * 2048 / 5120, and even
		{"rtx4090", "h100", 64}, {"b200", "h200", 90}, {"h200", "h100", 66}, {"h200", "gtx980", 33},
		{"mi300x", "h200", 128}, // stated
	} {
		p := made(t, c.name, c.base)
		if v := p.Global.Slices.Value; v != c.slices {
			t.Errorf("%s from %s has %v slices, want %v: %s", c.name, c.base, v, c.slices,
				p.Global.Slices.Rationale)
		}
		base := builtin(t, c.base)
		each := base.Memory.L2Rate.Value / base.Global.Slices.Value / base.Core.Clock.Value
		if own := p.Memory.L2Rate.Value / p.Global.Slices.Value / p.Core.Clock.Value; math.Abs(
			own/each-1) > 1e-3 {
			t.Errorf("%s from %s: a slice reads %v a cycle, the base's %v", c.name, c.base, own, each)
		}
	}
}

// TestOlderBase: what an older base lacks comes of what it has: a match of ballots, native addition of
// f64 of that of u32; its slices were not measured, and so the estimate has no times of requests.
func TestOlderBase(t *testing.T) {
	p, base := made(t, "h100", "gtx980"), builtin(t, "gtx980")
	x := p.Exchange
	if !x.HasMatch.Value || x.MatchKey.Value != base.Exchange.BallotLatency.Value ||
		x.MatchKeyPort.Value != base.Exchange.BallotPort.Value || x.MatchPort.Value != 0 ||
		!strings.Contains(x.MatchKey.Rationale, "no match") {
		t.Errorf("%+v", x)
	}
	add, own := p.GlobalAtomic(device.F64), base.GlobalAtomic(device.U32)
	if add.Mechanism != device.Native || add.Pass.Value != own.Pass.Value ||
		base.GlobalAtomic(device.F64).Mechanism != device.CAS || p.GlobalAtomics["cas"].Mechanism != "" {
		t.Errorf("f64: %+v", add)
	}
	if add.Slice != nil || p.Global.Answers != nil || p.SharedAtomic(device.F32).Mechanism != device.CAS {
		t.Error("what was measured on others is there")
	}
}

// TestForeign: from another vendor's GPU come cycles of its native additions, for the number of lanes
// of the device; no patterns of warps, no merging, no operations beside.
func TestForeign(t *testing.T) {
	p, base := made(t, "mi300x", "h200"), builtin(t, "h200")
	if p.Core.WarpLanes.Value != 64 || p.Core.MaxWarps.Value != 32 ||
		math.Abs(p.Core.IssueCycles.Value/base.Core.IssueCycles.Value-2) > 1e-3 ||
		math.Abs(p.Exchange.ShufflePort.Value/base.Exchange.ShufflePort.Value-2) > 1e-3 {
		t.Errorf("%+v, %+v", p.Core, p.Exchange)
	}
	if p.Exchange.HasMatch.Value || p.Exchange.MatchKey.Value != 0 || !p.Exchange.HasShuffle.Value {
		t.Errorf("%+v", p.Exchange)
	}
	for _, typ := range device.Types() {
		shared, global := p.SharedAtomic(typ), p.GlobalAtomic(typ)
		if shared.Mechanism != device.Native || global.Mechanism != device.Native ||
			!strings.HasPrefix(shared.Instruction, "ds_add_") ||
			!strings.HasPrefix(global.Instruction, "global_atomic_add") || shared.Warp != nil ||
			shared.Base.Value != base.SharedAtomic(device.U32).Base.Value {
			t.Errorf("%s: %+v, %+v", typ, shared, global)
		}
		if one := p.SharedAdd(device.Call{Type: typ, Operand: device.One}); one.Mechanism != device.Native {
			t.Errorf("%s: the constant 1 by %s", typ, one.Mechanism)
		}
		if len(p.Types[typ].SharedOperations) > 0 {
			t.Errorf("%s: %v", typ, p.Types[typ].SharedOperations)
		}
	}
	if p.Paths != nil || p.Estimate.BaseVendor != "NVIDIA" {
		t.Errorf("%+v", p.Estimate)
	}
}

// TestNearest: the base is of the same vendor where there is one, of the nearest compute capability,
// and then of the nearest bandwidth.
func TestNearest(t *testing.T) {
	f, err := Public()
	if err != nil {
		t.Fatal(err)
	}
	measured := []*device.Profile{builtin(t, "h200"), builtin(t, "h100")}
	for name, want := range map[string]string{"a100": "h100", "b200": "h200", "mi300x": "h200",
		"h200": "h100", "h100": "h200", "v100": "h100"} {
		if p, err := f.Nearest(name, measured); err != nil || p.Name != want {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	older := append(measured, builtin(t, "gtx980"))
	for name, want := range map[string]string{"v100": "gtx980", "a100": "h100", "mi300x": "h200"} {
		if p, err := f.Nearest(name, older); err != nil || p.Name != want {
			t.Errorf("%s: %s, want %s, %v", name, p.Name, want, err)
		}
	}
	mixed := []*device.Profile{builtin(t, "mi300x"), builtin(t, "h100")}
	if p, err := f.Nearest("b200", mixed); err != nil || p.Name != "h100" {
		t.Errorf("b200: %v, %v", p, err)
	}
	if _, err := f.Nearest("h100", measured[1:]); !errors.Is(err, ErrFigures) {
		t.Errorf("from itself: %v", err)
	}
	if _, err := f.Nearest("abacus", measured); !errors.Is(err, device.ErrUnknown) {
		t.Error(err)
	}
}

// TestBrokenFigures: what makes no profile is an error that names the place.
func TestBrokenFigures(t *testing.T) {
	const good = `{"documents": {"d": "a sheet"}, "groups": {}, "devices": [{"name": "mine", "title": "Mine",
		"vendor": "NVIDIA", "architecture": "Ampere", "groups": ["NVIDIA", "sm_80"], "facts": {
		"core.sms": {"value": 10, "document": "d", "where": "front", "rationale": "SMs"}},
		"dram_bytes_per_second": {"value": 1e12, "document": "d", "where": "front", "rationale": "bus"}}]}`
	try := func(text string) error {
		f, err := Public()
		if err != nil {
			t.Fatal(err)
		}
		if err = f.Add([]byte(text)); err == nil {
			_, err = f.Profile("mine", builtin(t, "h100"))
		}
		return err
	}
	if err := try(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"core.sms"`, `"core.smz"`, "a profile has no core.smz"},
		{`"value": 10`, `"value": true`, "core.sms is true"},
		{`"value": 10`, `"value": 0`, "core.sms = 0"},
		{`"value": 1e12`, `"value": -1`, "-1 is no positive number"},
		{`"sm_80"`, `"sm_81"`, `no group "sm_81"`},
		{`"document": "d", "where": "front", "rationale": "SMs"`,
			`"document": "e", "where": "front", "rationale": "SMs"`, `core.sms: document "e"`},
		{`"rationale": "SMs"`, `"rationale": ""`, "core.sms"},
		{`"title"`, `"tile"`, "tile"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatal(c.old)
		}
		err := try(strings.Replace(good, c.old, c.new, 1))
		if !errors.Is(err, ErrFigures) && !errors.Is(err, device.ErrProfile) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
	missing := strings.Replace(good, `"dram_bytes_per_second"`, `"l2_bytes_per_cycle"`, 1)
	if err := try(missing); err == nil || !strings.Contains(err.Error(), "dram_bytes_per_second is missing") {
		t.Error(err)
	}
}
