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
	standard     []string
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
		l.standard = append(l.standard, h.standard...)
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

// take returns the declarations that the text uses, and those that they use in turn.
func (l *library) take(text string) string {
	wanted := identifiers(text)
	l.reach(wanted)
	return l.text(wanted)
}

// reach adds to wanted the names that the library's declarations of these names use in turn. Where
// a name is declared several times, all of them are taken.
func (l *library) reach(wanted map[string]bool) {
	for grown := true; grown; {
		before := len(wanted)
		for i := range l.declarations {
			d := &l.declarations[i]
			if !wanted[d.name] {
				continue
			}
			maps.Copy(wanted, d.uses)
			for _, m := range d.members {
				if wanted[m.name] {
					maps.Copy(wanted, m.uses)
				}
			}
		}
		grown = len(wanted) > before
	}
}

// text writes the declarations of the wanted names.
func (l *library) text(wanted map[string]bool) string {
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

// sentence is the first sentence of a comment.
func sentence(comment string) string {
	if at := strings.Index(comment, ". "); at >= 0 {
		comment = comment[:at+1] + "\n"
	}
	for at, line := 0, ""; at < len(comment); at += len(line) {
		line, _, _ = strings.Cut(comment[at:], "\n")
		line += "\n"
		if strings.HasSuffix(line, ".\n") || line == "//\n" {
			return comment[:at+len(line)]
		}
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

// toolkit lists what the headers include of CUDA's toolkit beside the runtime.
func (l *library) toolkit() (list []string) {
	for _, file := range l.standard {
		if strings.Contains(file, "/") {
			list = append(list, file)
		}
	}
	return list
}
