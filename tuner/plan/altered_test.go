package plan

import (
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
)

// TestAltered: what is said to plans of which one field is another is what testdata/altered.txt holds.
func TestAltered(t *testing.T) {
	golden.Compare(t, "testdata/altered.txt", []string{golden.Altered([]byte(text), 1000, func(altered []byte) error {
		_, err := Parse(string(altered))
		return err
	}).String()})
}
