package golden

import (
	"errors"
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

// TestNear: lines of another processor may differ in the last digits of numbers and in the hash, and in nothing else.
func TestNear(t *testing.T) {
	line := "f32 12: 3 numbers, mean 2.1667, hash 0123abcd"
	for other, want := range map[string]bool{
		line: true, "f32 12: 3 numbers, mean 2.1668, hash 76543210": true,
		"f32 13: 3 numbers, mean 2.1667, hash 0123abcd": false, "f32 12: 3 numbers, mean 2.1767, hash 0123abcd": false,
		"u32 12: 3 numbers, mean 2.1667, hash 0123abcd": false, "f32 12: 3 numbers": false,
	} {
		if near(other, line) != want {
			t.Errorf("%q: near is %t, want %t", other, !want, want)
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

// TestAltered: each field is changed, one at a time, and errors that differ show.
func TestAltered(t *testing.T) {
	const text = `{"a": [1, "b"], "c" : true}`
	seen := map[string]bool{}
	all := Altered([]byte(text), 1000, func(altered []byte) error {
		seen[string(altered)] = true
		return nil
	})
	for _, want := range []string{`{"x": [1, "b"], "c" : true}`, `{"a": [-1, "b"], "c" : true}`,
		`{"a": [1, "x"], "c" : true}`, `{"a": [1, "b"], "c" : -}`} {
		if !seen[want] {
			t.Errorf("%s is missing in %v", want, seen)
		}
	}
	if all.n != 5*alterations || len(seen) != all.n {
		t.Errorf("%d alterations: %v", len(seen), seen)
	}
	other := Altered([]byte(text), 1000, func([]byte) error { return errors.New("no") })
	if few := Altered([]byte(text), 5, func([]byte) error { return nil }); few.n != 5 ||
		all.String() == other.String() {
		t.Errorf("%s, %s, few %s", all, other, few)
	}
}
