package datasets

import (
	"io"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestEndlessQuoteIsBounded(t *testing.T) {
	text := io.MultiReader(strings.NewReader("k\n\""),
		&repeat{piece: []byte("1234567,\n"), left: 8 << 20})
	_, _, err := ReadAll("-", Options{Format: "csv", Stdin: text})
	const want = "stdin: a row of more than 1048576 bytes; is a quote left open?"
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// The first row is a header by name, by number only if it holds no integer.
func TestCSVHeader(t *testing.T) {
	cases := []struct {
		text   string
		column string
		keys   bool
		want   []uint32
	}{
		{"a,b\n1,2\n3,4\n", "b", false, []uint32{2, 4}},
		{"a,b\n1,2\n3,4\n", "1", false, []uint32{2, 4}},
		{"1,2\n3,4\n", "1", false, []uint32{2, 4}},
		{"1,2\n3,4\n", "0", true, []uint32{0, 1}},
		{"a\n5\n", "", false, []uint32{5}},
		{" a , b \n1 , 2\n", "b", false, []uint32{2}},
		{"\"a,b\",c\n1,2\n", "a,b", false, []uint32{1}},
	}
	for _, c := range cases {
		got, _, err := ReadAll("-", Options{Format: "csv", Column: c.column, Keys: c.keys,
			Stdin: strings.NewReader(c.text)})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q column %q (-want +got):\n%s", c.text, c.column, diff)
		}
	}
}
