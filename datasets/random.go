package datasets

import (
	"encoding/binary"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// Random reads the updates of a Reader at any place, for several goroutines at once, until the Reader is
// closed. It reads no more of the file than what is asked for.
type Random struct {
	like    numbers // how elements become indices
	bytes   []byte  // the elements, as the file has them in memory
	indices []uint32
	buffers sync.Pool    // of *[]uint32
	looked  atomic.Int64 // bytes, since pages were dropped
}

// located is a decoder whose updates may be elements side by side in the file.
type located interface {
	// location returns where they begin; ok is false where they are not side by side.
	location() (of *numbers, start, count uint64, ok bool)
}

// Random returns the updates at any place, a *Random; nil where the format, its compression, the options or the
// system allow reading in order alone: elements of raw streams, npy and safetensors that stand side by
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
	if r.in.mapped == nil {
		mapped, err := mapFile(file, r.in.content)
		if err != nil {
			return nil // it can be read in order
		}
		r.in.mapped = mapped
	}
	a := &Random{like: *like, bytes: r.in.mapped[start:end]}
	first := unsafe.Pointer(unsafe.SliceData(a.bytes))
	if like.kind == tensor.Uint32 && !like.skips && littleEndian && uintptr(first)%4 == 0 {
		a.indices = unsafe.Slice((*uint32)(first), count)
	}
	return a
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Len returns the number of updates.
func (r *Random) Len() int { return len(r.bytes) / r.like.kind.Size }

// Bytes returns how many bytes of the file an update takes.
func (r *Random) Bytes() int { return r.like.kind.Size }

// Read copies the updates from number at on, so many as there is room for; the stream must hold them.
func (r *Random) Read(into []uint32, at int) error {
	defer r.drop(len(into))
	return r.shown(func() { r.decode(into, at) })
}

// View shows n updates from number at on, for as long as look runs. Only where they have to be made does
// it copy them; then those that Options.Bins excludes are an error, else look sees them.
func (r *Random) View(at, n int, look func([]uint32)) error {
	if r.indices != nil {
		defer r.drop(n)
		return r.shown(func() { look(r.indices[at : at+n]) })
	}
	buf, _ := r.buffers.Get().(*[]uint32)
	if buf == nil || cap(*buf) < n {
		buf = new(make([]uint32, n))
	}
	defer r.buffers.Put(buf)
	into := (*buf)[:n]
	if err := r.Read(into, at); err != nil {
		return err
	}
	look(into)
	return nil
}

const (
	mostMapped = 64 << 20 // bytes of a file that are looked at before its pages are dropped
	leastPages = 2 << 20  // bytes that the system may map where one of them is looked at
)

// drop notes that so many updates were looked at, and bounds the memory that the file's pages take: they
// count as the process's where nobody else wants it.
func (r *Random) drop(updates int) {
	if r.looked.Add(int64(max(updates*r.like.kind.Size, leastPages))) >= mostMapped {
		r.looked.Store(0)
		dropPages(r.like.in.mapped)
	}
}

func (r *Random) decode(into []uint32, at int) {
	size := r.like.kind.Size
	d := r.like
	d.done, d.block = uint64(at), nil
	d.decode(&chunk{buf: into}, r.bytes[at*size:][:len(into)*size])
}

const changedFault = "has changed while it was read"

// shown reads what the file has in memory. That it holds less by now is an error, and so is a panic of
// who looks at it where it has changed.
func (r *Random) shown(look func()) (err error) {
	defer catch(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // of a page that is not in the file
			panic(r.like.in.fail(ErrTruncated, "has become shorter while it was read, or cannot be read"))
		default:
			if r.like.in.changed() { // those who look at it twice see two streams
				panic(r.like.in.fail(ErrTruncated, changedFault))
			}
			panic(fault)
		}
	}()
	look()
	return nil
}
