package datasets

import (
	"io"
	"os"
	"sync"

	"github.com/atomtune/atomtune/collision"
)

// Random reads the updates of a Reader at any place, for several goroutines at once, until the Reader is
// closed. It reads no more of the file than what is asked for.
type Random struct {
	like    numbers // how elements become indices
	file    *os.File
	start   int64     // of the elements, in bytes
	count   int       // elements
	buffers sync.Pool // of *[]byte
}

// located is a decoder whose updates may be elements side by side in the file.
type located interface {
	// location returns where they begin; ok is false where they are not side by side.
	location() (of *numbers, start, count uint64, ok bool)
}

// Random returns the updates at any place, a *Random; nil where the format, its compression or the options
// allow reading in order alone: elements of raw streams, npy and safetensors that stand side by
// side in a file can be read at any place. Keys are numbered in order.
func (r *Reader) Random() collision.Stream {
	if a := r.random(); a != nil {
		return a
	}
	return nil
}

func (r *Reader) random() *Random {
	dec, known := r.dec.(located)
	file, isFile := r.in.file.(*os.File)
	if !known || !isFile || r.in.content <= 0 {
		return nil
	}
	like, start, count, ok := dec.location()
	r.cut = r.cut || count > r.most
	count = min(count, r.most)
	end := start + count*uint64(like.kind.Size)
	if !ok || like.keys != nil || count == 0 || end > uint64(r.in.content) || end != uint64(int(end)) {
		return nil
	}
	return &Random{like: *like, file: file, start: int64(start), count: int(count)}
}

// Len returns the number of updates.
func (r *Random) Len() int { return r.count }

// Bytes returns how many bytes of the file an update takes.
func (r *Random) Bytes() int { return r.like.kind.Size }

// Read copies the updates from number at on, so many as there is room for; the stream must hold them.
func (r *Random) Read(into []uint32, at int) (err error) {
	defer catch(&err)
	size := r.like.kind.Size
	buf, _ := r.buffers.Get().(*[]byte)
	if buf == nil || cap(*buf) < size*len(into) {
		buf = new(make([]byte, size*len(into)))
	}
	defer r.buffers.Put(buf)
	raw := (*buf)[:size*len(into)]
	switch _, err := r.file.ReadAt(raw, r.start+int64(at)*int64(size)); err {
	case nil:
	case io.EOF:
		return r.like.in.fail(ErrTruncated, "has become shorter while it was read")
	default:
		return r.like.in.broken(err)
	}
	d := r.like
	d.done, d.block = uint64(at), nil
	d.decode(&chunk{buf: into}, raw)
	return nil
}
