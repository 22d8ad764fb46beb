package datasets

import (
	zipfile "archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strings"

	"github.com/atomtune/atomtune/datasets/tensor"
)

var npzFormat = format{
	name: "npz", extensions: []string{".npz"}, takes: takesPart | takesName,
	begins: func(head []byte) bool { return strings.HasSuffix(firstEntry(head), ".npy") },
	open:   func(in *input, opt Options) (decoder, uint64) { return newNPZ(in, opt), 0 },
}

// firstEntry is the name of the entry that a zip archive begins with, empty for other content.
func firstEntry(head []byte) string {
	const fixed = 30
	if len(head) < fixed || !isZip(head) {
		return ""
	}
	length := int(binary.LittleEndian.Uint16(head[26:]))
	return string(head[fixed:min(len(head), fixed+length)])
}

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

func openZip(in *input) *zipfile.Reader {
	at, size := in.whole()
	z, err := zipfile.NewReader(at, size)
	if err != nil {
		panic(in.undecodable("broken zip archive", err))
	}
	return z
}

const brokenEntry = "broken zip entry"

func openEntry(in *input, f *zipfile.File) io.ReadCloser {
	r, err := f.Open()
	if err != nil {
		panic(in.undecodable("zip entry "+quote([]byte(f.Name)), err))
	}
	return r
}

const mostArrays = 1 << 16

// newNPZ reads an array of an archive. Headers are read of what is asked for, and of what an error lists.
func newNPZ(in *input, opt Options) decoder {
	var arrays []tensor.Array
	files := map[string]*zipfile.File{}
	for _, f := range openZip(in).File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if len(arrays) == mostArrays {
			panic(in.fail(ErrUnsupported, "holds more than %d arrays; save fewer in a file", mostArrays))
		}
		a := tensor.Array{Name: name}
		if len(arrays) < mostListed || name == opt.Array && files[name] == nil {
			a = npyOf(in, f, name)
		}
		arrays, files[name] = append(arrays, a), f
	}
	a := chooseArray(in, arrays, opt)
	f := files[a.Name]
	r := openEntry(in, f)
	_, start, err := tensor.ReadNPY(r)
	in.described(err)
	compareNPY(in, &a, f.UncompressedSize64-min(uint64(start), f.UncompressedSize64))
	return newArray(in, a, "npy header", in.decoded(r, brokenEntry), opt)
}

func npyOf(in *input, f *zipfile.File, name string) tensor.Array {
	r := openEntry(in, f)
	defer r.Close() // it was only read
	a, _, err := tensor.ReadNPY(in.decoded(r, brokenEntry))
	in.entry = "array " + shown(name, longestName) + ": "
	in.described(err)
	in.entry = ""
	a.Name = name
	return a
}

func readEntry(in *input, f *zipfile.File, most uint64) []byte {
	r := openEntry(in, f)
	defer r.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(in.decoded(r, brokenEntry), int64(min(most, math.MaxInt64-1))+1))
	if err != nil {
		panic(in.broken(err))
	}
	if uint64(len(data)) > most {
		panic(in.fail(ErrUnsupported, "zip entry %s has more than %d bytes", quote([]byte(f.Name)),
			most))
	}
	return data
}
