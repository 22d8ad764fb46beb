package device

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/variant"
)

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
		if err := p.CanCall(v, Call{Op: o}, 1); !errors.Is(err, ErrCannot) {
			t.Errorf("%s: %v", o, err)
		}
	}
	for without, change := range map[string]func(*Profile){
		"atomics in shared memory": func(p *Profile) {
			p.Types = map[Type]TypeAtomics{U32: {Shared: "none", SharedOne: "none", Global: "native"}}
		},
		"at most 64 lanes":   func(p *Profile) { p.Core.WarpLanes.Value = 128 },
		"two blocks at once": func(p *Profile) { p.Core.SMs.Value, p.Core.MaxBlocks.Value = 1, 1 },
		"two paths":          func(p *Profile) { p.Paths = nil },
	} {
		changed := *p
		change(&changed)
		if err := changed.CanCall(v, Call{}, 1); !errors.Is(err, ErrCannot) {
			t.Errorf("without %s: %v", without, err)
		}
	}
}
