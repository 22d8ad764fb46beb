package speedup

import "testing"

// TestMeanings: each bound has a meaning of its own.
func TestMeanings(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, name := range append(boundNames[:], "launch", "relayout", "unknown") {
		if text := Meaning(name); seen[text] {
			t.Errorf("%s: %q", name, text)
		} else {
			seen[text] = true
		}
	}
	if len(seen) != len(Bindings())+1 {
		t.Errorf("%d meanings of %v", len(seen)-1, Bindings())
	}
}
