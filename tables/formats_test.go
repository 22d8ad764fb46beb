package tables

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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

// TestLiteral: Markdown shows a title as it is.
func TestLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"NVIDIA A100-SXM4-40GB (estimate)": "NVIDIA A100-SXM4-40GB (estimate)",
		"![x](http://y)":                   `!\[x\](http://y)`,
		"<b>&amp;`c`":                      "\\<b\\>\\&amp;\\`c\\`",
		"a_b*c~d|e#f$g":                    `a_b\*c\~d\|e\#f\$g`,
		"__a_b_, _c_":                      `\_\_a_b\_, \_c\_`,
		"a\\\x1b\n":                        `a\\\\x1b\\n`,
	} {
		if got := literal(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	doc := *document(t)
	doc.Tables = slices.Clone(doc.Tables)
	for i := range doc.Tables {
		doc.Tables[i].Title, doc.Tables[i].Warnings = "[a](b)", []string{"*c*"}
	}
	for _, page := range []string{string(doc.Readme()), string(doc.Markdown(doc.Devices()[0]))} {
		if strings.Contains(page, "[a]") || strings.Contains(page, "*c*") || !strings.Contains(page, `\[a\](b)`) {
			t.Errorf("a title is markup of\n%.400s", page)
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
	_, script, _ := strings.Cut(string(data), "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	hash := sha256.Sum256([]byte(script))
	if policy := "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "';"; script == "" ||
		!strings.Contains(string(data), policy) {
		t.Errorf("the page's policy is not %s", policy)
	}
	if link := regexp.MustCompile(`https?:|<link|<img|src=|@import|url\(`).FindString(string(data)); link != "" {
		t.Errorf("the page has a %q", link)
	}
}
