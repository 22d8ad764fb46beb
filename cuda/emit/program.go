package emit

import (
	"embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/atomtune/atomtune/cuda"
	"github.com/atomtune/atomtune/internal/visible"
)

// parts holds what programs are made of beside the headers.
//
//go:embed parts/*.h
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
	main, err := p.main(c)
	if err != nil {
		return "", err
	}
	host, err := open(parts, "parts", []string{"host.h", "streams.h"}, nil)
	if err != nil {
		return "", err
	}
	device, err := c.library()
	if err != nil {
		return "", err
	}
	hostText := host.take(main)
	text := "namespace atomtune {\n\n" + device.take(main+hostText) + "}  // namespace atomtune\n\n" +
		"namespace {\n\nusing namespace atomtune;\n\n" + hostText + "}  // namespace\n\n" + main
	included, err := includes(text, device.toolkit())
	if err != nil {
		return "", err
	}
	return p.head() + included + text, nil
}

// scatterHeader declares what lays updates anew, and what counts those of each target.
const scatterHeader = "atomtune_scatter.cuh"

// library opens the headers of the call.
func (c *code) library() (library, error) {
	without := []string{"atomtune_float_match.cuh"}
	if !c.ranged { // or its overload of private_update would be taken too
		without = append(without, "atomtune_ranges.cuh")
	}
	headers := []string{c.header}
	if c.order != "" || c.memory.filled != "" {
		headers = append(headers, scatterHeader)
	}
	return open(cuda.Headers, ".", headers, without)
}

// head says what the program is.
func (p *Program) head() string {
	name := visible.Line(p.Stream.Name) // or it would end the comment
	stream := "of " + name
	if !p.Stream.Exact() {
		stream = "like those of " + name +
			" in their runs\n// and frequent targets; for these themselves name a file"
	}
	return fmt.Sprintf(`// %s on %s: updates of %d targets of type %s.
// What is in namespace atomtune is taken from the headers of that name.
//
//   nvcc -O3 -std=c++17 -arch=native FILE.cu -o call && ./call [INDICES]
//
// INDICES is a file of little-endian 32-bit indices. Without it the updates are
// %s.
%s`, p.Variant, visible.Line(p.Device), p.Bins, p.Call.Call.Type, stream, p.notes())
}

// notes are comments of 80 characters at most.
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

// writer writes the lines of a function.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, "  "+format+"\n", args...) }

// main is the function of that name.
func (p *Program) main(c code) (string, error) {
	generator, err := p.Stream.generator(p.Bins)
	if err != nil {
		return "", err
	}
	var w writer
	w.WriteString("int main(int argc, char** argv) {\n")
	w.line("const std::vector<uint32_t> host_index =\n"+
		"      argc > 1 ? read_indices(argv[1], %d)\n               : %s;", p.Bins, generator)
	w.line("const size_t n = host_index.size();")
	p.arrays(&w, c)
	p.timed(&w, c)
	w.line("return verdict(%q, %.6g, us, right);\n}", p.Variant, p.PredictedUS)
	return w.String(), nil
}

// arrays writes what the call needs on the device.
func (p *Program) arrays(w *writer, c code) {
	element := p.element()
	index, values := "host_index", fmt.Sprintf("make_values<%s>(n)", element)
	if c.order != "" {
		w.line("const std::vector<uint32_t> order = %s(host_index.data(), n, %d);", c.order, p.Bins)
		index, values = "reordered(host_index, order)", "reordered("+values+", order)"
	}
	w.line("const uint32_t* const index = to_device(%s);", index)
	if !p.ones() {
		w.line("const %s* const values = to_device(%s);", element, values)
	}
	w.line("%s* const A = device_array<%s>(%d);", element, element, p.Bins)
	if p.Call.Call.Returns {
		w.line("%s* const old = device_array<%s>(n);", element, element)
	}
	for _, l := range c.before {
		w.line("%s", checked(l))
	}
	switch m := c.memory; {
	case m.filled != "":
		w.line("const %s* const %s = to_device(\n      %s);", m.element, m.name, m.filled)
	case m.name != "":
		w.line("%s* const %s = device_array<%s>(%s);", m.element, m.name, m.element, m.count)
	}
	if c.allow != "" {
		w.line("check(cudaFuncSetAttribute(%s,\n                             "+
			"cudaFuncAttributeMaxDynamicSharedMemorySize, %d), \"shared memory\");",
			c.allow, p.Shape.SharedBytes)
	}
}

// timed writes the call, its time and its check.
func (p *Program) timed(w *writer, c code) {
	clear := fmt.Sprintf("check(%s, \"clear\");", p.clearing())
	value := "value_of"
	if p.ones() {
		value = "one_of"
	}
	w.line("const auto call = [&] {")
	if !p.Call.Call.Keeps {
		w.line("  %s", clear)
	}
	for _, l := range c.lines {
		w.line("  %s", checked(l))
	}
	w.line("};")
	w.line("const double us = median_us(call);")
	if p.Call.Call.Keeps {
		w.line("%s\n  call();", clear)
	}
	right := fmt.Sprintf("right_sums(to_host(A, %d), host_index, %s)", p.Bins, value)
	if p.Call.Call.Returns {
		right += fmt.Sprintf(" &&\n                     right_old(to_host(old, n), host_index, %s)",
			value)
	}
	w.line("const bool right = %s;", right)
}

// checked is a line of code whose status, if it has one, is looked at.
func checked(line string) string {
	if name, rest, found := strings.Cut(line, "("); found && twoPhases.MatchString(name) {
		return fmt.Sprintf("check(%s(%s, %q);", name, strings.TrimSuffix(rest, ";"), name)
	}
	return line
}

var twoPhases = regexp.MustCompile(`^update_\w+$`)
