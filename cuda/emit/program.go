package emit

import (
	"embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/cuda"
	"github.com/atomtune/atomtune/datasets/synth"
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
}

// Stream is what a program makes where it is given no file.
type Stream struct {
	Name    string      // of the file or the synthetic stream
	Updates uint64      //
	Synth   *synth.Spec // nil for a file, which the program resembles
	Run     float64     // mean number of neighbouring updates of one target
	// Frequent are the targets that stand out, at most mostFrequent.
	Frequent []Frequent
}

// Frequent is a target and its share of the updates.
type Frequent struct {
	Target uint32
	Share  float64
}

const mostFrequent = 32

// Describe finds what stands out in the indices, which are below bins: runs, and targets with a
// thousandth of the updates and four times what each target has on average.
func (s *Stream) Describe(indices []uint32, bins uint64) {
	count, heads := make([]uint32, bins), 0
	for u, i := range indices {
		count[i]++
		if u == 0 || indices[u-1] != i {
			heads++
		}
	}
	n := float64(len(indices))
	s.Updates, s.Run = uint64(len(indices)), n/math.Max(1, float64(heads))
	for target, c := range count {
		if share := float64(c) / n; share >= 1e-3 && share >= 4/float64(bins) {
			s.Frequent = append(s.Frequent, Frequent{uint32(target), share})
		}
	}
	slices.SortStableFunc(s.Frequent, func(a, b Frequent) int {
		return int(math.Copysign(1, b.Share-a.Share))
	})
	s.Frequent = s.Frequent[:min(mostFrequent, len(s.Frequent))]
}

// Exact tells whether the program makes the very stream, and not one that resembles it.
func (s *Stream) Exact() bool { return s.Synth != nil && s.Synth.Parts == nil }

// drawn is the mean length of the runs to draw of which Run comes: neighbours that happen to be of
// one target make one run.
func (s *Stream) drawn(bins uint64) float64 {
	rest, same := 1.0, 0.0
	for _, f := range s.Frequent {
		rest, same = rest-f.Share, same+f.Share*f.Share
	}
	return math.Max(1, s.Run*(1-same-rest*rest/float64(bins)))
}

// generator is the call of streams.h that makes the stream.
func (s *Stream) generator(bins uint64) (string, error) {
	if !s.Exact() {
		var list []string
		for _, f := range s.Frequent {
			list = append(list, fmt.Sprintf("{%d, %.4g}", f.Target, f.Share))
		}
		return fmt.Sprintf("resembling(%d, %d, %.4g, {%s})", s.Updates, bins, s.drawn(bins),
			strings.Join(list, ", ")), nil
	}
	text := fmt.Sprintf("%s(%d, %d, %d", s.Synth.Family, s.Synth.N, s.Synth.K, s.Synth.Seed)
	for _, f := range synth.Families() {
		if f.Name != s.Synth.Family {
			continue
		}
		for _, p := range f.Params {
			text += fmt.Sprintf(", %v", s.Synth.Params[p.Name])
		}
		return text + ")", nil
	}
	return "", fmt.Errorf("family %q: %w", s.Synth.Family, synth.ErrFamily)
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
	wanted := identifiers(main)
	host.reach(wanted)
	hostText := host.text(wanted)

	without := []string{"atomtune_float_match.cuh"}
	if !c.ranged { // or its overload of private_update would be taken too
		without = append(without, "atomtune_ranges.cuh")
	}
	headers := []string{c.header}
	if c.order != "" || c.memory.filled != "" {
		headers = append(headers, "atomtune_scatter.cuh")
	}
	device, err := open(cuda.Headers, ".", headers, without)
	if err != nil {
		return "", err
	}
	wanted = identifiers(main + hostText)
	device.reach(wanted)
	text := "namespace atomtune {\n\n" + device.text(wanted) + "}  // namespace atomtune\n\n" +
		"namespace {\n\nusing namespace atomtune;\n\n" + hostText + "}  // namespace\n\n" + main
	included, err := includes(text, device.toolkit())
	if err != nil {
		return "", err
	}
	return p.head() + included + text, nil
}

// head says what the program is.
func (p *Program) head() string {
	stream := "of " + p.Stream.Name
	if !p.Stream.Exact() {
		stream = "like those of " + p.Stream.Name +
			" in their runs\n// and frequent targets; for these themselves name a file"
	}
	return fmt.Sprintf(`// %s on %s: updates of %d targets of type %s.
// What is in namespace atomtune is taken from the headers of that name.
//
//   nvcc -O3 -std=c++17 -arch=native FILE.cu -o call && ./call [INDICES]
//
// INDICES is a file of little-endian 32-bit indices. Without it the updates are
// %s.
`, p.Variant, p.Device, p.Bins, p.Call.Call.Type, stream)
}

// main is the function of that name.
func (p *Program) main(c code) (string, error) {
	generator, err := p.Stream.generator(p.Bins)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	element, value := p.element(), "value_of"
	if p.ones() {
		value = "one_of"
	}
	b.WriteString("int main(int argc, char** argv) {\n")
	line("const std::vector<uint32_t> host_index =\n"+
		"      argc > 1 ? read_indices(argv[1], %d)\n               : %s;", p.Bins, generator)
	line("const size_t n = host_index.size();")
	index, values := "host_index", fmt.Sprintf("make_values<%s>(n)", element)
	if c.order != "" {
		line("const std::vector<uint32_t> order = %s(host_index.data(), n, %d);", c.order, p.Bins)
		index, values = "reordered(host_index, order)", "reordered("+values+", order)"
	}
	line("const uint32_t* const index = to_device(%s);", index)
	if !p.ones() {
		line("const %s* const values = to_device(%s);", element, values)
	}
	line("%s* const A = device_array<%s>(%d);", element, element, p.Bins)
	if p.Call.Call.Returns {
		line("%s* const old = device_array<%s>(n);", element, element)
	}
	for _, l := range c.before {
		line("%s", checked(l))
	}
	switch m := c.memory; {
	case m.filled != "":
		line("const %s* const %s = to_device(\n      %s);", m.element, m.name, m.filled)
	case m.name != "":
		line("%s* const %s = device_array<%s>(%s);", m.element, m.name, m.element, m.count)
	}
	if c.allow != "" {
		line("check(cudaFuncSetAttribute(%s,\n                             "+
			"cudaFuncAttributeMaxDynamicSharedMemorySize, %d), \"shared memory\");",
			c.allow, p.Shape.SharedBytes)
	}
	clear := fmt.Sprintf("check(cudaMemsetAsync(A, 0, %d * sizeof(%s)), \"clear\");", p.Bins, element)
	line("const auto call = [&] {")
	if !p.Call.Call.Keeps {
		line("  %s", clear)
	}
	for _, l := range c.lines {
		line("  %s", checked(l))
	}
	line("};")
	line("const double us = median_us(call);")
	if p.Call.Call.Keeps {
		line("%s\n  call();", clear)
	}
	right := fmt.Sprintf("right_sums(to_host(A, %d), host_index, %s)", p.Bins, value)
	if p.Call.Call.Returns {
		right += fmt.Sprintf(" &&\n                     right_old(to_host(old, n), host_index, %s)", value)
	}
	line("const bool right = %s;", right)
	line("return verdict(%q, %.6g, us, right);\n}", p.Variant, p.PredictedUS)
	return b.String(), nil
}

// checked is a line of code whose status, if it has one, is looked at.
func checked(line string) string {
	if name, rest, found := strings.Cut(line, "("); found && twoPhases.MatchString(name) {
		return fmt.Sprintf("check(%s(%s, %q);", name, strings.TrimSuffix(rest, ";"), name)
	}
	return line
}

var twoPhases = regexp.MustCompile(`^update_\w+$`)

// Lines returns the code of the call to paste into a program, in which A, index, values, old and n
// are in place; host_index stands for the host's copy of the indices where it is needed.
func (c *Call) Lines() ([]string, error) {
	r, err := c.code()
	if err != nil {
		return nil, err
	}
	list := []string{fmt.Sprintf("#include %q", r.header)}
	if r.order != "" || r.memory.filled != "" {
		list = append(list, `#include "atomtune_scatter.cuh"`)
	}
	list = append(list, "using namespace atomtune;")
	list = append(list, r.before...)
	if m := r.memory; m.name != "" {
		list = append(list, fmt.Sprintf("%s* %s = nullptr;", m.element, m.name),
			fmt.Sprintf("cudaMalloc(&%s, %s);", m.name, m.bytes()))
		if m.filled != "" {
			list = append(list, fmt.Sprintf("const auto filled = %s;", m.filled),
				fmt.Sprintf("cudaMemcpy(%s, filled.data(), %s, cudaMemcpyHostToDevice);", m.name, m.bytes()))
		}
	}
	if r.order != "" {
		list = append(list, fmt.Sprintf("// index and values stand in the order of %s(host_index.data(), "+
			"n, %d)", r.order, c.Bins))
	}
	if r.allow != "" {
		list = append(list, fmt.Sprintf("cudaFuncSetAttribute(%s, "+
			"cudaFuncAttributeMaxDynamicSharedMemorySize, %d);", r.allow, c.Shape.SharedBytes))
	}
	return append(list, r.lines...), nil
}
