package collision

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVectors: the environment variable forces each kind of vector instructions that there is, and
// none changes a result; another one is an error that says which there are.
func TestVectors(t *testing.T) {
	has := Vectors()
	if has[0] != VectorsNone || !slices.Contains(has, (Options{}).vectors()) {
		t.Fatalf("%v, and %q is the default", has, (Options{}).vectors())
	}
	keys := draw(3, 1, 1<<15, 500)
	want := analyze(t, keys, Options{Vectors: VectorsNone})
	for _, vectors := range has {
		t.Setenv(VectorsVariable, vectors)
		if got := (Options{}).vectors(); got != vectors {
			t.Errorf("%s: %s", vectors, got)
		}
		if got := (Options{Vectors: VectorsNone}).vectors(); got != VectorsNone {
			t.Errorf("the variable comes before the option: %s", got)
		}
		if diff := cmp.Diff(want, analyze(t, keys, Options{})); diff != "" {
			t.Errorf("none against %s:\n%s", vectors, diff)
		}
	}
	t.Setenv(VectorsVariable, "mmx")
	_, err := Analyze(keys, Options{})
	for _, words := range []string{VectorsVariable, `"mmx"`, strings.Join(has, ", ")} {
		if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q is not in %v", words, err)
		}
	}
	if _, err := NewSampler(Options{Vectors: "sse"}); !errors.Is(err, ErrOptions) ||
		!strings.Contains(err.Error(), `vectors "sse"`) {
		t.Error(err)
	}
}
