package datasets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/atomtune/atomtune/internal/gzipped"
)

// peekBytes is how much of an input is looked at to find its format.
const peekBytes = 64 << 10

// input is an open file or standard input, decompressed.
type input struct {
	name    string
	file    io.Closer     // nil for standard input
	r       *bufio.Reader // the content, decompressed
	taken   atomic.Int64  // bytes read from the file
	size    int64         // bytes of the file, -1 if unknown
	content int64         // bytes of the content, -1 if unknown
}

// openInput opens the path, or opt.Stdin for "-", and refuses directories and empty files.
func openInput(path string, opt Options) (in *input, err error) {
	in = &input{name: path, size: -1, content: -1}
	raw, err := in.openRaw(path, opt)
	if err != nil {
		return nil, joinClose(err, in.close())
	}
	in.r = bufio.NewReaderSize(&countingReader{r: raw, in: in}, peekBytes)
	return in, nil
}

// openRaw returns the bytes of the path as they are and notes their number.
func (in *input) openRaw(path string, opt Options) (io.Reader, error) {
	if path == "-" {
		in.name = "stdin"
		if opt.Stdin == nil {
			return os.Stdin, nil
		}
		return opt.Stdin, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in.file = f
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, in.fail(ErrUnsupported, "is a directory")
	case info.Mode().IsRegular():
		in.size, in.content = info.Size(), info.Size()
	}
	return f, nil
}

func (in *input) close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}

// peek returns up to n bytes of the content without consuming them; none at all is ErrEmpty.
func (in *input) peek(n int) []byte {
	head, err := in.r.Peek(n)
	if err != nil && err != io.EOF {
		panic(in.broken(err))
	}
	if len(head) == 0 {
		panic(in.fail(ErrEmpty, "is empty"))
	}
	return head
}

// atEnd refuses what follows the last update that the header promises.
func (in *input) atEnd(promise string, count uint64) {
	switch _, err := in.r.Peek(1); err {
	case io.EOF:
	case nil:
		panic(in.fail(ErrTruncated, "more bytes after the "+promise, count))
	default:
		panic(in.broken(err))
	}
}

// decompress puts a gzip reader before the content if the magic bytes call for one. An unmarked
// format may begin with them, so there a trial must succeed unless the name ends in .gz.
func (in *input) decompress(path string, unmarked bool) {
	head := in.peek(peekBytes)
	named, zipped := strings.HasSuffix(strings.ToLower(path), ".gz"), gzipped.Is(head)
	if named && !zipped {
		panic(in.fail(ErrFormat, "is named .gz, but is no gzip file"))
	}
	if !zipped || unmarked && !named && !inflates(head) {
		return
	}
	z, err := gzip.NewReader(in.r)
	if err != nil {
		panic(in.brokenGzip(err))
	}
	in.content = -1
	in.r = bufio.NewReaderSize(&gzipReader{z: z, in: in}, peekBytes)
	in.peek(1)
}

// inflates says whether the head of a file is the start of valid gzip data.
func inflates(head []byte) bool {
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, z)
	return err == nil || err == io.ErrUnexpectedEOF
}

// fail is a fault of the whole input.
func (in *input) fail(kind error, format string, args ...any) error {
	return &InputError{Name: in.name, Message: fmt.Sprintf(format, args...), Kind: kind}
}

// failLine is a fault in one line.
func (in *input) failLine(line uint64, kind error, format string, args ...any) error {
	return &InputError{Name: in.name, Line: line, Message: fmt.Sprintf(format, args...), Kind: kind}
}

// broken wraps an error of the reader underneath, unless that names its input already.
func (in *input) broken(err error) error {
	if _, ok := err.(*InputError); ok {
		return err
	}
	return fmt.Errorf("%s: reading: %w", oneLine(in.name), err)
}

func (in *input) brokenGzip(err error) error {
	kind := ErrFormat
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		kind, err = ErrTruncated, io.ErrUnexpectedEOF
	}
	return &InputError{Name: in.name, Message: "broken gzip", Kind: kind, Cause: err}
}

// countingReader counts what is taken from the file.
type countingReader struct {
	r  io.Reader
	in *input
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.in.taken.Add(int64(n))
	return n, err
}

// gzipReader turns the errors of a gzip stream into input errors, so that a
// short gzip file is never taken for the end of the content.
type gzipReader struct {
	z  *gzip.Reader
	in *input
}

func (g *gzipReader) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err != nil && err != io.EOF {
		err = g.in.brokenGzip(err)
	}
	return n, err
}
