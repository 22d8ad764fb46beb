package datasets

import (
	"encoding/binary"
	"runtime"
	"strings"
	"testing"
)

// promising are short files whose headers promise far more than they hold.
func promising(t *testing.T) map[string]string {
	safetensors := func(header string) string {
		return string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header
	}
	const tensor = "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" +
		"(X\x07\x00\x00\x00storagectorch\nLongStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu" +
		"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x01tQK\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x01\x85" +
		"K\x01\x85\x89NtR." // 2^56 elements
	return map[string]string{
		"array.npy":   npyFile(2, "'<i8'", "False", "(1152921504606846975,)", "ab"),
		"fortran.npy": npyFile(2, "'|u1'", "True", "(4096, 16384)", "ab"),
		"header.npy":  "\x93NUMPY\x02\x00\xff\xff\x00\x00",
		"array.safetensors": safetensors(
			`{"x":{"dtype":"I64","shape":[536870912],"data_offsets":[0,4294967296]}}`),
		"header.safetensors": "\x00\x00\x00\x01\x00\x00\x00\x00{",
		"long.safetensors":   "\x00\x00\x00\x00\x00\x00\x00\x10{",
		"tensor.pt":          rezip(t, rezip(t, emptyZip, "a/data.pkl", tensor), "a/data/0", "abcdefgh"),
		"pickle.pt":          rezip(t, emptyZip, "a/data.pkl", "\x80\x02X\xff\xff\xff\xff"),
	}
}

// emptyZip is an archive without entries.
const emptyZip = "PK\x05\x06" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// What a header promises is not allocated: each file fails by its length, from a pipe too.
func TestPromises(t *testing.T) {
	for name, content := range promising(t) {
		for _, path := range []string{write(t, name, content), "-"} {
			opt := Options{Format: formatOf(name), Stdin: strings.NewReader(content)}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := ReadAll(path, opt)
			runtime.ReadMemStats(&after)
			isFault(t, err)
			const allowed = 4 << 20
			if grown := after.TotalAlloc - before.TotalAlloc; grown > allowed {
				t.Errorf("%s of %d bytes: %d bytes were allocated, allowed %d", name, len(content), grown,
					allowed)
			}
		}
	}
}

// formatOf is the format of a name.
func formatOf(name string) string {
	return formatByName(&input{name: name}, name, Options{}).name
}
