package rows

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzParseImplementation: a form and slots print as a name that reads as the same, and types as the
// name that they were read from.
func FuzzParseImplementation(f *testing.F) {
	for _, text := range []string{"f32", "bf16", "f64", "hot:s=8", "sort", "naive:", "hot:s=-2", "hot:s=08", "bf16 to f32"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var form Form
		var slots int
		var err error
		allocation.Bound(t, len(text), func() { form, slots, err = ParseImplementation(text) })
		if err != nil && !errors.Is(err, ErrForm) {
			t.Error(err)
		}
		if name := Implementation(form, slots); err == nil {
			if f, s, err := ParseImplementation(name); err != nil || f != form || s != slots {
				t.Errorf("%q is %s, which reads as %v of %d, %v", text, name, f, s, err)
			}
		}
		kind, err := ParseKind(text)
		if err != nil && !errors.Is(err, ErrCall) || err == nil && kind.String() != text {
			t.Errorf("%q is %s, %v", text, kind, err)
		}
	})
}
