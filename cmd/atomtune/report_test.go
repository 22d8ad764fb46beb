package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReportAgrees: what report says of a stream is what choose says of it, to the last digit, and its page has the
// names and numbers of the reason.
func TestReportAgrees(t *testing.T) {
	inputs(t)
	for _, args := range []string{"indices.npy", "--device gtx980 --type f32 --value one image.png",
		"--returns --sample 8 indices.npy", "--keys --column city keys.csv"} {
		choice, page := document(t, line("choose", args)...), done(t, line("report --out -", args)...)
		files, _ := document(t, line("report", args)...)["files"].([]any)
		if len(files) != 1 || len(choice) < 10 {
			t.Fatalf("%s: %d streams, %d fields", args, len(files), len(choice))
		}
		for key, want := range choice {
			if key == "constraints" { // which report has none of
				continue
			}
			if diff := cmp.Diff(want, need(t, "report", files[0], "")[key]); diff != "" {
				t.Errorf("%s: %s: %s", args, key, diff)
			}
		}
		for _, word := range strings.Fields(choice["reason"].(string)) {
			if !strings.Contains(page, strings.Trim(word, "(),")) {
				t.Errorf("%s: the page lacks %q", args, word)
			}
		}
	}
}
