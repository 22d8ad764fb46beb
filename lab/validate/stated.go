package validate

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Stated compares the gaps that a document states with what tests find: of each sentence, or part of
// one, whether the gap is still there. A sentence that the document lacks is an error, and one of a gap
// that has closed.
func Stated(document string, still map[string]bool) error {
	data, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	var all []error
	for _, say := range slices.Sorted(maps.Keys(still)) {
		if !strings.Contains(text, say) {
			all = append(all, fmt.Errorf("%s does not say %q", document, say))
		}
		if !still[say] {
			all = append(all, fmt.Errorf("%s says %q: this gap has closed", document, say))
		}
	}
	return errors.Join(all...)
}
