package emit

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// library is a set of headers of which parts are taken.
type library struct {
	declarations []declaration // each after what it is made of
	toolkit      []string
}

// open reads the headers of that name and what they include of the same folder, but for those
// that stand in without.
func open(files fs.FS, folder string, names, without []string) (l library, err error) {
	read := map[string]bool{}
	for _, name := range without {
		read[name] = true
	}
	var add func(name string) error
	add = func(name string) error {
		if read[name] {
			return nil
		}
		read[name] = true
		text, err := fs.ReadFile(files, path.Join(folder, name))
		if err != nil {
			return err
		}
		h, err := parseHeader(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, other := range h.own {
			if err := add(other); err != nil {
				return err
			}
		}
		l.toolkit = append(l.toolkit, h.toolkit...)
		l.declarations = append(l.declarations, h.declarations...)
		return nil
	}
	for _, name := range names {
		if err := add(name); err != nil {
			return l, err
		}
	}
	return l, nil
}

// reach adds to wanted the names that declarations of these names use, and reports whether there were any new ones.
// Where a name is declared several times, all of them are taken.
func reach(list []declaration, wanted map[string]bool) bool {
	before := len(wanted)
	for _, d := range list {
		if wanted[d.name] {
			maps.Copy(wanted, d.uses)
			reach(d.members, wanted)
		}
	}
	return len(wanted) > before
}

// take returns the declarations that the text uses, and those that they use in turn.
func (l *library) take(text string) string {
	wanted := identifiers(text)
	for reach(l.declarations, wanted) {
	}
	var b strings.Builder
	namespace := ""
	to := func(next string) {
		if next == namespace {
			return
		}
		if namespace != "" {
			fmt.Fprintf(&b, "}  // namespace %s\n\n", namespace)
		}
		if next != "" {
			fmt.Fprintf(&b, "namespace %s {\n\n", next)
		}
		namespace = next
	}
	for i := range l.declarations {
		if d := &l.declarations[i]; wanted[d.name] {
			to(d.namespace)
			b.WriteString(sentence(d.comment) + d.with(wanted) + "\n")
		}
	}
	to("")
	return b.String()
}

var sentenceEnd = regexp.MustCompile(`(?m)\.[ \n]|^//\n`)

// sentence is the first sentence of a comment.
func sentence(comment string) string {
	if at := sentenceEnd.FindStringIndex(comment); at != nil {
		return comment[:at[1]-1] + "\n"
	}
	return comment
}

// facilities says which header of the standard library declares what programs use of it.
var facilities = map[string]string{
	"INT_MAX": "climits", "UINT32_MAX": "cstdint", "ceil": "cmath",
	"conditional_t": "type_traits", "exit": "cstdlib", "exp": "cmath",
	"expm1": "cmath", "fabs": "cmath", "floor": "cmath", "fprintf": "cstdio", "ifstream": "fstream",
	"integral_constant": "type_traits", "invalid_argument": "stdexcept", "ios": "fstream",
	"is_convertible_v": "type_traits", "is_floating_point_v": "type_traits",
	"is_integral_v": "type_traits", "is_pointer_v": "type_traits", "is_same_v": "type_traits",
	"ldexp": "cmath", "log": "cmath",
	"log1p": "cmath", "make_unsigned_t": "type_traits", "max": "algorithm", "min": "algorithm",
	"numeric_limits": "limits", "out_of_range": "stdexcept", "pair": "utility", "pow": "cmath",
	"printf": "cstdio", "sort": "algorithm", "sqrt": "cmath", "string": "string",
	"to_string": "string", "vector": "vector",
}

// standardName finds names of namespace std, and the limits that are macros.
var standardName = regexp.MustCompile(`\bstd::(\w+)|\b([A-Z0-9]+_MAX)\b`)

// includes returns the lines that include what the text needs of the standard library, after the
// files of the toolkit.
func includes(text string, toolkit []string) (string, error) {
	standard := []string{"cstddef", "cstdint"}
	for _, found := range standardName.FindAllStringSubmatch(bare(text), -1) {
		file, ok := facilities[found[1]+found[2]]
		if !ok {
			return "", fmt.Errorf("%s: no header is known that declares it", found[0])
		}
		standard = append(standard, file)
	}
	slices.Sort(standard)
	var b strings.Builder
	for _, files := range [][]string{append([]string{"cuda_runtime.h"}, toolkit...),
		slices.Compact(standard)} {
		for _, file := range files {
			fmt.Fprintf(&b, "#include <%s>\n", file)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}
