package datasets

import (
	"bytes"
	"io"

	"github.com/atomtune/atomtune/datasets/tensor"
)

var npyFormat = format{
	name: "npy", extensions: []string{".npy"}, takes: takesPart,
	begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte(tensor.NPYMagic)) },
	open:   func(in *input, opt Options) (decoder, uint64) { return newNPY(in, opt), 0 },
}

// npy is an array behind a header, up to the end of the content.
type npy struct{ *array }

func newNPY(in *input, opt Options) npy {
	a, start, err := tensor.ReadNPY(in.r)
	in.described(err)
	if in.content >= 0 {
		compareNPY(in, &a, uint64(in.content-start))
	}
	size := a.Count() * uint64(a.Type.Size)
	d := newArray(in, a, "npy header", io.LimitReader(in.r, int64(size)), opt)
	d.begin = start
	return npy{d}
}

// compareNPY holds the bytes behind the header against the number of elements that it promises.
func compareNPY(in *input, a *tensor.Array, bytes uint64) {
	size := uint64(a.Type.Size)
	switch want := a.Count() * size; {
	case a.Type.Kind == tensor.Other: // newArray refuses it
	case bytes < want:
		panic(in.fail(ErrTruncated, "the npy header promises %d elements, but the file has %d",
			a.Count(), bytes/size))
	case bytes > want:
		panic(in.fail(ErrTruncated, "%d bytes after the %d elements that the npy header promises",
			bytes-want, a.Count()))
	}
}

func (d npy) next(to *chunk) bool {
	if d.array.next(to) {
		return true
	}
	d.in.atEnd("%d elements that the npy header promises", d.whole.Count())
	return false
}
