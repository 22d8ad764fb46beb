package datasets

import (
	"strings"
	"testing"
)

// seedArrays adds the files of arrays with an extension.
func seedArrays(f *testing.F, extension string) {
	added := 0
	for _, c := range arrayCases() {
		if strings.HasSuffix(c.file, extension) {
			f.Add([]byte(read(f, arrayFile(c.file))), c.opt.Array, c.opt.Axis, uint64(0))
			added++
		}
	}
	if added == 0 {
		f.Fatalf("no seed with the extension %s", extension)
	}
}

// fuzzArrays opens fuzzed arrays by any choice of a part.
func fuzzArrays(f *testing.F, format string) {
	f.Fuzz(func(t *testing.T, content []byte, name, axis string, bins uint64) {
		fuzzOpen(t, content, Options{Format: format, Array: name, Axis: axis, Bins: bins})
	})
}

func FuzzNPZ(f *testing.F) {
	seedArrays(f, ".npz")
	fuzzArrays(f, "npz")
}

func FuzzTorch(f *testing.F) {
	seedArrays(f, ".pt")
	fuzzArrays(f, "torch")
}

func FuzzSafetensors(f *testing.F) {
	seedArrays(f, ".safetensors")
	fuzzArrays(f, "safetensors")
}
