package device

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/variant"
)

// TestPaths: the section is optional, and complete where it is.
func TestPaths(t *testing.T) {
	with := 0
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Paths == nil {
			continue
		}
		with++
		if p.Memory.AtomicRate.Value >= p.Memory.DRAMRate.Value {
			t.Errorf("%s has two paths, but atomic kernels move %v bytes per second of %v", name,
				p.Memory.AtomicRate.Value, p.Memory.DRAMRate.Value)
		}
	}
	if with != 1 {
		t.Errorf("%d devices have two paths", with)
	}
}

func TestPathsErrors(t *testing.T) {
	good, err := Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	for want, edit := range map[string]func(paths map[string]any){
		"paths.fence is missing":      func(p map[string]any) { delete(p, "fence") },
		"paths.copy_same is in":       func(p map[string]any) { p["copy_same"].(map[string]any)["unit"] = "us" },
		"paths.segment = 2":           func(p map[string]any) { p["segment"].(map[string]any)["value"] = 2 },
		"paths.clause = 0":            func(p map[string]any) { p["clause"].(map[string]any)["value"] = 0 },
		"paths.turn has no source":    func(p map[string]any) { p["turn"].(map[string]any)["source"] = "" },
		"unknown field \"fast_lane\"": func(p map[string]any) { p["fast_lane"] = 1 },
	} {
		data, err := good.Encode()
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		edit(all["paths"].(map[string]any))
		if data, err = json.Marshal(all); err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(data); !errors.Is(err, ErrProfile) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestCoordinated: a coordinator adds, whatever a call needs of old values.
func TestCoordinated(t *testing.T) {
	p, err := Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	v := variant.Variant{Base: variant.Coordinator}
	for _, c := range []Call{{}, {Type: I32, Operand: One}, {Returns: true}} {
		if err := p.CanCall(v, c, 1<<20); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, o := range Ops()[1:] {
		if err := p.CanCall(v, Call{Op: o}, 1); !errors.Is(err, ErrCannot) ||
			!strings.Contains(err.Error(), "does not "+o.String()) {
			t.Errorf("%s: %v", o, err)
		}
	}
	for want, change := range map[string]func(*Profile){
		"shared-memory atomic": func(p *Profile) {
			p.Types = map[Type]TypeAtomics{U32: {Shared: "none", SharedOne: "none", Global: "native"}}
		},
		"up to 64 lanes": func(p *Profile) { p.Core.WarpLanes.Value = 128 },
		"at once":        func(p *Profile) { p.Core.SMs.Value, p.Core.MaxBlocks.Value = 1, 1 },
		"one way":        func(p *Profile) { p.Paths = nil },
	} {
		changed := *p
		change(&changed)
		if err := changed.CanCall(v, Call{}, 1); !errors.Is(err, ErrCannot) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
