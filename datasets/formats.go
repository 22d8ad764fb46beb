package datasets

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/internal/visible"
)

type option uint8

const (
	takesColumn option = 1 << iota
	takesAxis
	takesOrder
	takesKeys // and Ignore
	takesRow
	takesName
	takesPixels                                                  // Quantize and Channel
	takesPart   = takesColumn | takesAxis | takesKeys | takesRow // of an array
)

// format is one row of the registry: all that the package knows of a format. To add
// one takes a file with its decoder and its row, and the row's name in formats.
type format struct {
	name       string
	extensions []string // of files that are surely of this format
	// begins recognizes the first bytes, line the first lines with data; nil: neither does.
	begins func(head []byte) bool
	line   func(line firstLines, opt Options) bool
	// unmarked says that a file may begin with any bytes, those of gzip too.
	unmarked bool
	takes    option
	// open reads the header and the number of targets that it declares, or 0; it panics as next does.
	open func(in *input, opt Options) (dec decoder, bins uint64)
}

// formats is the registry, in the order of help, with further formats behind it.
func (o Options) formats() []format {
	all := []format{
		npyFormat, npzFormat, torchFormat, safetensorsFormat, u32Format, u64Format, textFormat,
		csvFormat, mtxFormat, edgesFormat, imageFormat,
	}
	for _, f := range o.Further {
		all = append(all, f.format())
	}
	return all
}

// FormatAuto finds the format by the file's name and content.
const FormatAuto = "auto"

// Formats lists every format, the further ones too, "auto" first.
func (o Options) Formats() []string {
	return append([]string{FormatAuto}, o.names(func(format) bool { return true })...)
}

func (o Options) names(holds func(format) bool) []string {
	var list []string
	for _, f := range o.formats() {
		if holds(f) {
			list = append(list, f.name)
		}
	}
	return list
}

func (o Options) firstFormat(holds func(format) bool) *format {
	all := o.formats()
	if i := slices.IndexFunc(all, holds); i >= 0 {
		return &all[i]
	}
	return nil
}

func (f *format) accept(o Options) error {
	for _, one := range []struct {
		given bool
		text  string
		is    option
	}{
		{o.Column != "", fmt.Sprintf("column %q applies", o.Column), takesColumn},
		{o.Axis == AxisCol, "axis col applies", takesAxis},
		{o.Row != "", "row " + o.Row + " applies", takesRow},
		{o.Array != "", fmt.Sprintf("array %q applies", o.Array), takesName},
		{o.sorts(), fmt.Sprintf("order %s applies", o.Order), takesOrder},
		{o.Ignore != "", fmt.Sprintf("ignore %s applies", visible.Line(o.Ignore)), takesKeys},
		{o.Keys, "keys apply", takesKeys},
		{o.Quantize > 0, fmt.Sprintf("quantize %d applies", o.Quantize), takesPixels},
		{o.Channel != "", "channel " + o.Channel + " applies", takesPixels},
	} {
		if one.given && f.takes&one.is == 0 {
			return fmt.Errorf("%w: %s to %s, not to %s", ErrOptions, one.text,
				strings.Join(o.names(func(f format) bool { return f.takes&one.is != 0 }), ", "), f.name)
		}
	}
	return nil
}

const pointsFault = "contains points, not an index stream; number their cells first"

// formatByName returns the format that the options or the name say, or nil; points and source code are refused.
func formatByName(in *input, path string, opt Options) *format {
	if opt.Format != "" && opt.Format != FormatAuto {
		return opt.firstFormat(func(f format) bool { return f.name == opt.Format })
	}
	extension := filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
	if extension == ".xyz" || extension == ".ply" {
		panic(in.fail(ErrUnsupported, pointsFault))
	}
	if slices.Contains(sourceExtensions, extension) {
		panic(in.fail(ErrUnsupported, sourceFault))
	}
	return opt.firstFormat(func(f format) bool { return slices.Contains(f.extensions, extension) })
}

// sourceExtensions are those of programs in C, C++ and CUDA, whose lines with commas csv would take for rows.
var sourceExtensions = []string{".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp"}

const sourceFault = "contains C, C++ or CUDA source code, not an index stream; write the indices that its " +
	"kernel updates to a file"

// sourceCode says whether a line begins as one of C++ does.
func sourceCode(head []byte) bool {
	for line := range bytes.Lines(head) {
		for _, begin := range []string{"#include ", "#include<", "#pragma ", "#define ", "__global__ ", "template <", "template<"} {
			if bytes.HasPrefix(line, []byte(begin)) {
				return true
			}
		}
	}
	return false
}

// formatByContent recognizes the format of an unnamed input by its beginning.
func formatByContent(in *input, opt Options) *format {
	in.toUTF8()
	head := in.peek(peekBytes)
	begins := func(f format) bool { return f.begins != nil && f.begins(head) }
	if f := opt.firstFormat(begins); f != nil {
		return f
	}
	if bytes.HasPrefix(head, []byte("ply\n")) || bytes.HasPrefix(head, []byte("ply\r\n")) {
		panic(in.fail(ErrUnsupported, pointsFault))
	}
	in.refuseForeign()
	if !looksLikeText(head) {
		if name := foreignExtensions[filepath.Ext(in.name)]; name != "" {
			panic(in.fail(ErrUnsupported, "is %s", name))
		}
		raw := "u32 or u64, or save it as npy"
		if looksWide(head, 2) {
			raw = "u64, since every second 32-bit number is 0"
		}
		panic(in.fail(ErrUnsupported, "contains binary data of an unknown format; pass --format %s", raw))
	}
	line := firstData(head, opt.Keys)
	if !opt.Keys && opt.Column == "" && len(line.first) > 0 && (line.first[0] == '[' || line.first[0] == '{') {
		panic(in.fail(ErrUnsupported, "contains JSON or a printed array; save the array as npy, or write one "+
			"index per line"))
	}
	matches := func(f format) bool { return f.line != nil && f.line(line, opt) }
	f := opt.firstFormat(matches)
	if (f == nil || f.name == csvFormat.name) && sourceCode(head) {
		panic(in.fail(ErrUnsupported, sourceFault))
	}
	if f != nil {
		if f.name == edgesFormat.name && opt.Axis == "" && !opt.sorts() && !opt.Keys && countIntegers(line.first) > 2 {
			panic(in.fail(ErrOptions, "has %d whole numbers per line: --axis row takes the first as the target, "+
				"--axis col the second (for one stream of all numbers, write one per line)", countIntegers(line.first)))
		}
		return f
	}
	first, rest := word(line.first)
	second, _ := word(rest)
	switch {
	case isInteger(first) && isInteger(second):
		panic(in.fail(ErrFormat, "%s is not an edge (two nodes and at most two more numbers); put one index per "+
			"line, or pass --format edges to use the first two of each", quote(line.first)))
	case isDecimalFraction(first) && isDecimalFraction(second):
		if isInteger(first) {
			first = second
		}
		panic(in.fail(ErrUnsupported,
			"contains columns of fractions such as %s, not an index stream", quote(first)))
	}
	panic(in.fail(ErrFormat, "text of an unknown format, whose first line is %s; pass --format",
		quote(line.first)))
}

// looksLikeText says whether no byte is a control character that text lacks.
func looksLikeText(head []byte) bool {
	return !slices.ContainsFunc(head, func(c byte) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f'
	})
}

// firstLines are the first two lines that are neither blank nor a comment; nil: none.
type firstLines struct{ first, second []byte }

func firstData(head []byte, keys bool) (found firstLines) {
	for line := range bytes.Lines(head) {
		line = trim(bytes.TrimRight(line, "\r\n"))
		if isComment(line, keys) {
			continue
		}
		if found.first != nil {
			found.second = line
			break
		}
		found.first = line
	}
	return found
}

// isDecimalFraction says whether a word starts like a number.
func isDecimalFraction(word []byte) bool {
	word = bytes.TrimLeft(word, "+-")
	return len(word) > 0 && (word[0] >= '0' && word[0] <= '9' || word[0] == '.')
}
