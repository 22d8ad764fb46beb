package datasets

import (
	zipfile "archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// npzFile writes an archive of arrays by the contents of their files.
func npzFile(t *testing.T, names []string, content func(i int) string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "arrays.npz")
	file := must.Get(os.Create(path))(t)
	z := zipfile.NewWriter(file)
	for i, name := range names {
		w, err := z.CreateHeader(&zipfile.FileHeader{Name: name + ".npy"})
		if err == nil {
			_, err = io.WriteString(w, content(i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, errors.Join(z.Close(), file.Close()))
	return path
}

// Of many arrays only the headers are read that are asked for or listed.
func TestManyArrays(t *testing.T) {
	names := make([]string, 2*mostListed)
	for i := range names {
		names[i] = fmt.Sprint("a", i)
	}
	names[3] = strings.Repeat("long", 1000)
	path := npzFile(t, names, func(i int) string {
		if i == len(names)-2 {
			return "no array"
		}
		return npyFile(1, "'|u1'", "False", "(1,)", string([]byte{byte(i)}))
	})
	last := names[len(names)-1]
	if got, _, err := ReadAll(path, Options{Array: last}); err != nil || len(got) != 1 || int(got[0]) != len(names)-1 {
		t.Errorf("%s: %v, %v", last, got, err)
	}
	if _, _, err := ReadAll(path, Options{Array: names[len(names)-2]}); !errors.Is(err, ErrFormat) {
		t.Errorf("a broken array: %v", err)
	}
	_, _, err := ReadAll(path, Options{})
	if !errors.Is(err, ErrOptions) || len(err.Error()) > 1000 {
		t.Errorf("%d bytes: %.2000v", len(err.Error()), err)
	}
}

// An archive of more arrays than anyone lists is refused by their number.
func TestTooManyArrays(t *testing.T) {
	names := make([]string, mostArrays+1)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	path := npzFile(t, names, func(int) string { return npyFile(1, "'|u1'", "False", "(1,)", "a") })
	_, _, err := ReadAll(path, Options{Array: "0"})
	if !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}
