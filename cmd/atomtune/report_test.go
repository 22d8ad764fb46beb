package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReportAgrees: what report says of a stream is what choose says of it, to the last digit.
func TestReportAgrees(t *testing.T) {
	inputs(t)
	compared := 0
	for _, line := range []string{"indices.npy", "--device gtx980 --type f32 --value one image.png",
		"--returns --sample 8 indices.npy", "--keys --column city keys.csv"} {
		args := strings.Fields(line)
		choice := document(t, append([]string{"choose"}, args...)...)
		files, _ := document(t, append([]string{"report"}, args...)...)["files"].([]any)
		if len(files) != 1 {
			t.Fatalf("%s: %d streams", line, len(files))
		}
		for key, want := range choice {
			if key == "constraints" { // which report has none of
				continue
			}
			if diff := cmp.Diff(want, need(t, "report", files[0], key)[key]); diff != "" {
				t.Errorf("%s: %s: %s", line, key, diff)
			}
			compared++
		}
	}
	if compared < 40 {
		t.Errorf("compared %d fields", compared)
	}
}

// TestReportPage: the numbers of the page are those that choose prints.
func TestReportPage(t *testing.T) {
	inputs(t)
	page := done(t, "report", "--out", "-", "indices.npy")
	text := done(t, "choose", "indices.npy")
	checked := 0
	for _, begin := range []string{"reason: "} {
		_, rest, _ := strings.Cut(text, begin)
		line, _, _ := strings.Cut(rest, "\n\n")
		for _, word := range strings.Fields(line) {
			if !strings.Contains(page, strings.Trim(word, "(),")) {
				t.Errorf("the page lacks %q of %q", word, line)
			}
			checked++
		}
	}
	if checked < 30 {
		t.Errorf("checked %d words", checked)
	}
}
