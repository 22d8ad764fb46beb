package golden

import (
	"fmt"
	"path/filepath"
	"testing"
)

// recorder is a test that fails without an end.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestCompare: a line that is another, missing or too many is an error, and only that.
func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	t.Setenv("ATOMTUNE_UPDATE_GOLDEN", "1")
	Compare(t, path, []string{"a", "b"})
	t.Setenv("ATOMTUNE_UPDATE_GOLDEN", "")
	for _, c := range []struct {
		lines []string
		want  int
	}{{[]string{"a", "b"}, 0}, {[]string{"a"}, 2}, {[]string{"a", "c"}, 2}, {[]string{"a", "b", "c"}, 2},
		{[]string{"b", "a"}, 3}} {
		r := &recorder{TB: t}
		if Compare(r, path, c.lines); len(r.errors) != c.want {
			t.Errorf("%q: %q, want %d errors", c.lines, r.errors, c.want)
		}
	}
}

// TestDigest: other numbers, or the same in another order, have another digest; a last bit has not.
func TestDigest(t *testing.T) {
	line := func(values ...float64) string {
		var d Digest
		d.Add(values...)
		return d.String()
	}
	base := line(1, 2.5, -3)
	for _, other := range [][]float64{{1, -3, 2.5}, {1, 2.5, 3}, {1, 2.5}, {1, 2.5, -3, 0}, {1, 2.5, -3.0000001}} {
		if line(other...) == base {
			t.Errorf("%v: %s as of other numbers", other, base)
		}
	}
	if again := line(1, 2.5000000000000004, -3); again != base {
		t.Errorf("%s, want %s", again, base)
	}
	var empty Digest
	if got := empty.String(); got[:9] != "0 numbers" {
		t.Error(got)
	}
}
