package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// TestDevices: what devices prints as JSON is a profile that works wherever a name does; its page has the thresholds
// of speedup, as parameters that simulate takes, and with --all every quantity with its source.
func TestDevices(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range device.Names() {
		original := profile(t, name)
		encoded := done(t, "devices", "--json", name)
		write(t, "copy.json", []byte(encoded))
		copied, err := device.Load("./copy.json")
		page := done(t, "devices", name)
		if err != nil || !reflect.DeepEqual(copied, original) || done(t, "devices", "copy.json") != page {
			t.Errorf("%s: the copy differs, %v", name, err)
		}
		sr, vr := speedup.Thresholds(original)
		for _, part := range []string{fmt.Sprintf("sr:t=%d", sr), fmt.Sprintf("vr:t=%d", vr)} {
			if _, err := variant.Parse(part); err != nil || !strings.Contains(page, part) {
				t.Errorf("%s: no %s, %v, in\n%s", name, part, err, page)
			}
		}
		all, list := unfilled(done(t, "devices", "--all", strings.ToUpper(name))), facts(reflect.ValueOf(*original), "")
		sourced := 0
		for _, q := range list {
			value, source := fmt.Sprintf("%s %s", q[0], q[1]), unfilled(fmt.Sprintf("%s: %s", q[3], q[4]))
			if !strings.Contains(all, value) || q[3] != "" && !strings.Contains(all, source) {
				t.Errorf("%s: no %q with source %q", name, value, source)
			}
			if q[3] != "" {
				sourced++
			}
		}
		if want := strings.Count(encoded, `"source":`); sourced != want || want < 30 ||
			!strings.Contains(page, fmt.Sprintf(" %d ", len(list))) {
			t.Errorf("%s: %d quantities, %d with a source, the profile has %d", name, len(list), sourced, want)
		}
	}
}
