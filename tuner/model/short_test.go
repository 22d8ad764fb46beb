package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestShortElements: a list of elements that lack their keys ends at the first, whatever its length.
func TestShortElements(t *testing.T) {
	for _, list := range []string{`"features":[`, `"tree":{"leaves":[`, `"evaluation":{"families":[`} {
		for _, element := range []string{"{}", `{"x":1}`, "null"} {
			text := []byte(`{"format":"atomtune-model","version":4,` + list +
				strings.Repeat(element+",", 1<<20/len(element)) + element + "]}")
			// Beside the value the text is in the buffers that JSON is read from.
			allocation.BoundBeyond(t, len(text), 4*len(text), func() {
				if _, err := model.Decode(text); !errors.Is(err, model.ErrModel) {
					t.Errorf("%s of %s: %v", list, element, err)
				}
			})
		}
	}
}
