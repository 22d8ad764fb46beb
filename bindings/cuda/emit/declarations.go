package emit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// declaration is a function, type or constant of a header at the level of a namespace, or a function of a type
// that other members may do without.
type declaration struct {
	name      string
	namespace string // within atomtune, "" for itself
	comment   string // the lines before it, of a member in its text
	text      string // without the members that can be left out
	members   []declaration
	at        int             // place of a member in the text of its type, in bytes
	uses      map[string]bool // the identifiers of text
}

// header is a file of declarations.
type header struct {
	toolkit      []string // what it includes of CUDA's toolkit beside the runtime
	own          []string // what it includes beside itself
	declarations []declaration
}

var include = regexp.MustCompile(`^#include ([<"])([^>"]+)[>"]`)

// parseHeader reads a header as this module writes them: declarations at the first column, within
// namespaces that are opened and closed on lines of their own.
func parseHeader(text string) (h header, err error) {
	var namespaces, comment []string
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); {
		line := strings.TrimSpace(lines[i])
		name, opens := strings.CutPrefix(line, "namespace ")
		switch found := include.FindStringSubmatch(line); {
		case found != nil && found[1] == `"`:
			h.own = append(h.own, found[2])
		case found != nil && strings.Contains(found[2], "/"):
			h.toolkit = append(h.toolkit, found[2])
		case line == "" || strings.HasPrefix(line, "#"):
			comment = nil
		case strings.HasPrefix(line, "//"):
			comment = append(comment, lines[i])
		case opens && strings.HasSuffix(line, "{"):
			namespaces = append(namespaces, strings.TrimSpace(strings.TrimSuffix(name, "{")))
		case strings.HasPrefix(line, "}"):
			if len(namespaces) == 0 {
				return h, fmt.Errorf("line %d closes no namespace", i+1)
			}
			namespaces = namespaces[:len(namespaces)-1]
		default:
			end := i + statement(lines[i:])
			d := declaration{text: strings.Join(lines[i:end], ""), comment: strings.Join(comment, ""),
				namespace: strings.Join(namespaces[min(1, len(namespaces)):], "::")}
			if d.name = nameOf(d.text); aggregate(d.text) {
				d.split()
			}
			d.uses = identifiers(d.text)
			if d.name == "" {
				return h, fmt.Errorf("line %d: no name in %q", i+1, line)
			}
			h.declarations = append(h.declarations, d)
			comment, i = nil, end
			continue
		}
		i++
	}
	return h, nil
}

// statement returns the number of lines of the declaration with which the lines begin.
func statement(lines []string) int {
	depth := 0
	for i, line := range lines {
		code := strings.TrimSpace(bare(line))
		for _, r := range code {
			switch r {
			case '(', '{', '[':
				depth++
			case ')', '}', ']':
				depth--
			}
		}
		if depth == 0 && (strings.HasSuffix(code, ";") || strings.HasSuffix(code, "}")) {
			return i + 1
		}
	}
	return len(lines)
}

var literal = regexp.MustCompile(`"(\\.|[^"\\])*"|'(\\.|[^'\\])+'|//[^\n]*`)

// bare is text without comments and quoted strings. No header separates digits by quotes.
func bare(text string) string { return literal.ReplaceAllString(text, "") }

var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

func identifiers(text string) map[string]bool {
	set := map[string]bool{}
	for _, name := range identifier.FindAllString(bare(text), -1) {
		set[name] = true
	}
	return set
}

func aggregate(text string) bool {
	words := strings.Fields(untemplated(text))
	return len(words) > 0 && (words[0] == "struct" || words[0] == "class") &&
		strings.HasSuffix(strings.TrimSpace(text), "};")
}

// split moves the functions of a type out of its text, but for constructors and operators, on
// which the name says nothing.
func (d *declaration) split() {
	lines := strings.SplitAfter(d.text, "\n")
	var kept strings.Builder
	var comment []string
	keep := func(list []string) { kept.WriteString(strings.Join(list, "")) }
	body := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "{") }) + 1
	keep(lines[:body])
	for i := body; i < len(lines); {
		if line := strings.TrimSpace(lines[i]); line == "" || strings.HasPrefix(line, "//") {
			comment = append(comment, lines[i])
			i++
			continue
		}
		end := max(i+1, min(len(lines)-1, i+statement(lines[i:])))
		text := strings.Join(lines[i:end], "")
		name := nameOf(text)
		if function(text) && name != "operator" && name != d.name {
			d.members = append(d.members, declaration{name: name, at: kept.Len(),
				text: strings.Join(comment, "") + text, uses: identifiers(text)})
		} else {
			keep(comment)
			keep(lines[i:end])
		}
		comment, i = nil, end
	}
	d.text = kept.String()
}

// function reports whether a member is a function with a body.
func function(text string) bool {
	head, _, found := strings.Cut(bare(untemplated(text)), "{")
	return found && strings.Contains(head, "(") && !strings.Contains(head, "=") &&
		!aggregate(text)
}

// with returns the text with the members that wanted names.
func (d *declaration) with(wanted map[string]bool) string {
	var b strings.Builder
	last := 0
	for _, m := range d.members {
		b.WriteString(d.text[last:m.at])
		last = m.at
		if wanted[m.name] {
			b.WriteString(m.text)
		}
	}
	b.WriteString(d.text[last:])
	return b.String()
}

// untemplated is the declaration without template parameters before it.
func untemplated(text string) string {
	rest := strings.TrimSpace(bare(text))
	for strings.HasPrefix(rest, "template") {
		angles, round := 0, 0
		at := strings.IndexFunc(rest, func(r rune) bool {
			switch {
			case r == '(':
				round++
			case r == ')':
				round--
			case r == '<' && round == 0:
				angles++
			case r == '>' && round == 0:
				angles--
				return angles == 0
			}
			return false
		})
		if at < 0 {
			return ""
		}
		rest = strings.TrimSpace(rest[at+1:])
	}
	return rest
}

var (
	attribute = regexp.MustCompile(`\b(__launch_bounds__|__align__)\(\w*\)|` +
		`\balignas\(([^()]|\([^()]*\))*\)`)
	base        = regexp.MustCompile(`\s:\s.*`)
	specialized = regexp.MustCompile(`<[^<>]*>`)
)

// nameOf is the name that a declaration gives: the identifier before its first bracket, value or
// end.
func nameOf(text string) string {
	head := attribute.ReplaceAllString(untemplated(text), "")
	if at := strings.IndexAny(head, "([={;"); at >= 0 {
		head = head[:at]
	}
	head = base.ReplaceAllString(head, "")
	for specialized.MatchString(head) {
		head = specialized.ReplaceAllString(head, "")
	}
	names := identifier.FindAllString(head, -1)
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}
