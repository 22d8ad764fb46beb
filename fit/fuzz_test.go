package fit

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzNames: the texts of recordings that a fit takes apart read as what prints as them.
func FuzzNames(f *testing.F) {
	for _, text := range []string{"9.0", "12.10", "u32_add", "f64_load", "09.0", "u32_add_cycles"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c capability
		var err error
		allocation.Bound(t, len(text), func() { c, err = parseCapability(text) })
		if err != nil && !errors.Is(err, ErrData) || err == nil && c.String() != text {
			t.Errorf("capability %q is %s, %v", text, c, err)
		}
		if kind, operation, ok := ParseColumn(text); ok && kind.String()+"_"+string(operation) != text {
			t.Errorf("column %q is %s of %s", text, operation, kind)
		}
	})
}
