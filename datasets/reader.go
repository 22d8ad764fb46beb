package datasets

import (
	"fmt"
	"io"
	"os"
)

// Reader reads one index stream in chunks. It is for one goroutine, save for
// BytesRead, which another may call to show progress.
type Reader struct {
	in     *input
	dec    decoder
	format *format
	bins   uint64
	any    bool  // an update has been read
	err    error // returned by every further Next
}

// decoder reads the updates of one format. It fills buf from the front and
// returns their number; an error may come with updates, and io.EOF comes
// after the last.
type decoder interface {
	next(buf []uint32) (int, error)
}

// Open opens the file, or opt.Stdin for the path "-", finds its format and
// reads its header. Errors wrap the sentinels of this package or the
// operating system's error.
func Open(path string, opt Options) (*Reader, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	in, err := openInput(path, opt)
	if err != nil {
		return nil, err
	}
	r, err := newReader(in, path, opt)
	if err != nil {
		return nil, joinClose(err, in.close())
	}
	return r, nil
}

// newReader finds the format of an open input and starts its decoder.
func newReader(in *input, path string, opt Options) (*Reader, error) {
	format, err := formatByName(in, path, opt)
	if err != nil {
		return nil, err
	}
	if err := in.decompress(path, format != nil && format.unmarked); err != nil {
		return nil, err
	}
	if format == nil {
		if format, err = formatByContent(in, opt); err != nil {
			return nil, err
		}
	}
	if err := format.accept(opt); err != nil {
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}
	dec, bins, err := format.open(in, opt)
	if err != nil {
		return nil, err
	}
	if opt.Bins > 0 {
		bins = opt.Bins
	}
	return &Reader{in: in, dec: dec, format: format, bins: bins}, nil
}

// Next fills buf with the next updates of the stream and returns their
// number, which is less than len(buf) only where the stream ends or breaks.
// It returns either updates or an error, never both: io.EOF after the last
// update, ErrEmpty if there was none. The first call on a matrix or an edge
// list reads the whole input, since its order is not the file's.
func (r *Reader) Next(buf []uint32) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n := 0
	for n < len(buf) && r.err == nil {
		var got int
		got, r.err = r.dec.next(buf[n:])
		n += got
	}
	r.any = r.any || n > 0
	if r.err == io.EOF && !r.any {
		r.err = r.in.fail(ErrEmpty, "the stream holds no update")
	}
	if n == 0 {
		return 0, r.err
	}
	return n, nil
}

// Close releases the file and any temporary file. A second call does nothing.
func (r *Reader) Close() error {
	if r.dec == nil {
		return nil
	}
	var err error
	if c, ok := r.dec.(io.Closer); ok {
		err = c.Close()
	}
	r.dec = nil
	r.err = os.ErrClosed
	return joinClose(err, r.in.close())
}

// Name is the path that was opened, or "stdin".
func (r *Reader) Name() string { return r.in.name }

// Format is the format in use, never "auto".
func (r *Reader) Format() string { return r.format.name }

// Axes lists the values of Options.Axis that make a difference, or the empty one where
// there is no choice.
func (r *Reader) Axes() []string {
	if r.format.axis {
		return []string{AxisRow, AxisCol}
	}
	return []string{""}
}

// Bins is the number of targets: Options.Bins if it was set, else what the
// input declares (the rows or columns of a matrix, the luminance levels of an
// image). 0 says that the format declares none, and that the number is one
// more than the largest index.
func (r *Reader) Bins() uint64 { return r.bins }

// BytesRead is the number of bytes taken from the file so far, compressed
// bytes if it is compressed.
func (r *Reader) BytesRead() int64 { return r.in.taken.Load() }

// Size is the size of the file in bytes, in the same measure as BytesRead.
// known is false for pipes and the like.
func (r *Reader) Size() (bytes int64, known bool) {
	return max(r.in.size, 0), r.in.size >= 0
}

// ReadAll reads a whole stream at 4 bytes an update. bins is the Reader's
// Bins, or one more than the largest index where that is 0.
func ReadAll(path string, opt Options) (indices []uint32, bins uint64, err error) {
	r, err := Open(path, opt)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = joinClose(err, r.Close()) }()
	indices = make([]uint32, 0, 1<<12)
	for {
		if len(indices) == cap(indices) {
			indices = append(indices, 0)[:len(indices)]
		}
		n, err := r.Next(indices[len(indices):cap(indices)])
		indices = indices[:len(indices)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, err
		}
	}
	bins = r.Bins()
	if bins == 0 {
		for _, index := range indices {
			bins = max(bins, uint64(index)+1)
		}
	}
	return indices, bins, nil
}
