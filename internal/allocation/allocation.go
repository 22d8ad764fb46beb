// Package allocation holds decoders to the memory that their input warrants. It is for tests.
//
// A decoder of a file, a message or a text from elsewhere grows what it makes with what it has read,
// whatever lengths say. What a footer or a directory lists shares no bytes of the file, and what few
// bytes name many times is counted each time. Its fuzz target, with small seeds, demands no panic, an
// error that wraps a sentinel or names the file, and that what is decoded and encoded decodes as the
// same; it calls the decoder by Bound. Inputs that once failed stay in testdata/fuzz. A list of
// structures in a JSON document of any size is a strictjson.List.
package allocation

import (
	"runtime/metrics"
	"testing"
)

// A decoder of n bytes may allocate Factor*n + Constant bytes, counting what it frees again.
const (
	// Factor leaves room for the value beside its text, and for buffers that double as they grow.
	Factor = 4
	// Constant leaves room for what every call needs: buffers of fixed size, parsers of JSON and CSV,
	// the tables of gzip, an error. Those of the formats here take up to 200 KiB. It is far below
	// the 2^32 bytes that a length of 32 bits can claim.
	Constant = 1 << 20
)

// Bound runs decode, which reads n bytes, and reports a fault where that allocates more than
// Factor*n + Constant bytes. Where there is compression, n is what was unpacked. It runs decode
// again before reporting, since a first call may make what later ones share.
func Bound(t testing.TB, n int, decode func()) {
	t.Helper()
	BoundBeyond(t, n, 0, decode)
}

// BoundBeyond is Bound for decoders that need further bytes besides, whatever they read.
func BoundBeyond(t testing.TB, n, further int, decode func()) {
	t.Helper()
	most := uint64(Factor*n + Constant + further)
	if Of(decode) <= most {
		return
	}
	if again := Of(decode); again > most {
		t.Errorf("%d bytes were allocated for %d bytes of input, at most %d may be", again, n, most)
	}
}

// Of returns how many bytes f allocates, counting what it frees again. Other goroutines count too,
// and of small values only those whose pages are full: the rest is below Constant.
func Of(f func()) uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	metrics.Read(sample)
	return sample[0].Value.Uint64() - before
}
