package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// fuzzMost is the number of updates after which a fuzz case stops; few bytes
// of gzip may hold many.
const fuzzMost = 1 << 16

// holdsContract reads an input to its end and checks what every reader
// promises: indices within the bins, at least one of them before io.EOF, and
// faults that wrap a sentinel and read as one line.
func holdsContract(t *testing.T, r *Reader, err error, bins uint64) {
	t.Helper()
	if err != nil {
		isFault(t, err)
		return
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	if r.Bins() > 0 {
		bins = r.Bins()
	}
	buf := make([]uint32, 37)
	for total := 0; total < fuzzMost; {
		n, err := r.Next(buf)
		total += n
		for _, index := range buf[:n] {
			if bins > 0 && uint64(index) >= bins && !(r.padded && index == Inactive) {
				t.Fatalf("index %d of %d bins", index, bins)
			}
		}
		if (n > 0) == (err != nil) {
			t.Fatalf("Next = %d, %v", n, err)
		}
		if err == io.EOF && total > 0 {
			return
		}
		if err != nil {
			isFault(t, err)
			return
		}
	}
}

func isFault(t *testing.T, err error) {
	t.Helper()
	for _, sentinel := range []error{ErrOptions, ErrFormat, ErrUnsupported, ErrEmpty, ErrRange,
		ErrTruncated} {
		if errors.Is(err, sentinel) {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("the error has several lines: %q", err)
			}
			return
		}
	}
	t.Fatalf("%v wraps no sentinel", err)
}

// fuzzOpen opens fuzzed content.
func fuzzOpen(t *testing.T, content []byte, opt Options) {
	t.Helper()
	allocation.Bound(t, len(content), func() {
		opt.Stdin = bytes.NewReader(content)
		r, err := Open("-", opt)
		holdsContract(t, r, err, opt.Bins)
	})
}

// seed adds the sound streams of a format.
func seed(f *testing.F, format string, add func(content []byte)) {
	added := 0
	for _, s := range streams(f) {
		if s.format == format || format == FormatAuto {
			add([]byte(s.content))
			added++
		}
	}
	if added == 0 {
		f.Fatalf("no seed of format %s", format)
	}
}

// FuzzFormats reads every format but images, by any options.
func FuzzFormats(f *testing.F) {
	all := []string{"text", "csv", "mtx", "edges", "npy", "u32", "u64"}
	for i, format := range all {
		seed(f, format, func(content []byte) {
			for order := range byte(3) {
				f.Add(content, byte(i), "0", order, order, false, "", uint64(0))
				f.Add(content, byte(i), "0", order, byte(0), true, "-1", uint64(9))
			}
		})
	}
	f.Fuzz(func(t *testing.T, content []byte, format byte, column string, order, axis byte, keys bool, ignore string,
		bins uint64) {
		opt := Options{Format: all[int(format)%len(all)], Axis: []string{"", AxisRow, AxisCol}[axis%3], Keys: keys,
			Order: []string{OrderFile, OrderRow, OrderCol}[order%3], Ignore: ignore, Bins: bins}
		if opt.Format == "csv" {
			opt.Axis, opt.Column = "", column
		}
		fuzzOpen(t, content, opt)
	})
}

func FuzzImage(f *testing.F) {
	seed(f, "image", func(content []byte) { f.Add(content, uint64(0)) })
	img := testImages()
	f.Add([]byte(encode(f, "png", img["gray16"])), uint64(7))
	f.Add([]byte(encode(f, "png", img["palette"])), uint64(0))
	f.Add([]byte(encode(f, "tiff", img["rgba"])), uint64(0))
	f.Add([]byte(encode(f, "jpeg", img["gray"])), uint64(0))
	f.Fuzz(func(t *testing.T, content []byte, bins uint64) {
		if bins > MaxBins {
			return
		}
		in := &input{name: "fuzz", file: io.NopCloser(nil),
			r:    bufio.NewReaderSize(bytes.NewReader(content), peekBytes),
			size: -1, content: -1}
		if len(content) == 0 {
			return
		}
		// little memory, so that cases stay fast
		r := &Reader{in: in}
		err := func() (err error) {
			defer catch(&err)
			r.dec, r.bins = newImage(in, Options{Quantize: bins}, 1<<20)
			return nil
		}()
		holdsContract(t, r, err, bins)
	})
}

func FuzzAuto(f *testing.F) {
	seed(f, FormatAuto, func(content []byte) {
		f.Add(content, false)
		f.Add([]byte(zip(f, string(content))), true)
	})
	f.Fuzz(func(t *testing.T, content []byte, keys bool) {
		if _, isImage := codecOf(content); isImage {
			return // FuzzImage reads them with less memory
		}
		fuzzOpen(t, content, Options{Keys: keys})
	})
}
