package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/must"
)

// allOf collects what Each hands out, in at least one chunk.
func allOf(t *testing.T, path string, opt Options) (all []uint32, err error) {
	t.Helper()
	r, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Each(func(indices []uint32) error {
		all = append(all, indices...)
		return nil
	})
	if n, next := r.Next(make([]uint32, 1)); err == nil && (n != 0 || next != io.EOF) {
		t.Errorf("%s: %d updates and %v after the last", path, n, next)
	}
	if err == nil && r.Size() > 0 && r.BytesRead() != r.Size() {
		t.Errorf("%s: %d of %d bytes", path, r.BytesRead(), r.Size())
	}
	return all, errors.Join(err, r.Close())
}

// TestEach: from files of every kind, and from a pipe, come the updates that ReadAll reads.
func TestEach(t *testing.T) {
	const n = eachRead + 12345
	indices, wide := make([]uint32, n), make([]uint64, n)
	var text strings.Builder
	for i := range indices {
		indices[i] = uint32(i) * 2654435761 >> 12
		wide[i] = uint64(indices[i])
		fmt.Fprintln(&text, indices[i])
	}
	raw := packed(t, binary.LittleEndian, indices)
	zipped := must.Get(gzipped.Pack([]byte(raw)))(t)
	for _, path := range []string{write(t, "a.u32", raw), write(t, "a.u64", packed(t, binary.LittleEndian, wide)),
		write(t, "a.txt", text.String()), write(t, "a.u32.gz", string(zipped))} {
		if all, err := allOf(t, path, Options{}); err != nil || !slices.Equal(all, indices) {
			t.Errorf("%s: %d updates of %d, %v", path, len(all), n, err)
		}
	}
	all, err := allOf(t, "-", Options{Format: "u32", Stdin: io.MultiReader(strings.NewReader(raw))})
	if err != nil || !slices.Equal(all, indices) {
		t.Errorf("a pipe: %d updates, %v", len(all), err)
	}
}

// TestEachEnds: the first error ends it, and each ends it by io.EOF.
func TestEachEnds(t *testing.T) {
	raw := strings.Repeat("\x01\x00\x00\x00", 3*eachRead)
	failure := errors.New("enough")
	for _, path := range []string{write(t, "a.u32", raw), write(t, "a.txt", strings.Repeat("1\n", 3*eachRead))} {
		for end, want := range map[error]error{failure: failure, io.EOF: nil} {
			r := must.Get(Open(path, Options{}))(t)
			calls := 0
			if err := r.Each(func([]uint32) error { calls++; return end }); !errors.Is(err, want) || calls != 1 {
				t.Errorf("%s: %v after %d calls, want %v", path, err, calls, want)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	late := bytes.Repeat([]byte("1\n"), eachRead+5)
	path := write(t, "late.txt", string(late)+"x\n")
	if all, err := allOf(t, path, Options{}); !errors.Is(err, ErrFormat) || len(all) != eachRead+5 ||
		!strings.Contains(err.Error(), fmt.Sprintf("late.txt:%d:", eachRead+6)) {
		t.Errorf("%d updates before %v", len(all), err)
	}
	if _, err := allOf(t, write(t, "b.u32", raw), Options{Bins: 1}); !errors.Is(err, ErrRange) {
		t.Errorf("an index above the bins: %v", err)
	}
}
