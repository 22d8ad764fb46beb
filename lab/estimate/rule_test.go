package estimate

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/allocation"
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

// TestSlices: without the bytes of a cycle of both, slices go with SMs, in whole region_slices.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		name, base string
		slices     float64
	}{
		{"v100", "h100", 26}, // 66 * 2048 / 5120, and even
		{"h200", "h100", 66}, {"h200", "gtx980", 33},
	} {
		if v := made(t, c.name, c.base).Global.Slices.Value; v != c.slices {
			t.Errorf("%s from %s has %v slices, want %v", c.name, c.base, v, c.slices)
		}
	}
}

// TestOlderBase: what an older base lacks comes of what it has: a match of ballots, native addition of
// f64 of that of u32; its slices were not measured, and so the estimate has no times of requests.
func TestOlderBase(t *testing.T) {
	p, base := made(t, "h100", "gtx980"), builtin(t, "gtx980")
	x := p.Exchange
	if !x.HasMatch.Value || x.MatchKey.Value != base.Exchange.BallotLatency.Value ||
		x.MatchKeyPort.Value != base.Exchange.BallotPort.Value || x.MatchPort.Value != 0 {
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

// TestNearest: the base is of the same vendor where there is one, of the nearest compute capability,
// and then of the nearest bandwidth.
func TestNearest(t *testing.T) {
	f, err := Public()
	if err != nil {
		t.Fatal(err)
	}
	measured := []*device.Profile{builtin(t, "h200"), builtin(t, "h100")}
	older := append(measured, builtin(t, "gtx980"))
	mixed := []*device.Profile{builtin(t, "mi300x"), builtin(t, "h100")}
	for _, c := range []struct {
		name, want string
		of         []*device.Profile
	}{
		{"a100", "h100", measured}, {"b200", "h200", measured}, {"mi300x", "h200", measured},
		{"h200", "h100", measured}, {"h100", "h200", measured}, {"v100", "h100", measured},
		{"v100", "gtx980", older}, {"a100", "h100", older}, {"mi300x", "h200", older}, {"b200", "h100", mixed},
	} {
		if p, err := f.Nearest(c.name, c.of); err != nil || p.Name != c.want {
			t.Errorf("%s of %d profiles: %v, want %s, %v", c.name, len(c.of), p, c.want, err)
		}
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
		"core.sms": {"value": 10, "document": "d", "where": "front", "rationale": "SMs"},
		"memory.l2_bytes": {"value": 4e7, "document": "d", "where": "front", "rationale": "L2"}},
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
		{`"core.sms"`, `"core.smz"`, "core.sms is missing"}, {`"facts": {`, `"facts": {"core.x": {"value": 1, "document": "d",
			"where": "front", "rationale": "x"}, `, "core.x"}, {`"memory.l2_bytes"`, `"memory.l2_ways"`, "memory.l2_bytes"},
		{`"Ampere"`, `""`, "architecture"}, {`"value": 10`, `"value": true`, "core.sms"},
		{`"value": 10`, `"value": 0`, "core.sms"}, {`"value": 1e12`, `"value": -1`, "-1"},
		{`"sm_80"`, `"sm_81"`, `"sm_81"`}, {`"rationale": "SMs"`, `"rationale": ""`, "core.sms"},
		{`"document": "d", "where": "front", "rationale": "SMs"`,
			`"document": "e", "where": "front", "rationale": "SMs"`, `"e"`},
		{`"title"`, `"tile"`, "tile"}, {`"dram_bytes_per_second"`, `"l2_bytes_per_cycle"`, "dram_bytes_per_second"},
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
}

// FuzzFigures: any text is figures whose documents are listed, or an error that wraps ErrFigures.
func FuzzFigures(f *testing.F) {
	f.Add([]byte(`{"documents":{"d":"D"},"groups":{},"devices":[{"name":"x","dram_bytes_per_second":` +
		`{"value":1e12,"document":"d","where":"p. 1","rationale":"r"}}]}`))
	f.Add([]byte(`{"devices":[{"name":"x","groups":["y"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var file *File
		var err error
		allocation.Bound(t, len(data), func() {
			file = new(File)
			err = file.Add(data)
		})
		if err != nil {
			if !errors.Is(err, ErrFigures) {
				t.Error(err)
			}
			return
		}
		for i := range file.Devices {
			if v, err := file.Devices[i].DRAMRate.number(); err != nil || !(v > 0) {
				t.Errorf("%s: %v, %v", file.Devices[i].Name, v, err)
			}
		}
	})
}
