package parquet

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/internal/must"
)

// packBits writes numbers of a width, the least significant bits first, one bit at a time.
func packBits(numbers []uint64, width int) []byte {
	raw := make([]byte, (len(numbers)*width+7)/8)
	for i, n := range numbers {
		for bit := range width {
			if n>>bit&1 != 0 {
				at := i*width + bit
				raw[at/8] |= 1 << (at % 8)
			}
		}
	}
	return raw
}

// drain reads all values, and that there is no more than n.
func drain(t *rapid.T, from values, n int) (got []uint64) {
	for range n {
		v, err := from.next()
		if err != nil {
			t.Fatalf("value %d of %d: %v", len(got), n, err)
		}
		got = append(got, v)
	}
	return got
}

// equal compares values.
func equal(t *rapid.T, got, want []uint64) {
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("value %d is %d, want %d", i, got[i], want[i])
		}
	}
}

// Runs and packed groups give what was put into them.
func TestHybrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 32).Draw(t, "width")
		number := rapid.Uint64Range(0, 1<<width-1)
		var want []uint64
		var data []byte
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			if rapid.Bool().Draw(t, "packed") {
				groups := rapid.IntRange(1, 3).Draw(t, "groups")
				part := rapid.SliceOfN(number, 8*groups, 8*groups).Draw(t, "numbers")
				data = binary.AppendUvarint(data, uint64(groups)<<1|1)
				data, want = append(data, packBits(part, width)...), append(want, part...)
				continue
			}
			v, n := number.Draw(t, "value"), rapid.IntRange(1, 40).Draw(t, "length")
			data = binary.AppendUvarint(data, uint64(n)<<1)
			data = append(data, binary.LittleEndian.AppendUint64(nil, v)[:(width+7)/8]...)
			for range n {
				want = append(want, v)
			}
		}
		h := &hybrid{data: data, width: width}
		equal(t, drain(t, h, len(want)), want)
		if v, err := h.next(); err != errPage {
			t.Fatalf("behind the last value: %d, %v", v, err)
		}
	})
}

// encodeDelta writes DELTA_BINARY_PACKED with blocks of 128 values in 4 miniblocks, as the
// specification says, in the plainest way.
func encodeDelta(numbers []uint64) []byte {
	zigzag := func(v uint64) uint64 { return v<<1 ^ uint64(int64(v)>>63) }
	data := binary.AppendUvarint(nil, 128)
	data = binary.AppendUvarint(data, 4)
	data = binary.AppendUvarint(data, uint64(len(numbers)))
	data = binary.AppendUvarint(data, zigzag(numbers[0]))
	for begin := 1; begin < len(numbers); begin += 128 {
		block := make([]uint64, 128)
		least := int64(numbers[begin] - numbers[begin-1])
		count := min(128, len(numbers)-begin)
		for i := range count {
			block[i] = numbers[begin+i] - numbers[begin+i-1]
			least = min(least, int64(block[i]))
		}
		data = binary.AppendUvarint(data, zigzag(uint64(least)))
		var widths, packed []byte
		for mini := range 4 {
			part := make([]uint64, 32)
			width := 0
			for i := range 32 {
				if mini*32+i < count {
					part[i] = block[mini*32+i] - uint64(least)
				}
				for width < 64 && part[i]>>width != 0 {
					width++
				}
			}
			widths, packed = append(widths, byte(width)), append(packed, packBits(part, width)...)
		}
		data = append(append(data, widths...), packed...)
	}
	return data
}

func TestDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Uint64(), 1, 300).Draw(t, "numbers")
		d := must.Get(newDelta(encodeDelta(want)))(t)
		equal(t, drain(t, d, len(want)), want)
		if v, err := d.next(); err != errPage {
			t.Fatalf("behind the last value: %d, %v", v, err)
		}
	})
}

func TestSplitAndPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Uint64Range(0, 1<<32-1), 1, 50).Draw(t, "numbers")
		n := len(want)
		apart, together := make([]byte, 4*n), make([]byte, 4*n)
		for i, v := range want {
			for k := range 4 {
				apart[k*n+i], together[4*i+k] = byte(v>>(8*k)), byte(v>>(8*k))
			}
		}
		for _, from := range []values{&split{data: apart, size: 4}, &plain{together, 4}} {
			equal(t, drain(t, from, n), want)
			if v, err := from.next(); err != errPage {
				t.Fatalf("behind the last value: %d, %v", v, err)
			}
		}
	})
}

// Entries are found by their numbers, and a number without an entry is refused.
func TestDictionary(t *testing.T) {
	d := must.Get(newDictionary([]byte{70, 0, 0, 0, 80, 0, 0, 0, 90, 0, 0, 0}, 4, []byte{2, 3, 0b11_00_01_10, 0}))(t)
	for _, want := range []uint64{90, 80, 70} {
		if got, err := d.next(); err != nil || got != want {
			t.Errorf("%d, %v, want %d", got, err, want)
		}
	}
	if got, err := d.next(); err != errPage {
		t.Errorf("entry 3 of 3: %d, %v", got, err)
	}
	if _, err := newDictionary(nil, 4, []byte{33}); err != errPage {
		t.Errorf("a width of 33 bits: %v", err)
	}
}
