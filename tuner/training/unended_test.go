package training_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atomtune/atomtune/tuner/training"
)

// TestUnended: neither an empty journal nor one whose first line does not end is merged.
func TestUnended(t *testing.T) {
	for _, content := range []string{"", `{"format"`} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := training.Merge(path)
		want := "merge: " + path + ": unusable journal: it is empty, or its first line has no end"
		if !errors.Is(err, training.ErrJournal) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
