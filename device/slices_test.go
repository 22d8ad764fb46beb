package device

import (
	"testing"
)

// TestSlice: the low digits of a slice are parities of the chunk's number under masks, the high
// one is the number plus further parities, of which each counts twice the one before, modulo.
func TestSlice(t *testing.T) {
	h := &SliceHash{Modulus: 5, Low: []uint64{0b001, 0b110}, Fold: []uint64{0b010, 0b100, 0b011}}
	if h.Slices() != 20 {
		t.Errorf("%d slices", h.Slices())
	}
	for chunk, want := range []uint64{
		0, // 0 % 5 = 0, digits 00
		(1+4)%5<<2 | 0b01,
		(2+1+4)%5<<2 | 0b10,
		(3+1)%5<<2 | 0b11,
		(4+2)%5<<2 | 0b10,
		(5+2+4)%5<<2 | 0b11,
		(6 + 1 + 2 + 4) % 5 << 2, // digits 00
		(7+1+2)%5<<2 | 0b01,
	} {
		if got := h.Slice(uint64(chunk)); got != want {
			t.Errorf("chunk %d: slice %d, want %d", chunk, got, want)
		}
	}
}
