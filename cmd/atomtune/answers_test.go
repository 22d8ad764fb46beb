package main

import (
	"strings"
	"testing"
)

// TestCapitals: names of devices may have capitals, and a file may still have them.
func TestCapitals(t *testing.T) {
	inputs(t)
	small, capital := done(t, "choose", "--device", "gtx680", "indices.npy"),
		done(t, "choose", "--device", "GTX680", "indices.npy")
	if small != capital {
		t.Errorf("GTX680:\n%s\ngtx680:\n%s", capital, small)
	}
	if got := done(t, "export", "--to", "c", "--device", "H200"); got != done(t, "export", "--to", "c",
		"--device", "h200") {
		t.Errorf("export --device H200:\n%s", got)
	}
	failed(t, exitFailed, "", []string{"choose", "--device", "./H200.json", "indices.npy"},
		"./H200.json: there is no such file")
}

// TestVersionFlag: --version says what version does, as a document too.
func TestVersionFlag(t *testing.T) {
	if got := done(t, "--version"); got != done(t, "version") {
		t.Errorf("--version prints %s", got)
	}
	if got := done(t, "--version", "--json"); got != done(t, "version", "--json") {
		t.Errorf("--version --json prints %s", got)
	}
}

// TestExplain: the sentences stand in the answer and in the document, and only where they are asked
// for.
func TestExplain(t *testing.T) {
	inputs(t)
	doc := need(t, "choose --explain", document(t, "choose", "--explain", "indices.npy"), "legend")
	text := unfilled(done(t, "choose", "--explain", "indices.npy"))
	legend := doc["legend"].(map[string]any)
	for name, meaning := range legend {
		if !strings.Contains(text, name+" "+meaning.(string)) {
			t.Errorf("%s: %s is not in\n%s", name, meaning, text)
		}
	}
	if len(legend) < 2 || legend["launch"] == nil {
		t.Errorf("legend %v", legend)
	}
	if doc := document(t, "choose", "indices.npy"); doc["legend"] != nil {
		t.Errorf("a legend that nobody asked for: %v", doc["legend"])
	}
}
