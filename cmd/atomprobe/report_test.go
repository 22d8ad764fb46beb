package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/probe"
)

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
