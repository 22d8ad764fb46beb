package calls

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzSpecs: a list of streams is of streams that differ, or an error that names its line.
func FuzzSpecs(f *testing.F) {
	f.Add("uniform:n=100,k=10 # a note\n\nzipf:n=100,k=10,seed=3\n")
	f.Add("uniform:n=100,k=10\nuniform:k=10,n=100\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseSpecs("f", text)
		// A line takes a name, a map of its parameters, and their text.
		lines := strings.Count(text, "\n") + 1
		allocation.BoundBeyond(t, len(text), lines<<11, func() { list, err = parseSpecs("f", text) })
		if err != nil {
			if !errors.Is(err, ErrStream) || !strings.Contains(err.Error(), "f:") {
				t.Error(err)
			}
			return
		}
		seen := map[string]bool{}
		for _, s := range list {
			if seen[s.String()] {
				t.Errorf("%s stands twice", s)
			}
			seen[s.String()] = true
		}
	})
}
