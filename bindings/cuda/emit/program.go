// Package emit writes a call of an implementation as CUDA code: as the lines that a program with
// the headers needs, and as a program of its own. The code of a program is that of the headers: the
// declarations that the call uses, and those that they use in turn, are copied from them.
package emit

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
	text "text/template"

	"github.com/atomtune/atomtune/bindings/cuda"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/visible"
)

// parts holds what programs are made of beside the headers.
//
//go:embed parts
var parts embed.FS

// A Program is one call with a main that runs and checks it.
type Program struct {
	Call
	Device      string  // the title of the device for which it was chosen
	PredictedUS float64 // of the call, with clearing
	Stream      Stream
	Notes       []string // on what the choice rests
}

// Source returns the program's text. Errors wrap ErrNone where there is no code for the call.
func (p *Program) Source() (string, error) {
	c, err := p.code()
	if err != nil {
		return "", err
	}
	if of := p.Call.Call; of.Op != device.Add || of.Type == device.BF16 {
		return "", fmt.Errorf("%w for a program of %s: it checks sums of at least 32 bits", ErrNone, of.Words())
	}
	main, err := p.main(c)
	if err != nil {
		return "", err
	}
	host, err := open(parts, "parts", []string{"host.h", "streams.h"}, nil)
	if err != nil {
		return "", err
	}
	hostText := host.take(main)
	text, toolkit, own := "namespace {\n\nusing namespace atomtune;\n\n"+hostText+"}  // namespace\n\n"+main,
		host.toolkit, ""
	if p.Call.Call.Wide() { // whose header is too much of them all
		own = fmt.Sprintf("#include %q\n\n", c.header)
	} else {
		library, err := c.library()
		if err != nil {
			return "", err
		}
		text = "namespace atomtune {\n\n" + library.take(main+hostText) + "}  // namespace atomtune\n\n" + text
		toolkit = library.toolkit
	}
	included, err := includes(text, toolkit)
	if err != nil {
		return "", err
	}
	return p.head() + included + own + text, nil
}

// scatterHeader declares what lays updates anew.
const scatterHeader = "atomtune_scatter.cuh"

// library opens the headers of the call.
func (c *code) library() (library, error) {
	without := []string{"atomtune_float_match.cuh"}
	if !c.ranged { // or its overload of private_update would be taken too
		without = append(without, "atomtune_ranges.cuh")
	}
	headers := []string{c.header}
	if c.order != "" {
		headers = append(headers, scatterHeader)
	}
	return open(cuda.Headers, ".", headers, without)
}

func (p *Program) head() string {
	of := fmt.Sprintf("%d targets of type %s.\n// Namespace atomtune is an excerpt of the headers of that name",
		p.Bins, p.Call.Call.Type)
	build := ""
	if c := p.Call.Call; c.Wide() {
		of, build = fmt.Sprintf("%d %s", p.Bins, c.Words()), " -I HEADERS"
	}
	name := visible.Line(p.Stream.Name) // or it would end the comment
	stream := "of " + name
	if !p.Stream.Exact() {
		stream = "like those of " + name +
			" in runs\n// and frequent targets; to use the file itself, convert it and pass it"
	}
	return fmt.Sprintf(`// %s on %s: updates of %s.
//
//   nvcc -O3 -std=c++17 -arch=native%s FILE.cu -o call && ./call [INDICES]
//
// INDICES is a file of little-endian %d-bit indices. Without it the updates are
// %s.
%s`, p.Implementation, visible.Line(p.Device), of, build, 8*p.Call.Call.Index(), stream, p.notes())
}

func (p *Program) notes() string {
	var w strings.Builder
	for _, note := range p.Notes {
		w.WriteString("//\n")
		line := "//"
		for _, word := range strings.Fields(visible.Line(note + ".")) {
			if len(line)+len(word) >= 80 {
				w.WriteString(line + "\n")
				line = "//"
			}
			line += " " + word
		}
		w.WriteString(line + "\n")
	}
	return w.String()
}

func (p *Program) main(c code) (string, error) {
	generator, err := p.Stream.generator(p.Bins)
	if err != nil {
		return "", err
	}
	value := "value_of"
	if p.ones() {
		value = "one_of"
	}
	count := "n"
	if wide := p.Call.Call; wide.Wide() {
		value, count = fmt.Sprintf("%s, %d", value, wide.Width), fmt.Sprintf("n * %d", wide.Width)
	}
	var w strings.Builder
	err = mainText().Execute(&w, map[string]any{
		"name": p.Implementation.String(), "T": p.element(), "I": IndexType(p.Call.Call), "V": p.valueType(), "bins": p.Bins,
		"targets": p.targets(), "values": count, "shared": p.Shape.SharedBytes,
		"predicted": p.PredictedUS, "generator": generator, "clearing": p.clearing(),
		"ones": p.ones(), "value": value, "returns": p.Call.Call.Returns, "keeps": p.Call.Call.Keeps,
		"clears": p.Call.Call.Wide(),
		"order":  c.order, "allow": c.allow, "before": c.before, "lines": c.lines,
		"memory": c.memory, "once": c.once,
	})
	return w.String(), err
}

var mainText = sync.OnceValue(func() *text.Template {
	return text.Must(text.New("main.tmpl").Funcs(text.FuncMap{"checked": checked}).
		ParseFS(parts, "parts/main.tmpl"))
})

// checked is a line of code whose status, if it has one, is looked at.
func checked(line string) string {
	if name, rest, found := strings.Cut(line, "("); found && twoPhases.MatchString(name) {
		return fmt.Sprintf("check(%s(%s, %q);", name, strings.TrimSuffix(rest, ";"), name)
	}
	return line
}

var twoPhases = regexp.MustCompile(`^(update_\w+|scatter_\w+_rows|find_hot_tags|cudaMemsetAsync)$`)
