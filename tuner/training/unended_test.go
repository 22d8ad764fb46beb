package training_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atomtune/atomtune/tuner/training"
)

// TestUnended: a journal whose first line does not end is told from an empty one.
func TestUnended(t *testing.T) {
	for content, want := range map[string]string{
		"": "it is empty", `{"format"`: "its first line has 9 bytes and no end",
	} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := training.Merge(path)
		if want = "merge: " + path + ": unusable journal: " + want; !errors.Is(err, training.ErrJournal) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
