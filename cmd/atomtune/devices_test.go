package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// TestProfileRoundTrip: what devices prints as JSON is a profile that works
// wherever a name does.
func TestProfileRoundTrip(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range device.Names() {
		if err := os.WriteFile("copy.json", []byte(done(t, "devices", "--json", name)),
			0o644); err != nil {
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

// TestThresholds: a device is shown with the thresholds that speedup has for it, as
// parameters that simulate takes.
func TestThresholds(t *testing.T) {
	for _, name := range device.Names() {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		sr, vr := speedup.Thresholds(d)
		want := fmt.Sprintf("thresholds sr:t=%d, vr:t=%d of %v lanes", sr, vr, d.Core.WarpLanes.Value)
		if got := unfilled(done(t, "devices", name)); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in the answer", name, want)
		}
		for _, part := range []string{fmt.Sprintf("sr:t=%d", sr), fmt.Sprintf("vr:t=%d", vr)} {
			if _, err := variant.Parse(part); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestDevicePage: a device is shown on one screen, and with --all with every quantity.
func TestDevicePage(t *testing.T) {
	for _, name := range device.Names() {
		page := done(t, "devices", name)
		if n := strings.Count(page, "\n"); n > 30 || strings.Contains(page, "%!") {
			t.Errorf("%s: %d lines:\n%s", name, n, page)
		}
		for _, want := range []string{"\nL2 ", "\nlaunches ", "\nu32 ", "--all"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q:\n%s", name, want, page)
			}
		}
		all := unfilled(done(t, "devices", "--all", strings.ToUpper(name)))
		checked := 0
		for _, q := range facts(reflect.ValueOf(*profile(t, name)), "") {
			value := fmt.Sprintf("%s %s", q[0], q[1])
			if source := unfilled(fmt.Sprintf("%s: %s", q[3], q[4])); !strings.Contains(all, value) ||
				q[3] != "" && !strings.Contains(all, source) {
				t.Errorf("%s: no %q with source %q", name, value, source)
			}
			checked++
		}
		if !strings.Contains(page, fmt.Sprintf(" all %d quantities", checked)) {
			t.Errorf("%s: %d quantities:\n%s", name, checked, page)
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
		for _, q := range facts(reflect.ValueOf(*d), "") {
			if q[0] == "" || q[1] == "" || strings.Contains(q[1].(string), "<nil>") {
				t.Errorf("%s: empty fact %+v", name, q)
			}
			if q[3] != "" {
				sourced++
			}
		}
		if want := strings.Count(string(encoded), `"source":`); sourced != want || want < 30 {
			t.Errorf("%s: %d quantities with a source, the profile has %d", name, sourced, want)
		}
	}
}
