package tensor

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

// element is where an element begins, in the words of the formula of Array.
func element(a *Array, at []uint64) uint64 {
	sum := uint64(0)
	for k, i := range at {
		sum += i * a.Strides[k]
	}
	return a.Start + uint64(a.Type.Size)*sum
}

// inOrder lists the indices of all elements in C order.
func inOrder(shape []uint64) (all [][]uint64) {
	if len(shape) == 0 {
		return [][]uint64{nil}
	}
	for i := range shape[0] {
		for _, rest := range inOrder(shape[1:]) {
			all = append(all, append([]uint64{i}, rest...))
		}
	}
	return all
}

// The ways in which Elements reads an array.
const (
	contiguous = iota
	forwards
	held
)

// wayOf is the way in which an array is read.
func wayOf(a *Array) int {
	switch {
	case a.Contiguous():
		return contiguous
	case a.forwards():
		return forwards
	}
	return held
}

// drawn is an array of no more than 4 dimensions that is read in a way, without its strides that of any order.
func drawn(t *rapid.T, way int) Array {
	kind := rapid.SampledFrom([]Type{Uint8, Int16, Float32, Uint64}).Draw(t, "type")
	if way == contiguous {
		return must.Get(New("", kind, rapid.SliceOfN(rapid.Uint64Range(0, 5), 0, 4).Draw(t, "shape"), false))(t)
	}
	shape := rapid.SliceOfN(rapid.Uint64Range(2, 5), 1, 4).Draw(t, "shape")
	a := must.Get(New("", kind, shape, false))(t)
	reach := uint64(0) // from the first to the last element of the inner dimensions
	for k := len(shape) - 1; k >= 0; k-- {
		a.Strides[k] = reach + rapid.Uint64Range(2, 6).Draw(t, "stride")
		if way == held && k == 0 {
			a.Strides[k] = rapid.Uint64Range(0, reach).Draw(t, "stride back")
		}
		reach += (shape[k] - 1) * a.Strides[k]
	}
	return a
}

// Elements of any shape and strides come in C order, whatever pieces the storage is read in.
func TestElementsMatchTheFormula(t *testing.T) {
	for _, way := range []int{contiguous, forwards, held} {
		rapid.Check(t, func(t *rapid.T) {
			a := drawn(t, way)
			if got := wayOf(&a); got != way {
				t.Fatalf("%v with strides %v is read in way %d, not %d", a.Shape, a.Strides, got, way)
			}
			matchesFormula(t, a)
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.Uint64Range(0, 5), 0, 4).Draw(t, "shape")
		a := must.Get(New("", Uint16, shape, rapid.Bool().Draw(t, "fortran")))(t)
		if rapid.Bool().Draw(t, "strided") {
			a.Strides = rapid.SliceOfN(rapid.Uint64Range(0, 60), len(shape), len(shape)).Draw(t, "strides")
		}
		matchesFormula(t, a)
	})
}

// matchesFormula holds the elements of an array against the formula.
func matchesFormula(t *rapid.T, a Array) {
	a.Start = rapid.Uint64Range(0, 5).Draw(t, "start")
	must.Do(t, a.Check())
	storage := make([]byte, a.Start+a.Span())
	for i := range storage {
		storage[i] = byte(i * 37 >> 3)
	}
	var want []byte
	for _, at := range inOrder(a.Shape) {
		want = append(want, storage[element(&a, at):][:a.Type.Size]...)
	}
	if uint64(len(want)) != a.Count()*uint64(a.Type.Size) {
		t.Fatalf("Count = %d, want %d bytes", a.Count(), len(want))
	}
	elements := must.Get(a.Elements(iotest.OneByteReader(bytes.NewReader(storage))))(t)
	got, err := io.ReadAll(elements)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s strides %v: %v, got %x, want %x", a.String(), a.Strides, err, got, want)
	}
}

// Steps wider than a block, elements across the end of a block, and orders that go back by more than
// one are those of the formula.
func TestElementsAcrossBlocks(t *testing.T) {
	const n = 3 * blockBytes
	storage := make([]byte, 3+n*8)
	for i := range storage {
		storage[i] = byte(i ^ i>>8 ^ i>>16)
	}
	for _, a := range []Array{
		{Shape: []uint64{n / 2}, Strides: []uint64{2}},
		{Shape: []uint64{(n-1)/7 + 1}, Strides: []uint64{7}},
		{Shape: []uint64{12}, Strides: []uint64{blockBytes / 4}},
		{Shape: []uint64{2, n / 2}, Strides: []uint64{1, 2}},
	} {
		a.Type, a.Start = Uint64, 3
		elements := must.Get(a.Elements(iotest.HalfReader(bytes.NewReader(storage))))(t)
		got, err := io.ReadAll(elements)
		if err != nil || uint64(len(got)) != 8*a.Count() {
			t.Fatalf("%v: %d bytes, %v", a, len(got), err)
		}
		for i, at := range inOrder(a.Shape) {
			if want := storage[element(&a, at):][:8]; !bytes.Equal(got[8*i:][:8], want) {
				t.Fatalf("%v: element %d is %x, want %x", a, i, got[8*i:][:8], want)
			}
		}
	}
}

// What a header promises is refused where it cannot be, and never allocated.
func TestPromises(t *testing.T) {
	huge := Array{Type: Int64, Shape: []uint64{1 << 20, 1 << 20}, Strides: []uint64{1, 1 << 20}}
	must.Do(t, huge.Check())
	if _, err := huge.Elements(bytes.NewReader(nil)); !errors.Is(err, ErrUnsupported) {
		t.Errorf("%v, want a fault of memory", err)
	}
	for _, a := range []Array{
		{Type: Int64, Shape: []uint64{1 << 60}, Strides: []uint64{1}},
		{Type: Int64, Shape: []uint64{2}, Strides: []uint64{1 << 60}},
		{Type: Int8, Shape: []uint64{3, 1 << 63}, Strides: []uint64{1, 1}},
		{Type: Int8, Shape: []uint64{3}},
		{Type: Int8, Shape: []uint64{3}, Strides: []uint64{1}, Start: 1 << 63},
	} {
		if err := a.Check(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%v: %v", a, err)
		}
	}
}

// TestBounds: the largest arrays pass, and those that are larger by the least do not, also where products and
// sums over several dimensions leave the numbers of 64 bits.
func TestBounds(t *testing.T) {
	twos := func(n int) []uint64 { return slices.Repeat([]uint64{2}, n) }
	far := func(n int, stride uint64) []uint64 { return slices.Repeat([]uint64{stride}, n) }
	for _, c := range []struct {
		shape, strides []uint64
		start          uint64
		fits           bool
	}{
		{[]uint64{1 << 62}, []uint64{0}, 0, true},
		{[]uint64{1<<62 + 1}, []uint64{0}, 0, false},
		{[]uint64{1 << 31, 1 << 31}, far(2, 1), 1 << 62, true},
		{[]uint64{1 << 31, 1 << 31}, far(2, 1), 1<<62 + 1, false},
		{[]uint64{1 << 31, 1<<31 + 1}, far(2, 0), 0, false},
		{[]uint64{1 << 32, 1 << 32}, far(2, 0), 0, false}, // 2^64 elements, 0 in 64 bits
		{far(4, 1<<16), far(4, 0), 0, false},
		{[]uint64{1 << 22, 1 << 42, 0}, far(3, 0), 0, false},
		{twos(62), far(62, 0), 0, true},
		{twos(63), far(63, 0), 0, false},
		{twos(64), far(64, 0), 0, false},
		{twos(1), far(1, mostReach), 0, true},
		{twos(1), far(1, mostReach+1), 0, false},
		{twos(2), []uint64{mostReach, 0}, 0, true},
		{twos(2), []uint64{mostReach, 1}, 0, false},
		{twos(2), []uint64{1, mostReach}, 0, false},
		{twos(32), far(32, mostReach/32), 0, true},
		{twos(32), far(32, mostReach/32+1), 0, false},
		{twos(62), far(62, mostReach), 0, false},
		{[]uint64{1<<33 + 1}, far(1, 1<<31), 0, false}, // 2^64 elements further, 0 in 64 bits
		{[]uint64{1<<33 + 1, 2}, []uint64{1 << 31, 1}, 0, false},
		{[]uint64{1, 2}, []uint64{math.MaxUint64, 1}, 0, true}, // a stride that no element goes
	} {
		a := Array{Type: Uint8, Shape: c.shape, Strides: c.strides, Start: c.start}
		err := a.Check()
		if c.fits != (err == nil) || !c.fits && !errors.Is(err, ErrMalformed) {
			t.Errorf("%v with strides %v from %d: %v", c.shape, c.strides, c.start, err)
		}
		if c.fits && a.Start+a.Span() > 2*mostBytes {
			t.Errorf("%v with strides %v spans %d", c.shape, c.strides, a.Span())
		}
		a.Type = Int64 // of eight times as many bytes
		if err := a.Check(); (err == nil) != (c.fits && a.Count() <= 1<<59) {
			t.Errorf("%v of %d bytes each: %v", c.shape, a.Type.Size, err)
		}
		if _, err := New("", Uint8, c.shape, true); a.Start == 0 && c.fits && err != nil {
			t.Errorf("%v in Fortran order: %v", c.shape, err)
		}
	}
}

// one is the value of one element.
func one(kind Type, raw ...byte) uint64 {
	to := make([]uint64, 1)
	kind.Values(to, raw)
	return to[0]
}

// Floats of 16 bits are those of the tables of IEEE 754 and of bfloat16.
func TestFloats(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 0x1p-14, 0x0001: 0x1p-24,
		0x03ff: 1023 * 0x1p-24, 0x3555: 0.333251953125, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		if got := math.Float64frombits(one(Float16, byte(bits), byte(bits>>8))); got != want {
			t.Errorf("float16 %04x is %v, want %v", bits, got, want)
		}
	}
	if got := math.Float64frombits(one(Float16, 1, 0x7c)); !math.IsNaN(got) {
		t.Errorf("float16 7c01 is %v, want NaN", got)
	}
}

func TestNumbers(t *testing.T) {
	big, float := BFloat16, math.Float64bits
	big.Big = true
	for _, c := range []struct {
		kind Type
		raw  []byte
		want uint64
	}{
		{big, []byte{0x40, 0x49}, float(3.140625)}, {Float32, []byte{0, 0, 0x20, 0xc0}, float(-2.5)},
		{Float64, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, float(1.5)},
		{Int8, []byte{0xff}, math.MaxUint64}, {Uint8, []byte{0xff}, 255}, {Int16, []byte{0xfe, 0xff}, math.MaxUint64 - 1},
		{Uint16, []byte{1, 2}, 513}, {Int32, []byte{0, 0, 0, 0x80}, math.MaxUint64 - math.MaxInt32},
		{Type{Kind: Int, Size: 4, Big: true}, []byte{0x80, 0, 0, 1}, math.MaxUint64 - math.MaxInt32 + 1},
		{Type{Kind: Uint, Size: 2, Big: true}, []byte{1, 2}, 258},
		{Type{Kind: Int, Size: 8, Big: true}, []byte{0, 0, 0, 0, 0, 0, 1, 2}, 258},
		{Int64, []byte{3, 0, 0, 0, 0, 0, 0, 0}, 3},
	} {
		if got := one(c.kind, c.raw...); got != c.want {
			t.Errorf("%s %x is %#x, want %#x", c.kind.Name, c.raw, got, c.want)
		}
	}
}

func TestRowsAndColumns(t *testing.T) {
	a := must.Get(New("x", Int32, []uint64{3, 4}, true))(t)
	want := []Array{
		{Name: "x", Type: Int32, Shape: []uint64{4}, Strides: []uint64{3}, Start: 8},
		{Name: "x", Type: Int32, Shape: []uint64{3}, Strides: []uint64{1}, Start: 36},
	}
	if diff := cmp.Diff(want, []Array{a.Part(0, 2), a.Part(1, 3)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzElements: strides and shapes of any size end in an error or in what the storage has.
func FuzzElements(f *testing.F) {
	f.Add([]byte("abcdefgh"), uint64(2), uint64(3), uint64(1), uint64(2), uint64(0))
	f.Add([]byte("abcdefgh"), uint64(1<<40), uint64(1<<20), uint64(1<<20), uint64(1), uint64(7))
	f.Fuzz(func(t *testing.T, storage []byte, rows, columns, stride0, stride1, start uint64) {
		a := Array{Type: Uint16, Shape: []uint64{rows, columns}, Strides: []uint64{stride0, stride1},
			Start: start}
		if a.Check() != nil {
			return
		}
		const most = 1 << 16 // elements that share bytes may be many
		var n int64
		var err error
		allocation.Bound(t, len(storage), func() {
			var elements io.Reader
			if elements, err = a.Elements(bytes.NewReader(storage)); err == nil {
				n, err = io.Copy(io.Discard, io.LimitReader(elements, most))
			}
		})
		if err == nil && n < most && uint64(n) > 2*a.Count() {
			t.Errorf("%d bytes of %d elements", n, a.Count())
		}
	})
}
