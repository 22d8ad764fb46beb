package datasets

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// format is one row of the registry: all that the package knows of a format. To add
// one takes a file with its decoder and its row, and the row's name in formats.
type format struct {
	name       string
	title      string   // in a list for users
	extensions []string // of files that are surely of this format
	// begins tells by the first bytes, and line by the first line that holds data of
	// a text; nil: they do not tell.
	begins func(head []byte) bool
	line   func(line []byte, opt Options) bool
	// unmarked says that a file may begin with any bytes, those of gzip too.
	unmarked bool
	// column, axis and keys say which options apply.
	column, axis, keys bool
	// open reads the header. bins is the number of targets that it declares, or 0.
	open func(in *input, opt Options) (dec decoder, bins uint64, err error)
}

// formats is the registry, in the order of help.
func formats() []format {
	return []format{
		npyFormat, u32Format, u64Format, textFormat, csvFormat, mtxFormat, edgesFormat, imageFormat,
	}
}

// FormatAuto finds the format by the file's name and content.
const FormatAuto = "auto"

// Formats lists every format, "auto" first.
func Formats() []string {
	return append([]string{FormatAuto}, names(func(format) bool { return true })...)
}

// FormatTitles lists what the formats are called in a text.
func FormatTitles() []string {
	var titles []string
	for _, f := range formats() {
		titles = append(titles, f.title)
	}
	return titles
}

// names lists the formats for which something holds.
func names(holds func(format) bool) []string {
	var list []string
	for _, f := range formats() {
		if holds(f) {
			list = append(list, f.name)
		}
	}
	return list
}

// formatNamed returns a format, or nil for an unknown name.
func formatNamed(name string) *format {
	all := formats()
	if i := slices.IndexFunc(all, func(f format) bool { return f.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// accept refuses options that the format would silently ignore.
func (f *format) accept(o Options) error {
	if o.Column != "" && !f.column {
		return fmt.Errorf("%w: column %q given, but only %s has columns to choose, not %s",
			ErrOptions,
			o.Column, enumerate(names(func(f format) bool { return f.column })), f.name)
	}
	if o.Axis == AxisCol && !f.axis {
		return fmt.Errorf("%w: axis col applies to %s, not to %s", ErrOptions,
			enumerate(names(func(f format) bool { return f.axis })), f.name)
	}
	if o.Keys && !f.keys {
		return fmt.Errorf("%w: keys apply to %s, not to %s", ErrOptions,
			enumerate(names(func(f format) bool { return f.keys })), f.name)
	}
	return nil
}

// enumerate joins names by commas, and the last by "and".
func enumerate(names []string) string {
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

const pointsFault = "holds points, which are no index stream; number their cells first"

// formatByName returns the format that the options or the file's name say, or nil.
// Names of point clouds are refused.
func formatByName(in *input, path string, opt Options) (*format, error) {
	if opt.Format != "" && opt.Format != FormatAuto {
		return formatNamed(opt.Format), nil
	}
	extension := filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
	if extension == ".xyz" || extension == ".ply" {
		return nil, in.fail(ErrUnsupported, pointsFault)
	}
	for _, f := range formats() {
		if slices.Contains(f.extensions, extension) {
			return &f, nil
		}
	}
	return nil, nil
}

// formatByContent tells the format of an unnamed input by its beginning.
func formatByContent(in *input, opt Options) (*format, error) {
	head, err := in.peek(peekBytes)
	if err != nil {
		return nil, err
	}
	for _, f := range formats() {
		if f.begins != nil && f.begins(head) {
			return &f, nil
		}
	}
	if bytes.HasPrefix(head, []byte("ply\n")) || bytes.HasPrefix(head, []byte("ply\r\n")) {
		return nil, in.fail(ErrUnsupported, pointsFault)
	}
	if !looksLikeText(head) {
		return nil, in.fail(ErrUnsupported, "holds binary data of no known format; pass --format")
	}
	line := firstData(head)
	for _, f := range formats() {
		if f.line != nil && f.line(line, opt) {
			return &f, nil
		}
	}
	first, rest := word(line)
	if second, _ := word(rest); isDecimalFraction(first) && isDecimalFraction(second) {
		return nil, in.fail(ErrUnsupported,
			"holds columns of fractions such as %s, which are no index stream", quote(first))
	}
	return nil, in.fail(ErrFormat,
		"text of no known format, its first line is %s; pass --format", quote(line))
}

// hasPrefix tells whether the head begins with one of some magic bytes.
func hasPrefix(head []byte, magics ...string) bool {
	return slices.ContainsFunc(magics, func(m string) bool {
		return bytes.HasPrefix(head,
			[]byte(m))
	})
}

// looksLikeText says whether no byte is a control character that text lacks.
func looksLikeText(head []byte) bool {
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			return false
		}
	}
	return true
}

// firstData returns the first line that is neither blank nor a comment, nil
// if there is none.
func firstData(head []byte) []byte {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	for line := range bytes.Lines(head) {
		line = trim(bytes.TrimRight(line, "\r\n"))
		if !isComment(line) {
			return line
		}
	}
	return nil
}

// isDecimalFraction says whether a word starts like a number.
func isDecimalFraction(word []byte) bool {
	word = bytes.TrimPrefix(word, []byte{'-'})
	return len(word) > 0 && (word[0] >= '0' && word[0] <= '9' || word[0] == '.')
}
