package strictjson

import (
	"bytes"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	var v struct{ N int }
	if err := Decode([]byte(" {\"n\": 7}\n"), &v); err != nil || v.N != 7 {
		t.Errorf("%+v, %v", v, err)
	}
	for _, bad := range []string{"", `{"n":7`, `{"m":7}`, `{"n":7}{}`, `{"n":7} x`, `{"n":"7"}`} {
		if Decode([]byte(bad), &v) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestWhole(t *testing.T) {
	for text, want := range map[string][2]string{
		"": {"", ""}, "a": {"", "a"}, "a\n": {"a\n", ""}, "a\nb\nc": {"a\nb\n", "c"},
	} {
		if lines, tail := Whole([]byte(text)); string(lines) != want[0] || string(tail) != want[1] {
			t.Errorf("%q: %q and %q", text, lines, tail)
		}
	}
}

// calls counts how often it is written to.
type calls struct {
	bytes.Buffer
	n int
}

func (c *calls) Write(p []byte) (int, error) {
	c.n++
	return c.Buffer.Write(p)
}

func TestAppend(t *testing.T) {
	var to calls
	if err := Append(&to, []int{1}); err != nil || to.n != 1 || to.String() != "[1]\n" {
		t.Errorf("%d calls wrote %q: %v", to.n, to.String(), err)
	}
	if Append(&to, func() {}) == nil || to.n != 1 {
		t.Error("what JSON cannot say was written")
	}
}

// TestOpenJournal: a journal is made, is written at its end, and belongs to one at a time.
func TestOpenJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	for i, want := range []string{"", "0\n", "0\n1\n"} {
		file, data, err := OpenJournal(path)
		if err != nil || string(data) != want {
			t.Fatalf("%q, %v, want %q", data, err, want)
		}
		if _, _, err := OpenJournal(path); runtime.GOOS != "windows" && (!errors.Is(err, ErrBusy) ||
			!strings.Contains(err.Error(), path)) {
			t.Errorf("opened twice: %v", err)
		}
		if err := errors.Join(Append(file, i), file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := OpenJournal(filepath.Join(path, "none")); err == nil {
		t.Error("a file is a folder")
	}
}
