package main

import (
	"os"
	"strings"
	"testing"
)

const readme = "../../README.md"

// TestReadmeGo checks that the README's Go lines are in the tested example.
func TestReadmeGo(t *testing.T) {
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../tuner/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(data), "```go\n")
	code, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatal("README.md has no Go code")
	}
	checked := 0
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(string(example), line) {
			t.Errorf("README.md has a line that no example has: %s", line)
		}
		checked++
	}
	if checked < 4 {
		t.Errorf("only %d lines checked", checked)
	}
}
