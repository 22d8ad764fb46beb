package main

import (
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// fault is a change of one file that tests must notice.
type fault struct {
	name     string
	file     string // below the module
	old, now string // what stands once in the file, and what is planted in its place
	pkg      string // packages below the module, one of whose tests must fail
	tests    string // which of their tests run, a pattern of go test -run
}

// all is the pattern of all tests. They run as with -short first: short stands for these.
const all, short = ".", ".short"

//go:embed faults.txt
var listed string

// unnoticed are mutations that no test can notice, each with the reason in place of its name.
//
//go:embed equivalents.txt
var unnoticed string

// parse reads a list of faults. A fault is a block of lines:
//
//	What is wrong
//	file FILE
//	- what stands once in the file
//	+ what is planted in its place
//	test PATTERN
//
// Lines that begin with - or + are joined. The tests are those of the file's package, or of
// others that stand behind the pattern. Blank lines part faults; # begins a comment.
func parse(text string) (list []fault, err error) {
	for block := range strings.SplitSeq(text, "\n\n") {
		var f fault
		var old, now []string
		for line := range strings.SplitSeq(block, "\n") {
			word, rest, _ := strings.Cut(line, " ")
			switch {
			case line == "" || word == "#":
			case f.name == "":
				f.name = line
			case word == "file":
				f.file, f.pkg = rest, path.Dir(rest)
			case word == "-":
				old = append(old, rest)
			case word == "+":
				now = append(now, rest)
			case word == "test":
				var pkg string
				if f.tests, pkg, _ = strings.Cut(rest, " "); pkg != "" {
					f.pkg = pkg
				}
			default:
				return nil, fmt.Errorf("%s: line %q", f.name, line)
			}
		}
		if f.name == "" {
			continue
		}
		f.old, f.now = strings.Join(old, "\n"), strings.Join(now, "\n")
		if f.file == "" || f.old == "" || f.old == f.now || f.tests == "" {
			return nil, fmt.Errorf("%s: a file, a change and tests are needed", f.name)
		}
		list = append(list, f)
	}
	return list, nil
}

// same reports whether another fault is the same change.
func (f fault) same(g fault) bool { return f.file == g.file && f.old == g.old && f.now == g.now }

// String is the fault as a block that parse reads.
func (f fault) String() string {
	return fmt.Sprintf("%s\nfile %s\n- %s\n+ %s\ntest %s %s\n", f.name, f.file,
		strings.ReplaceAll(f.old, "\n", "\n- "), strings.ReplaceAll(f.now, "\n", "\n+ "), f.tests, f.pkg)
}

// planted returns the file with the fault.
func (f fault) planted(root string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	if n := strings.Count(string(data), f.old); n != 1 {
		return nil, fmt.Errorf("%s: %d times in %s, want once: %s", f.name, n, f.file, f.old)
	}
	return []byte(strings.Replace(string(data), f.old, f.now, 1)), nil
}
