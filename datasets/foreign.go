package datasets

import (
	"bytes"
	"encoding/binary"
	"math"
)

// foreign are formats that are not read here under the name that led here, by bytes at a place. They are four
// bytes at least, which as a raw index are one that no stream begins with but by chance.
var foreign = []struct {
	at          int
	magic, name string
}{
	{0, "\x93NUMPY", "an npy file (--format npy)"},
	{0, "\x89PNG", "a PNG image (--format image)"},
	{0, "\xff\xd8\xff\xe0", "a JPEG image (--format image)"},
	{0, "\xff\xd8\xff\xe1", "a JPEG image (--format image)"},
	{0, "PAR1", "a Parquet file (--format parquet)"},
	{0, "ARROW1", "an Arrow file (--format arrow)"},
	{0, "PK\x03\x04", "a zip archive, such as npz, torch.save and Excel write; name it with its extension, or unpack it"},
	{0, "PK\x05\x06", "an empty zip archive"},
	{0, "\x28\xb5\x2f\xfd", "a Zstandard file; unpack it"},
	{0, "\x04\x22\x4d\x18", "an LZ4 file; unpack it"},
	{0, "\xfd7zXZ\x00", "an xz file; unpack it"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it"},
	{0, "BZh91AY&SY", "a bzip2 file; unpack it"},
	{0, "Rar!\x1a\x07", "a rar archive; unpack it"},
	{257, "ustar", "a tar archive; unpack it"},
	{0, "\x89HDF\r\n\x1a\n", "an HDF5 file; save the array as npy"},
	{0, "CDF\x01", "a netCDF file; save the array as npy"},
	{0, "CDF\x02", "a netCDF file; save the array as npy"},
	{0, "CDF\x05", "a netCDF file; save the array as npy"},
	{0, "MATLAB 5.0 MAT-file", "a MATLAB file; save the array as npy"},
	{0, "MATLAB 7.3 MAT-file", "a MATLAB file; save the array as npy"},
	{0, "SQLite format 3\x00", "an SQLite database; save the column as csv"},
	{0, "Obj\x01", "an Avro file; save the column as Parquet"},
	{0, "%PDF-", "a PDF document"},
	{0, "FEA1", "a Feather file of version 1; write it with a current pyarrow.feather, as Arrow"},
	{0, "RIFF", "a RIFF file, such as a WebP image; save it as PNG"},
	{0, "\x00\x00\x00\x0cjP  ", "a JPEG 2000 image; save it as PNG"},
	{0, "II+\x00", "a BigTIFF image; save it as TIFF"},
	{0, "MM\x00+", "a BigTIFF image; save it as TIFF"},
	{0, "GIF8", "a GIF image; save it as PNG"},
	{0, "GGUF", "a GGUF file; save the tensor as safetensors"},
	{0, "\x7fELF", "a program"},
}

// foreignExtensions are those of binary formats that first bytes do not identify.
var foreignExtensions = map[string]string{
	".pkl": pickled, ".pickle": pickled, ".bmp": "a BMP image; save it as PNG", ".tga": "a TGA image; save it as PNG",
	".pbm": "a PBM image; save it as PGM or PNG", ".ppm": "a PPM image; save it as PGM or PNG",
	".ivecs": vectors, ".fvecs": vectors, ".bvecs": vectors,
}

const (
	pickled = "a pickle, which is not executed; save the array as npy"
	vectors = "a file of vectors with their lengths; save the array as npy"
)

// refuseForeign names what the content is if its first bytes tell and no format that reads it was found.
func (in *input) refuseForeign() {
	head := in.peek(peekBytes)
	for _, f := range foreign {
		if len(head) > f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			panic(in.fail(ErrUnsupported, "is %s", f.name))
		}
	}
	if at := bytes.IndexByte(head, '\r'); at >= 0 && at < len(head)-1 && bytes.IndexByte(head, '\n') < 0 && looksLikeText(head) {
		panic(in.fail(ErrUnsupported, "has lines that end in carriage returns alone; save it with line feeds"))
	}
	if inflates(head) {
		panic(in.fail(ErrUnsupported, "is a gzip file in a gzip file; decompress it once"))
	}
	if looksLikeUTF16(head) {
		panic(in.fail(ErrUnsupported, "is UTF-16 text without a byte order mark; save it as UTF-8"))
	}
}

// looksLikeUTF16 says whether one byte of each two is 0 and the other one printable ASCII or white, behind
// a byte order mark or none.
func looksLikeUTF16(head []byte) bool {
	if bytes.HasPrefix(head, []byte(littleMark)) || bytes.HasPrefix(head, []byte(bigMark)) {
		head = head[2:]
	}
	const least = 8
	if len(head) < least {
		return false
	}
	for first := range 2 {
		i := 0
		for i+1 < len(head) && head[i+1-first] == 0 && isText(head[i+first]) {
			i += 2
		}
		if i+1 >= len(head) {
			return true
		}
	}
	return false
}

func isText(c byte) bool { return c >= ' ' && c <= '~' || c == '\t' || c == '\r' || c == '\n' }

// looksWide says whether of so many pairs of 32-bit numbers each second one is 0, as of 64-bit ones, or both have
// all bits set, as padding has, and not all numbers are so.
func looksWide(head []byte, least int) bool {
	pairs, indices := len(head)/8, false
	for i := range pairs {
		switch v := binary.LittleEndian.Uint64(head[8*i:]); {
		case v != 0 && v < Inactive:
			indices = true
		case v != 0 && v != math.MaxUint64:
			return false
		}
	}
	return indices && pairs >= least
}
