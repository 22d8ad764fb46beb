package datasets

import (
	"bytes"
	"path/filepath"
	"strings"
)

// extensions are the names that say a format; others are told by content.
var extensions = map[string]string{
	".npy":      FormatNPY,
	".u32":      FormatU32,
	".u64":      FormatU64,
	".csv":      FormatCSV,
	".mtx":      FormatMTX,
	".edges":    FormatEdges,
	".edgelist": FormatEdges,
	".el":       FormatEdges,
	".png":      FormatImage,
	".jpg":      FormatImage,
	".jpeg":     FormatImage,
	".pgm":      FormatImage,
	".tif":      FormatImage,
	".tiff":     FormatImage,
}

// formatByName returns the format that the options or the file's name say,
// or FormatAuto. Names of point clouds are refused.
func formatByName(in *input, path string, opt Options) (string, error) {
	if opt.Format != "" && opt.Format != FormatAuto {
		return opt.Format, nil
	}
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	extension := filepath.Ext(name)
	if extension == ".xyz" || extension == ".ply" {
		return "", in.fail(ErrUnsupported, "holds points, which are no index stream; number their cells first")
	}
	if format, ok := extensions[extension]; ok {
		return format, nil
	}
	return FormatAuto, nil
}

// magics are the first bytes of the formats that have some.
var magics = []struct{ magic, format string }{
	{npyMagic, FormatNPY},
	{"\x89PNG\r\n\x1a\n", FormatImage},
	{"\xff\xd8\xff", FormatImage},
	{"II*\x00", FormatImage},
	{"MM\x00*", FormatImage},
}

// formatByContent tells the format of an unnamed input by its first bytes.
func formatByContent(in *input, opt Options) (string, error) {
	head, err := in.peek(peekBytes)
	if err != nil {
		return "", err
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.format, nil
		}
	}
	if hasBanner(head) {
		return FormatMTX, nil
	}
	if isPGM(head) {
		return FormatImage, nil
	}
	if bytes.HasPrefix(head, []byte("ply\n")) || bytes.HasPrefix(head, []byte("ply\r\n")) {
		return "", in.fail(ErrUnsupported, "holds points, which are no index stream; number their cells first")
	}
	if !looksLikeText(head) {
		return "", in.fail(ErrUnsupported, "holds binary data of no known format; pass --format")
	}
	return textFormat(in, firstData(head), opt)
}

// hasBanner looks for the Matrix Market banner, which is the first thing in its
// file but for blank lines, in any case.
func hasBanner(head []byte) bool {
	const banner = "%%MatrixMarket"
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
	return len(head) >= len(banner) && bytes.EqualFold(head[:len(banner)], []byte(banner))
}

// isPGM looks for P2 or P5 and a blank.
func isPGM(head []byte) bool {
	return len(head) > 2 && head[0] == 'P' && (head[1] == '2' || head[1] == '5') &&
		(isBlank(head[2]) || head[2] == '\n' || head[2] == '\r')
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

// textFormat tells edges, csv and single-column text apart by one line.
func textFormat(in *input, line []byte, opt Options) (string, error) {
	if opt.Column != "" {
		return FormatCSV, nil
	}
	first, rest := word(line)
	second, rest := word(rest)
	switch {
	case isInteger(first) && isInteger(second):
		return FormatEdges, nil
	case bytes.IndexByte(line, ',') >= 0:
		return FormatCSV, nil
	case len(second) == 0:
		return FormatText, nil
	case opt.Keys:
		return FormatEdges, nil
	case isDecimalFraction(first) && isDecimalFraction(second):
		return "", in.fail(ErrUnsupported, "holds columns of fractions such as %s, which are no index stream", quote(first))
	case len(rest) > 0 || !isInteger(first):
		return "", in.fail(ErrFormat, "text of no known format, its first line is %s; pass --format", quote(line))
	}
	return FormatEdges, nil
}

// isDecimalFraction says whether a word starts like a number.
func isDecimalFraction(word []byte) bool {
	word = bytes.TrimPrefix(word, []byte{'-'})
	return len(word) > 0 && (word[0] >= '0' && word[0] <= '9' || word[0] == '.')
}
