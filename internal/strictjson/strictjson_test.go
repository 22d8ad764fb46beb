package strictjson

import (
	"bytes"
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

// TestList: a list is read as a slice is, but for elements that are too short to have all of their keys
// or have others.
func TestList(t *testing.T) {
	type row struct {
		A, B, C, D uint64
	}
	const whole = `{"A":1,"B":2,"C":3,"D":4}`
	var v struct{ L List[row] }
	for text, want := range map[string]int{`{"L":[` + whole + `, ` + whole + `]}`: 2, `{"L":[]}`: 0, `{"L":null}`: 0,
		`{"L":[{"A":10}]}`: 1, `{"L":[{"A":1}]}`: -1, `{"L":[{}]}`: -1, `{"L":[null]}`: -1, `{"L":[{"A":1,"E":22222}]}`: -1,
		`{"L":{}}`: -1, `{"L":3}`: -1, `{"L":[` + whole + `,{}]}`: -1} {
		v.L = nil
		if err := Decode([]byte(text), &v); (err == nil) != (want >= 0) || err == nil && len(v.L) != want {
			t.Errorf("%s: %+v, %v", text, v.L, err)
		}
	}
}
