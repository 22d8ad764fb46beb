package emit

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/cuda"
	"github.com/atomtune/atomtune/internal/must"
)

// codeLines are the lines of a header without comments, blank lines, directives and namespaces.
func codeLines(text string) (list []string) {
	for line := range strings.Lines(text) {
		code := strings.TrimSpace(line)
		if code == "" || strings.HasPrefix(code, "//") || strings.HasPrefix(code, "namespace ") ||
			strings.HasPrefix(code, "}  // namespace") || strings.HasPrefix(code, "#") {
			continue
		}
		list = append(list, strings.TrimRight(line, "\n"))
	}
	return list
}

// TestDeclarations: the declarations of a header, with all of their members, are its code.
func TestDeclarations(t *testing.T) {
	checked := 0
	for _, name := range []string{"warp", "add", "fetch", "stream", "private", "ranges", "hot",
		"hot_tags", "private_fetch", "kernels", "scatter", "scratch", "buckets", "partition",
		"partition_update", "sort"} {
		text := must.Get(fs.ReadFile(cuda.Headers, "atomtune_"+name+".cuh"))(t)
		h, err := parseHeader(string(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all := map[string]bool{}
		var code strings.Builder
		for i := range h.declarations {
			d := &h.declarations[i]
			for _, m := range d.members {
				all[m.name] = true
			}
			code.WriteString(d.with(all))
		}
		have, want := codeLines(code.String()), codeLines(string(text))
		if !slices.Equal(have, want) {
			t.Errorf("%s: %d lines of %d in declarations", name, len(have), len(want))
		}
		checked += len(h.declarations)
	}
	if checked < 150 {
		t.Errorf("only %d declarations", checked)
	}
}

// TestMembers: a member that nothing names is left out, with what only it uses.
func TestMembers(t *testing.T) {
	h := must.Get(parseHeader(`namespace atomtune {

// used is. It has a second sentence.
inline int used() { return 1; }

inline int unused() { return 2; }  // of used

struct Pair {
  int a;  // unused()

  Pair() : a(used()) {}
  // first is kept.
  int first() const { return a; }

  // second is not.
  template <typename T>
  T second() const {
    return unused();
  }
};

}  // namespace atomtune
`))(t)
	l := library{declarations: h.declarations}
	want := `// used is.
inline int used() { return 1; }

struct Pair {
  int a;  // unused()

  Pair() : a(used()) {}
  // first is kept.
  int first() const { return a; }
};

`
	if have := l.take("Pair().first(); // second"); have != want {
		t.Errorf("taken:\n%s\nwant:\n%s", have, want)
	}
}

// TestOtherHeaders: a header of another form is an error that names the line.
func TestOtherHeaders(t *testing.T) {
	for text, line := range map[string]string{
		"}\n": "1", "namespace atomtune {\n}\n\n}\n": "4", "namespace a {\n\n// of 2 lines\n  +\n;\n}\n": "4",
	} {
		_, err := parseHeader(text)
		if err == nil || !slices.Contains(strings.FieldsFunc(err.Error(), func(r rune) bool { return r < '0' || r > '9' }), line) {
			t.Errorf("%q: %v, want line %s", text, err, line)
		}
	}
}
