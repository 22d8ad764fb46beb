package datasets

import (
	"bufio"
	stdcsv "encoding/csv"
	"io"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ourRecords splits a text with this package's reader.
func ourRecords(text string) (all [][]string, err error) {
	defer catch(&err)
	in := &input{name: "x", r: bufio.NewReaderSize(strings.NewReader(text), 16)}
	r := &records{in: in, lines: newLines(in)}
	for {
		record, ok := r.next()
		if !ok {
			return all, nil
		}
		var texts []string
		for _, field := range r.split(record) {
			texts = append(texts, string(field))
		}
		all = append(all, texts)
	}
}

// Records agree with encoding/csv on every text: the same fields, and an error
// where that gives one.
func TestRecordsAgreeWithEncodingCSV(t *testing.T) {
	sound := 0
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "7", ",", "\"", "\"\"", "\n",
			"\r\n", " ", "\",\"", "\"x\""}), 1, 20)
		text := strings.Join(pieces.Draw(t, "text"), "")
		reference := stdcsv.NewReader(strings.NewReader(text))
		reference.FieldsPerRecord = -1
		want, wantErr := reference.ReadAll()
		got, err := ourRecords(text)
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%q: error %v, encoding/csv %v", text, err, wantErr)
		}
		if err != nil {
			return
		}
		sound++
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", text, diff)
		}
	})
	if sound == 0 {
		t.Error("no sound text was compared")
	}
}

func TestEndlessQuoteIsBounded(t *testing.T) {
	text := io.MultiReader(strings.NewReader("k\n\""),
		&repeat{piece: []byte("1234567,\n"), left: 8 << 20})
	_, _, err := ReadAll("-", Options{Format: "csv", Stdin: text})
	if err == nil || !strings.HasPrefix(err.Error(),
		"stdin:2: a quoted field of more than 1048576 bytes begins in ") {
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
