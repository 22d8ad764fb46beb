package main

import (
	"os"
	"strings"
	"testing"
)

// TestDocuments runs every command line of the documents' blocks of commands: an answer fits a screen.
func TestDocuments(t *testing.T) {
	documents := []string{"GUIDE.md", "THEORY.md"}
	texts := make([]string, len(documents))
	for i, name := range documents {
		data, err := os.ReadFile("../../doc/" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(data)
	}
	t.Chdir(t.TempDir())
	lines := 0
	for i, path := range documents {
		for _, block := range strings.Split(texts[i], "```sh\n")[1:] {
			block, _, closed := strings.Cut(block, "```")
			if !closed {
				t.Fatalf("%s: a block has no end", path)
			}
			for line := range strings.Lines(block) {
				args, ours := strings.CutPrefix(strings.TrimSpace(line), "atomtune ")
				if !ours {
					t.Errorf("%s: %q is not a command of atomtune", path, line)
					continue
				}
				if lines++; strings.Contains(line, "|") {
					pipeline(t, strings.TrimSpace(line))
				} else {
					out := done(t, strings.Fields(args)...)
					if n := strings.Count(out, "\n"); strings.HasPrefix(args, "choose ") && !strings.Contains(args, "--explain") && n > 24 {
						t.Errorf("%s: %d lines\n%s", line, n, out)
					}
				}
			}
		}
	}
	if lines < 10 {
		t.Errorf("only %d lines ran", lines)
	}
}
