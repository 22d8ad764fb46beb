package main

import (
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/google/go-cmp/cmp"
)

const readme = "../../README.md"

// TestReadme runs the command lines of the README's transcripts and compares
// what they print.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	blocks := strings.Split(text, "```console\n")
	for i, block := range blocks[1:] {
		old, rest, found := strings.Cut(block, "```\n")
		command, _, _ := strings.Cut(old, "\n")
		args, isCommand := strings.CutPrefix(command, "$ atomtune ")
		if !found || !isCommand {
			t.Fatalf("transcript %d begins with %q", i+1, command)
		}
		fresh := command + "\n" + withoutClock(done(t, strings.Fields(args)...))
		if golden.Update() {
			blocks[i+1] = fresh + "```\n" + rest
			continue
		}
		if diff := cmp.Diff(strings.Split(old, "\n"), strings.Split(fresh, "\n")); diff != "" {
			t.Errorf("README.md, %s (-README +now):\n%s", command, diff)
		}
	}
	if len(blocks) < 2 {
		t.Fatal("README.md has no transcript")
	}
	if golden.Update() {
		if err := os.WriteFile(readme, []byte(strings.Join(blocks, "```console\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutClock leaves out how long reading took, which no transcript repeats.
func withoutClock(out string) string {
	lines := strings.Split(out, "\n")
	for i, l := range lines {
		if at := strings.Index(l, ", read and measured in "); at >= 0 {
			lines[i] = l[:at]
		}
	}
	return strings.Join(lines, "\n")
}

// TestReadmeGo checks that the README's Go lines stand in the tested example.
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
