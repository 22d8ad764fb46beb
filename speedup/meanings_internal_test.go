package speedup

import (
	"strings"
	"testing"
)

// TestMeanings: each bound has a sentence of its own that fits two lines of a terminal.
func TestMeanings(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range append(boundNames[:], "launch", "relayout", "unknown") {
		text := Meaning(name)
		if !strings.HasSuffix(text, ".") || len(text) > 120 || seen[text] {
			t.Errorf("%s: %q", name, text)
		}
		seen[text] = true
	}
	if len(seen) != len(Bindings()) || Meaning("nothing") != "" {
		t.Errorf("%d names of bounds, %v", len(seen), Bindings())
	}
}
