package paperstest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atomtune/atomtune/lab/papers"
)

// Stored are the times of a checkpoint, which stays as it is.
func Stored(t *testing.T, checkpoint string) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "times.csv")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := papers.OpenCheckpoint(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return j.Memo.Times()
}
