package estimate

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/device"
)

// folder holds the built-in profiles.
const folder = "../../device/profiles/"

// TestBuiltin: the rule reproduces the built-in estimates, byte by byte.
func TestBuiltin(t *testing.T) {
	f, err := Public()
	if err != nil {
		t.Fatal(err)
	}
	measured, err := Measured()
	if err != nil {
		t.Fatal(err)
	}
	names := f.Builtin()
	for _, name := range device.Names() {
		if p := builtin(t, name); p.Estimate != nil && !slices.Contains(names, name) {
			t.Errorf("no figures of %s", name)
		}
	}
	for _, name := range names {
		base, err := f.Nearest(name, measured)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Profile(name, base)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		d, err := device.Decode(made)
		if err != nil {
			t.Fatal(err)
		}
		if doubts := d.Doubts(); len(doubts) > 0 {
			t.Fatal(doubts)
		}
		if golden.Update() {
			if err := os.WriteFile(folder+name+".json", made, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if kept, err := os.ReadFile(folder + name + ".json"); err != nil || !bytes.Equal(kept, made) {
			t.Errorf("%s.json is not what the figures and the %s say (%v): ATOMTUNE_UPDATE_GOLDEN=1 "+
				"renews it", name, base.Name, err)
		}
	}
}
