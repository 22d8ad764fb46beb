package training_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/gzipped"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/training"
)

// packJournal compresses the journal at path into path.gz and returns that name.
func packJournal(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := gzipped.Pack(data)
	if err == nil {
		err = os.WriteFile(path+".gz", packed, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path + ".gz"
}

// TestMergeCompressed: compressed journals, all or some of them, merge into the
// same rows as plain ones.
func TestMergeCompressed(t *testing.T) {
	var plain, packed []string
	for i := range 2 {
		path := filepath.Join(t.TempDir(), "part.jsonl")
		collect(t, tunertest.Profile(t, "h200"), tunertest.Fake(),
			training.CollectOptions{Journal: path, Shard: training.Shard{Index: i, Of: 2}})
		plain, packed = append(plain, path), append(packed, packJournal(t, path))
	}
	head, rows, err := training.Merge(plain...)
	if err != nil || len(rows) != tunertest.Sweep().Points {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, paths := range [][]string{packed, {plain[0], packed[1]}} {
		again, same, err := training.Merge(paths...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(head, again) + cmp.Diff(rows, same); diff != "" {
			t.Errorf("%v merge into something else (-plain +compressed):\n%s", paths, diff)
		}
	}
}

// TestCompressedRefused: a damaged compressed journal is an error with the
// file's name, and a compressed one is not written to.
func TestCompressedRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	collect(t, tunertest.Profile(t, "h200"), tunertest.Fake(), training.CollectOptions{Journal: path})
	path = packJournal(t, path)
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	options := training.CollectOptions{Journal: path}
	_, err = training.Collect(context.Background(), tunertest.Profile(t, "h200"), tunertest.Sweep(),
		tunertest.Fake(), options)
	if !errors.Is(err, training.ErrJournal) || !strings.Contains(err.Error(), path+": ") ||
		!strings.Contains(err.Error(), "compressed") {
		t.Errorf("going on with a compressed journal: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, packed) {
		t.Errorf("the refused journal was changed, %v", err)
	}
	wrongSum := bytes.Clone(packed)
	wrongSum[len(wrongSum)-8]++
	for name, data := range map[string][]byte{
		"two bytes": packed[:2], "cut": packed[:len(packed)/2], "without its sum": packed[:len(packed)-8],
		"wrong sum": wrongSum, "text after the end": append(bytes.Clone(packed), "text"...),
	} {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := training.ReadJournal(path); !errors.Is(err, training.ErrJournal) ||
			!strings.Contains(err.Error(), path+": ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
