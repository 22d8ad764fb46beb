package learners

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/tuner/model"
)

func TestLearnersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "learners.csv")
	print, err := LearnersFingerprint("learners_test.go")
	if err != nil {
		t.Fatal(err)
	}
	other, err := LearnersFingerprint("learners.go")
	if err != nil || other == print {
		t.Errorf("error %v, two files share the fingerprint %s", err, print)
	}
	want := []LearnerRow{
		{"h200", JudgeFamilies, "a, b", 10, model.Loss{Points: 5, GeometricMean: 1.25, P90: 1.5, Max: 2},
			&LogError{0.125, 0.25}},
		{"h200", JudgeFit, "c", 10, model.Loss{Points: 5, GeometricMean: 1.25, P90: 1.5, Max: 2}, nil},
	}
	if err := WriteLearners(path, print, want); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	back, rows, err := DecodeLearners(path, good)
	if diff := cmp.Diff(want, rows); err != nil || back != print || diff != "" {
		t.Errorf("error %v, fingerprint %s, rows:\n%s", err, back, diff)
	}
	lines := strings.SplitAfter(string(good), "\n")
	for text, place := range map[string]string{
		strings.Join(lines[1:], ""): ":1:", lines[0] + strings.Join(lines[2:], ""): ":2:",
		strings.Join(lines[:2], ""): "", strings.Replace(string(good), ",1.25,", ",0.5,", 1): ":3:",
		strings.Replace(string(good), ",1.25,", ",NaN,", 1): ":3:", strings.Replace(string(good), ",10,", ",0,", 1): ":3:",
		strings.Replace(string(good), ",10,", ",", 1): ":3:",
	} {
		if _, _, err := DecodeLearners(path, []byte(text)); !errors.Is(err, ErrLearners) ||
			!strings.Contains(err.Error(), path+place) {
			t.Errorf("error %v, want one with %q", err, place)
		}
	}
}
