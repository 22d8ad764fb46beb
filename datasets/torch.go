package datasets

import (
	zipfile "archive/zip"
	"bytes"
	"strings"

	"github.com/atomtune/atomtune/datasets/tensor"
)

var torchFormat = format{
	name: "torch", extensions: []string{".pt", ".pth"}, takes: takesPart | takesName,
	begins: func(head []byte) bool {
		return strings.HasSuffix(firstEntry(head), torchHeader) || isLegacyTorch(head)
	},
	open: func(in *input, opt Options) (decoder, uint64) { return newTorch(in, opt), 0 },
}

// torchHeader ends the name of the entry that describes the tensors, behind the archive's name.
const torchHeader = "/data.pkl"

// isLegacyTorch looks for the pickled 0x1950a86a20f9469cfc6c that begins files of PyTorch before 1.6.
func isLegacyTorch(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"))
}

func newTorch(in *input, opt Options) decoder {
	if head := in.peek(peekBytes); isLegacyTorch(head) {
		panic(in.fail(ErrUnsupported, "has the format of torch.save before PyTorch 1.6; save it again "+
			"with torch.save(torch.load(old), new)"))
	}
	z := openZip(in)
	entries := map[string]*zipfile.File{}
	var header *zipfile.File
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, torchHeader) && strings.Count(f.Name, "/") == 1 {
			header = f
		}
		entries[f.Name] = f
	}
	if header == nil {
		panic(in.fail(ErrFormat, "is a zip archive without the data.pkl of torch.save"))
	}
	folder := strings.TrimSuffix(header.Name, torchHeader)
	var big bool
	if f := entries[folder+"/byteorder"]; f != nil {
		const longest = 16
		big = string(bytes.TrimSpace(readEntry(in, f, longest))) == "big"
	}
	arrays, err := tensor.ParseTorch(readEntry(in, header, tensor.TorchHeaderBytes), big)
	in.described(err)
	a := chooseArray(in, arrays, opt)
	name := folder + "/data/" + a.Storage
	f := entries[name]
	if f == nil {
		panic(in.fail(ErrFormat, "lacks the zip entry %s", quote([]byte(name))))
	}
	if f.UncompressedSize64 < a.Start+a.Span() {
		panic(in.fail(ErrTruncated, "ends at byte %d of the zip entry %s, which has %d",
			a.Start+a.Span(), quote([]byte(name)), f.UncompressedSize64))
	}
	r := openEntry(in, f)
	return newArray(in, a, "data.pkl", in.decoded(r, brokenEntry), opt)
}
