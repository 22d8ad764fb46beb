package tables

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFilesAreOfTheData: every committed file is what tables.json makes, and
// there is no other.
func TestFilesAreOfTheData(t *testing.T) {
	files, err := document(t).Files()
	must(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		have, err := os.ReadFile(filepath.Join(folder, f.Name))
		must(t, err)
		if !bytes.Equal(have, f.Content) {
			t.Errorf("%s is not what tables.json says; go generate ./tables writes it", f.Name)
		}
	}
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			t.Errorf("%s is of no table", e.Name())
		}
	}
}

// TestPageAgrees: the page holds the whole document and loads nothing.
func TestPageAgrees(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(folder, "tables.html"))
	must(t, err)
	_, rest, found := strings.Cut(string(data), `<script type="application/json" id="data">`)
	inside, _, closed := strings.Cut(rest, "</script>")
	if !found || !closed {
		t.Fatal("no data in the page")
	}
	doc, err := decode([]byte(inside))
	must(t, err)
	if !reflect.DeepEqual(document(t), doc) {
		t.Error("tables.html holds another document than tables.json")
	}
	if link := regexp.MustCompile(`https?:|<link|<img|src=|@import|url\(`).FindString(string(data)); link != "" {
		t.Errorf("the page has a %q", link)
	}
}
