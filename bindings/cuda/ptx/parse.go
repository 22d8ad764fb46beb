package ptx

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Module is what the text of a module says.
type Module struct {
	Version Version  // of the PTX language, from .version
	Target  int      // least compute capability times 10, from .target sm_NN
	Kernels []Kernel // in the order of the text
	// From what it was made: name and version of the compiler, the flags that it was given, and
	// SHA-256 in hex by path of the source below cuda.
	Compiler, Flags string
	Sources         map[string]string
}

type Version struct{ Major, Minor int }

// String returns the version as .version writes it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

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
func family(opcode string) string { return opcode[:strings.IndexByte(opcode+".", '.')] }

// Parse reads the text of a module. Errors give name, line and value and wrap ErrText.
func Parse(name string, text []byte) (*Module, error) {
	p := parser{module: &Module{Sources: map[string]string{}}}
	for i, line := range strings.Split(string(text), "\n") {
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	m := p.module
	switch {
	case m.Version == Version{}:
		return nil, fmt.Errorf("%s: %w: no .version", name, ErrText)
	case m.Target == 0:
		return nil, fmt.Errorf("%s: %w: no .target", name, ErrText)
	case p.kernel != nil:
		return nil, fmt.Errorf("%s: %w: kernel %s has no end", name, ErrText, p.kernel.Name)
	}
	return m, nil
}

// parser goes through the lines as nvcc writes them: one directive, parameter
// or instruction a line.
type parser struct {
	module *Module
	kernel *Kernel        // that has no end yet; nil outside of kernels
	counts map[string]int // of the opcodes of its body; nil before the body
	depth  int            // open braces of the body
}

func (p *parser) line(text string) (err error) {
	text, note, _ := strings.Cut(text, "//")
	text = strings.TrimSpace(text)
	word, rest, _ := strings.Cut(text, " ")
	switch m := p.module; {
	case text == "": // script/ptx puts notes on top
		key, value, _ := strings.Cut(strings.TrimSpace(note), ": ")
		switch key {
		case "compiler":
			m.Compiler = value
		case "flags":
			m.Flags = value
		case "source":
			path, hash, ok := strings.Cut(value, " sha256 ")
			if !ok {
				return fmt.Errorf("%w: source %q, want PATH sha256 HASH", ErrText, value)
			}
			m.Sources[path] = hash
		}
	case p.counts != nil:
		p.body(text)
	case p.kernel != nil && text == "{":
		p.depth, p.counts = 1, map[string]int{}
	case p.kernel != nil && strings.HasPrefix(text, ".param"):
		found := plainParameter.FindStringSubmatch(text)
		if found == nil {
			return fmt.Errorf("%w: kernel %s: parameter %q is not a plain value", ErrText, p.kernel.Name, text)
		}
		p.kernel.Parameters = append(p.kernel.Parameters, found[1])
	case p.kernel != nil:
	case word == ".version":
		_, err = fmt.Sscanf(rest, "%d.%d", &m.Version.Major, &m.Version.Minor)
	case word == ".target":
		_, err = fmt.Sscanf(rest, "sm_%d", &m.Target)
	case strings.HasPrefix(text, "."):
		if _, signature, ok := strings.Cut(text, ".entry "); ok {
			name, _, _ := strings.Cut(signature, "(")
			p.kernel = &Kernel{Name: strings.TrimSpace(name)}
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %s %q", ErrText, word, rest)
	}
	return nil
}

// plainParameter is a parameter that is a number or a pointer.
var plainParameter = regexp.MustCompile(`^\.param \.(\w+)( \.ptr( \.\w+)?( \.align \d+)?)? \w+,?$`)

// instruction is an opcode behind braces and a predicate. What does not match is a
// directive, a label or the rest of a list of registers.
var instruction = regexp.MustCompile(`^[{}\s]*(?:@\S* +)?\s*([a-z]\S*)`)

// body counts the instructions of a line, of which inline assembly may hold several.
func (p *parser) body(text string) {
	p.depth += strings.Count(text, "{") - strings.Count(text, "}")
	if p.depth == 0 {
		for _, opcode := range slices.Sorted(maps.Keys(p.counts)) {
			p.kernel.Instructions = append(p.kernel.Instructions, Instruction{opcode, p.counts[opcode]})
		}
		p.module.Kernels = append(p.module.Kernels, *p.kernel)
		p.kernel, p.counts = nil, nil
		return
	}
	for statement := range strings.SplitSeq(text, ";") {
		if found := instruction.FindStringSubmatch(statement); found != nil {
			p.counts[found[1]]++
		}
	}
}
