package datasets

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync/atomic"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/visible"
)

// peekBytes is how much of an input is looked at to find its format.
const peekBytes = 64 << 10

// input is an open file or standard input, decompressed.
type input struct {
	name    string
	file    io.Closer     // nothing to close of standard input
	r       *bufio.Reader // the content, decompressed
	taken   atomic.Int64  // bytes read from the file
	size    int64         // bytes of the file, 0 if unknown
	content int64         // bytes of the content, -1 if unknown
	entry   string        // what is read of a file of several arrays, for errors
	temp    *os.File      // the content, where whole had to copy it
	opened  os.FileInfo   // of a regular file, when it was opened
	// held is about the memory of distinct keys and of counts, mostHeld what it may be.
	held, mostHeld uint64
	mostCopied     uint64 // bytes of a temporary file
	// gap are the bytes read, and those unpacked, since the last update; mostGap is what they may be.
	gap, mostGap int64
	watch        func(read, gap int64) // Options.Watch
	// groups, targets and mirrored are those of Reader; decoders set them.
	groups   string
	targets  string
	mirrored bool
	comments uint64 // that were left out
}

// newInput has no content yet.
func newInput(name string, opt Options) *input {
	return &input{name: name, file: io.NopCloser(nil), content: -1,
		mostHeld:   cmp.Or(opt.MaxHeldBytes, math.MaxUint64),
		mostCopied: min(cmp.Or(opt.MaxCopiedBytes, 4<<30), math.MaxInt64-1),
		mostGap:    int64(min(cmp.Or(opt.MaxGapBytes, 1<<30), math.MaxInt64-1)), watch: opt.Watch}
}

func openInput(path string, opt Options) (*input, error) {
	in := newInput(path, opt)
	raw := opt.Stdin
	if path == "-" {
		in.name = "stdin"
		if raw == nil {
			raw = os.Stdin
		}
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		raw, in.file = f, f
		info, err := f.Stat()
		if err == nil && info.IsDir() {
			err = in.fail(ErrUnsupported, "is a directory")
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if info.Mode().IsRegular() {
			in.size, in.content, in.opened = info.Size(), info.Size(), info
		}
	}
	counting := func(p []byte) (int, error) {
		n, err := raw.Read(p)
		in.taken.Add(int64(n))
		return in.without(n, err)
	}
	in.r = bufio.NewReaderSize(readerFunc(counting), peekBytes)
	return in, nil
}

func (in *input) changed() bool {
	file, isFile := in.file.(*os.File)
	if !isFile || in.opened == nil {
		return false
	}
	now, err := file.Stat()
	return err != nil || now.Size() != in.opened.Size() || !now.ModTime().Equal(in.opened.ModTime())
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
		panic(in.fail(ErrFormat, "is named .gz, but is not a gzip file"))
	}
	if !zipped || unmarked && !named && !inflates(head) {
		return
	}
	z, err := gzip.NewReader(in.r)
	if err != nil {
		panic(in.undecodable("broken gzip", err))
	}
	in.content = -1
	in.r = bufio.NewReaderSize(in.decoded(z, "broken gzip"), peekBytes)
	in.peek(1)
}

// decoded names the input in errors: a decoder's early end must not be taken for the content's.
func (in *input) decoded(r io.Reader, message string) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p)
		if err != nil && err != io.EOF {
			err = in.undecodable(message, err)
		}
		return in.without(n, err)
	})
}

// readAhead is about how much buffers hold of which no update is taken yet.
const readAhead = 4 * peekBytes

// without counts n bytes more without an update, and ends the input where there are too many.
func (in *input) without(n int, err error) (int, error) {
	in.gap += int64(n)
	if in.watch != nil {
		read := int64(0)
		if in.size == 0 {
			read = in.taken.Load()
		}
		in.watch(read, in.gap)
	}
	if err == nil && in.gap-readAhead > in.mostGap {
		return 0, in.fail(ErrGap, "more than %d bytes were read without finding an update", in.mostGap)
	}
	return n, err
}

// yielding is a reader of updates.
func (in *input) yielding(r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p)
		if n > 0 {
			in.gap = 0
		}
		return n, err
	})
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

// hold reckons the memory of so many bytes more of what.
func (in *input) hold(bytes int, what string) {
	if in.held += uint64(bytes); in.held > in.mostHeld {
		panic(in.fail(ErrLarge, "its %s take more than %d bytes of memory", what, in.mostHeld))
	}
}

func (in *input) fail(kind error, format string, args ...any) error {
	return in.failLine(0, kind, format, args...)
}

func (in *input) failLine(line uint64, kind error, format string, args ...any) error {
	message := in.entry + fmt.Sprintf(format, args...)
	return &InputError{Name: in.name, Line: line, Message: message, Kind: kind}
}

// broken wraps an error of the reader underneath, unless that names its input already.
func (in *input) broken(err error) error {
	if _, ok := err.(*InputError); ok {
		return err
	}
	return fmt.Errorf("%s: reading: %w", visible.Line(in.name), err)
}

// undecodable wraps an error of a decoder, unless that names its input already.
func (in *input) undecodable(message string, err error) error {
	if own, ok := errors.AsType[*InputError](err); ok {
		return own
	}
	kind := ErrFormat
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		kind, err = ErrTruncated, io.ErrUnexpectedEOF
	}
	return &InputError{Name: in.name, Message: in.entry + message, Kind: kind, Cause: err}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
