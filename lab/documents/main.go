// Command documents writes what the documents have from data. script/documents runs it at the root of a
// clone; a change of data or of a page's words wants it, and CI demands a clean tree after it.
//
//  1. The pages of doc/results that are generated as a whole (pages.go) are rendered from recordings and
//     from the small files of results that script/regenerate computes.
//  2. In every other Markdown file what stands between markers is replaced by the value of that name, and
//     nothing else is touched (markers.go). values.go has the names.
//
// Nothing is simulated. Every error names the file, and of a marker its line.
//
// A number in a document that is written by hand: put it between markers of its name, and give the name a
// value in values.go where it has none yet. A page of its own: a row of pages.go.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/internal/wholefile"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
}

func run() error {
	data, err := read()
	if err != nil {
		return err
	}
	made, err := data.pages()
	if err != nil {
		return err
	}
	written, err := markdown()
	if err != nil {
		return err
	}
	for _, path := range written {
		if _, whole := made[path]; whole {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		filled, err := fill(path, string(text), data.value)
		if err != nil {
			return err
		}
		made[path] = []byte(filled)
	}
	return write(made)
}

// markdown lists the Markdown files of the clone.
func markdown() ([]string, error) {
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(path string) bool {
		_, err := os.Stat(path)
		return err != nil // it was removed
	}), nil
}

// write writes the files that are not as they are to be, and names them.
func write(made map[string][]byte) error {
	for path, text := range made {
		was, err := os.ReadFile(path)
		if err == nil && bytes.Equal(was, text) {
			continue
		}
		if err := wholefile.Write(path, text); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "wrote", path)
	}
	return nil
}
