package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/probe"
)

// TestProgressLine: the line says how far the run is, and fits its terminal.
func TestProgressLine(t *testing.T) {
	p := probe.Progress{Done: 6, Total: 12, Suite: "calls", Key: "uniform:n=1024,k=2"}
	want := "[############............] 6/12 calls: uniform:n=1024,k=2"
	for width, n := range map[int]int{200: len(want), len(want) + 1: len(want),
		len(want): len(want) - 1, 10: 9, 1: 0, 0: 0} {
		if got := progressLine(p, width); got != want[:n] {
			t.Errorf("width %d: %q, want %q", width, got, want[:n])
		}
	}
}

// TestNoBar: nothing is drawn where standard error is no terminal.
func TestNoBar(t *testing.T) {
	var stderr bytes.Buffer
	show, clear := newEnv(nil, nil, &stderr).progress()
	show(probe.Progress{Done: 1, Total: 2})
	if clear(); stderr.Len() > 0 {
		t.Errorf("shows %q", stderr.String())
	}
}

// TestReport: what was written is listed, and nothing where nothing was.
func TestReport(t *testing.T) {
	for want, files := range map[string][]string{"": nil,
		"wrote run/readings.csv run/calls.csv.gz\n": {"readings.csv", "calls.csv.gz"}} {
		var out bytes.Buffer
		e := newEnv(nil, &out, &bytes.Buffer{})
		err := e.report(driver.Description{}, probe.Outcome{Folder: "run", Files: files}, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(out.String(), "streams\n")
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
