package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestProfileRoundTrip: what devices prints as JSON is a profile that works
// wherever a name does.
func TestProfileRoundTrip(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range device.Names() {
		if err := os.WriteFile("copy.json", []byte(done(t, "devices", "--json", name)), 0o644); err != nil {
			t.Fatal(err)
		}
		copied, err := device.Load("./copy.json")
		if err != nil {
			t.Fatal(err)
		}
		original, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(copied, original) {
			t.Errorf("%s: the copy differs", name)
		}
		if got, want := done(t, "devices", "copy.json"), done(t, "devices", name); got != want {
			t.Errorf("%s: devices shows the copy differently", name)
		}
	}
}

// TestQuantities: every quantity of a profile is shown, with its source.
func TestQuantities(t *testing.T) {
	for _, name := range device.Names() {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		sourced := 0
		for _, q := range quantities(d) {
			if q.name == "" || q.value == "" || strings.Contains(q.value, "<nil>") {
				t.Errorf("%s: empty fact %+v", name, q)
			}
			if q.source != "" {
				sourced++
			}
		}
		if want := strings.Count(string(encoded), `"source":`); sourced != want || want < 30 {
			t.Errorf("%s: %d quantities with a source, the profile has %d", name, sourced, want)
		}
	}
}
