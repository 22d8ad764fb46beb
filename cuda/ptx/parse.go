package ptx

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Module is what the text of a module says.
type Module struct {
	Version Version // of the PTX language, from .version
	Target  int     // least compute capability times 10, from .target sm_NN
	Source  Source
	Kernels []Kernel // in the order of the text
}

// Version is a version of the PTX language.
type Version struct{ Major, Minor int }

// String returns the version as .version writes it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Less reports whether v is older than w.
func (v Version) Less(w Version) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// Source says from what a module was made.
type Source struct {
	Compiler string            // name and version
	Flags    string            // given to the compiler
	Hashes   map[string]string // SHA-256 in hex, by path of the source below cuda
}

// Kernel is one entry function.
type Kernel struct {
	Name         string
	Parameters   []string
	Instructions []Instruction // every opcode of the body, sorted
}

// Instruction is an opcode with all its modifiers, such as
// atom.shared.add.u32, and the number of places where it stands.
type Instruction struct {
	Opcode string `json:"opcode"`
	Count  int    `json:"count"`
}

// Matters reports whether the opcode tells implementations apart: atomics,
// exchanges between lanes, barriers, and accesses to shared memory.
func Matters(opcode string) bool {
	switch family(opcode) {
	case "atom", "red", "match", "redux", "shfl", "vote", "activemask", "bar", "barrier":
		return true
	case "ld", "st":
		return strings.Contains(opcode+".", ".shared.") || strings.Contains(opcode+".", ".volatile.")
	}
	return false
}

// family is the opcode before its first modifier.
func family(opcode string) string {
	name, _, _ := strings.Cut(opcode, ".")
	return name
}

// Parse reads the text of a module. Errors give name, line and value and wrap
// ErrText.
func Parse(name string, text []byte) (*Module, error) {
	p := parser{module: &Module{Source: Source{Hashes: map[string]string{}}}}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	m := p.module
	switch {
	case m.Version == Version{}:
		return nil, fmt.Errorf("%s: %w: no .version", name, ErrText)
	case m.Target == 0:
		return nil, fmt.Errorf("%s: %w: no .target", name, ErrText)
	case p.state != outside:
		return nil, fmt.Errorf("%s: %w: kernel %s has no end", name, ErrText, p.kernel.Name)
	}
	return m, nil
}

type state int

const (
	outside state = iota
	inParameters
	inHead // between the parameters and the body
	inBody
)

// parser goes through the lines as nvcc writes them: one directive, parameter
// or instruction a line.
type parser struct {
	module *Module
	state  state
	kernel Kernel
	counts map[string]int
	depth  int // open braces of the body
}

func (p *parser) line(text string) error {
	if note, ok := strings.CutPrefix(text, "//"); ok {
		return p.note(strings.TrimSpace(note))
	}
	text, _, _ = strings.Cut(text, "//")
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	switch p.state {
	case inParameters:
		return p.parameter(text)
	case inHead:
		if text == "{" {
			p.state, p.depth, p.counts = inBody, 1, map[string]int{}
		}
		return nil
	case inBody:
		return p.body(text)
	}
	return p.directive(text)
}

// note reads the lines that script/ptx puts on top.
func (p *parser) note(text string) error {
	key, value, ok := strings.Cut(text, ": ")
	if !ok {
		return nil
	}
	switch key {
	case "compiler":
		p.module.Source.Compiler = value
	case "flags":
		p.module.Source.Flags = value
	case "source":
		path, hash, ok := strings.Cut(value, " sha256 ")
		if !ok {
			return fmt.Errorf("%w: source %q, want PATH sha256 HASH", ErrText, value)
		}
		p.module.Source.Hashes[path] = hash
	}
	return nil
}

func (p *parser) directive(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case ".version":
		major, minor, _ := strings.Cut(rest, ".")
		var err error
		if p.module.Version.Major, err = strconv.Atoi(major); err == nil {
			p.module.Version.Minor, err = strconv.Atoi(minor)
		}
		if err != nil {
			return fmt.Errorf("%w: .version %q", ErrText, rest)
		}
	case ".target":
		first, _, _ := strings.Cut(rest, ",")
		digits, _ := strings.CutPrefix(strings.TrimRight(first, "af"), "sm_")
		target, err := strconv.Atoi(digits)
		if err != nil {
			return fmt.Errorf("%w: .target %q", ErrText, rest)
		}
		p.module.Target = target
	case ".entry", ".visible", ".weak":
		_, name, ok := strings.Cut(text, ".entry ")
		if !ok {
			return nil
		}
		name, rest, ok = strings.Cut(name, "(")
		if !ok {
			return fmt.Errorf("%w: kernel %q without parameters", ErrText, name)
		}
		p.kernel = Kernel{Name: strings.TrimSpace(name)}
		p.state = inParameters
		if rest = strings.TrimSpace(rest); rest != "" {
			return p.parameter(rest)
		}
	}
	return nil
}

func (p *parser) parameter(text string) error {
	text, last := strings.CutSuffix(text, ")")
	if last {
		p.state = inHead
	}
	words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), ","))
	if len(words) == 0 {
		return nil
	}
	kind := ""
	for _, w := range words[1:] {
		if w == ".ptr" || w == ".align" {
			break
		}
		if kind, _ = strings.CutPrefix(w, "."); kind != w {
			break
		}
	}
	if words[0] != ".param" || strings.Contains(text, "[") || kind == "" {
		return fmt.Errorf("%w: kernel %s: parameter %q is no plain value", ErrText, p.kernel.Name, text)
	}
	p.kernel.Parameters = append(p.kernel.Parameters, kind)
	return nil
}

// body counts the instructions of a line, of which inline assembly may hold
// several.
func (p *parser) body(text string) error {
	p.depth += strings.Count(text, "{") - strings.Count(text, "}")
	if p.depth == 0 {
		p.end()
		return nil
	}
	for statement := range strings.SplitSeq(text, ";") {
		statement = strings.TrimSpace(strings.TrimLeft(statement, "{} \t"))
		if strings.HasPrefix(statement, "@") { // a predicate
			_, statement, _ = strings.Cut(statement, " ")
			statement = strings.TrimSpace(statement)
		}
		if statement == "" || statement[0] < 'a' || statement[0] > 'z' {
			continue // a directive, a label, the rest of a list of registers
		}
		p.counts[strings.Fields(statement)[0]]++
	}
	return nil
}

func (p *parser) end() {
	for opcode, count := range p.counts {
		p.kernel.Instructions = append(p.kernel.Instructions, Instruction{opcode, count})
	}
	slices.SortFunc(p.kernel.Instructions, func(a, b Instruction) int { return cmp.Compare(a.Opcode, b.Opcode) })
	p.module.Kernels = append(p.module.Kernels, p.kernel)
	p.state = outside
}
