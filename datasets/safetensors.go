package datasets

import (
	"io"

	"github.com/atomtune/atomtune/datasets/tensor"
)

var safetensorsFormat = format{
	name: "safetensors", extensions: []string{".safetensors"}, takes: takesPart | takesName,
	begins: tensor.IsSafetensors,
	open:   func(in *input, opt Options) (decoder, uint64) { return newSafetensors(in, opt), 0 },
}

func newSafetensors(in *input, opt Options) decoder {
	arrays, start, err := tensor.ReadSafetensors(in.r)
	in.described(err)
	a := chooseArray(in, arrays, opt)
	size := a.Count() * uint64(a.Type.Size)
	if held := uint64(max(in.content-start, 0)); in.content >= 0 && held < a.Start+size {
		panic(in.fail(ErrTruncated, "ends at byte %d after the header, the array at %d", held,
			a.Start+size))
	}
	storage := io.LimitReader(in.r, int64(a.Start+size))
	d := newArray(in, a, "safetensors header", storage, opt)
	d.begin = start
	return d
}
