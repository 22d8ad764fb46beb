package micro

import (
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzParseCounters: the output of a profiler has readings from 0 on and names what is missing, or
// is an error.
func FuzzParseCounters(f *testing.F) {
	f.Add([]byte(counterTable))
	f.Add([]byte("\"ID\"\n\"\"\n\"0\"\n"))
	var c counterCase
	for _, one := range counterCases {
		if one.name == "shared_u32_bank" {
			c = one
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		readings, missing, err := parseCounters(text, c, hopper())
		allocation.Bound(t, len(text), func() { readings, missing, err = parseCounters(text, c, hopper()) })
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if len(readings)+len(missing) != 1+len(counterMetrics) {
			t.Errorf("%d readings, missing %q", len(readings), missing)
		}
		for _, r := range readings {
			if !(r.Value >= 0) {
				t.Errorf("%s: %v", r.Name, r.Value)
			}
		}
	})
}
