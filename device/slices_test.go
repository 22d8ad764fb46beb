package device

import (
	"strings"
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

// TestSliceHashErrors: each part of a hash has its bounds, and a fault names it.
func TestSliceHashErrors(t *testing.T) {
	good := SliceHash{Modulus: 5, Low: []uint64{1, 6}, Fold: []uint64{2, 4}, Page: 2 << 20, SmallBase: 512,
		Source: "here", Rationale: "so"}
	if err := good.validate(20); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(h *SliceHash){
		"modulus 0":              func(h *SliceHash) { h.Modulus = 0 },
		"modulus 4097":           func(h *SliceHash) { h.Modulus = 4097 },
		"13 low":                 func(h *SliceHash) { h.Low = make([]uint64, 13) },
		"13 fold":                func(h *SliceHash) { h.Fold = make([]uint64, 13) },
		"has 24 slices":          func(h *SliceHash) { h.Modulus = 6 },
		"mask without bits":      func(h *SliceHash) { h.Low = []uint64{1, 0} },
		"a mask without":         func(h *SliceHash) { h.Fold = []uint64{0, 4} },
		"small_base 512":         func(h *SliceHash) { h.Page = 512 },
		"in pages of 0":          func(h *SliceHash) { h.Page = 0 },
		"in pages of 1073742080": func(h *SliceHash) { h.Page = 1<<30 + 256 },
		"in pages of 2097153":    func(h *SliceHash) { h.Page++ },
		"small_base 511":         func(h *SliceHash) { h.SmallBase-- },
		"no source":              func(h *SliceHash) { h.Source = "" },
		"no rationale":           func(h *SliceHash) { h.Rationale = "" },
	} {
		h := good
		change(&h)
		if err := h.validate(20); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if err := (*SliceHash)(nil).validate(20); err != nil {
		t.Errorf("no hash: %v", err)
	}
}
