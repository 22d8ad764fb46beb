package arrow

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/columnar/columnartest"
)

// What a footer claims many times of one place is refused, and so are dictionaries out of all proportion to
// their file: they would unpack without an end in sight.
func TestRepeatedMessages(t *testing.T) {
	data := file(t, "javascript.arrow")
	const column = 7
	for _, c := range []struct {
		name, want string
		change     func(v *Values)
		kind       error
	}{
		{"as it is", "", func(*Values) {}, io.EOF},
		{"messages", "its messages share bytes", func(v *Values) {
			v.file.blocks = slices.Repeat(v.file.blocks, len(data))
		}, ErrMalformed},
		{"dictionaries", "more than 8 entries for each byte", func(v *Values) { v.spare = 0 }, ErrUnsupported},
	} {
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if !f.fields[column].dictionary {
			t.Fatal("a column without a dictionary")
		}
		v, err := f.Read(column)
		if err != nil {
			t.Fatal(err)
		}
		c.change(v)
		t.Run(c.name, func(t *testing.T) { columnartest.Ends(t, v, c.kind, c.want) })
	}
}
