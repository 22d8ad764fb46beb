package dispatch_test

import (
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// TestAltered: what is said to trees of which one field is another is what testdata/altered.txt holds.
func TestAltered(t *testing.T) {
	var lines []string
	for _, tree := range embedded(t) {
		text, err := tree.Encode()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, tree.Device+": "+golden.Altered(text, 300, func(altered []byte) error {
			_, err := dispatch.Decode(altered)
			return err
		}).String())
	}
	golden.Compare(t, "testdata/altered.txt", lines)
}
