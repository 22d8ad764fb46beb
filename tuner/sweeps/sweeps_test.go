package sweeps

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TestPoints: doc/ARCHITECTURE.md says how many points there are, one a line below a heading.
func TestPoints(t *testing.T) {
	total := 0
	for _, device := range []string{"c2075", "gtx680", "h200"} {
		data, err := Packed(device)
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		total += bytes.Count(text, []byte("\n")) - 1
	}
	list, err := files.ReadDir(".")
	if err != nil || len(list) != 3 {
		t.Errorf("%d files (error %v), want 3", len(list), err)
	}
	document, err := os.ReadFile("../../doc/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprintf("%d,%03d in all", total/1000, total%1000); !strings.Contains(string(document), said) {
		t.Errorf("doc/ARCHITECTURE.md does not say %q", said)
	}
}
