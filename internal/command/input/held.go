package input

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// MostHeld is how many bytes the indices of a stream take at most that is held in memory, unless
// --max-bytes says another number; so many may distinct keys take.
const MostHeld = 768 << 20

// copiedBytes is the length up to which indices of an unknown number are copied to more room. Then the
// rest of MostHeld is reserved at once, of which what is not written takes no memory; two copies would.
const copiedBytes = 16 << 20

// held are the indices of a stream in memory, up to a number of bytes.
type held struct {
	most    ByteSize
	bins    uint64 // that the input says
	indices []uint32
}

// begin makes room for a stream whose length is known, or says that it is too long.
func (h *held) begin(r *source) error {
	h.bins = r.bins
	a := r.anywhere
	if a == nil {
		return nil
	}
	if 4*uint64(a.Len()) > h.most.limit() {
		return fmt.Errorf("%s: %w", r.name, h.full())
	}
	h.indices = make([]uint32, 0, a.Len())
	return nil
}

func (h *held) add(chunk []uint32) error {
	bytes := 4 * uint64(len(h.indices)+len(chunk))
	if bytes > h.most.limit() {
		return h.full()
	}
	if reserve := min(h.most.limit(), MostHeld); bytes > copiedBytes && bytes <= reserve &&
		4*uint64(cap(h.indices)) < reserve {
		h.indices = append(make([]uint32, 0, reserve/4), h.indices...)
	}
	h.indices = append(h.indices, chunk...)
	return nil
}

func (h *held) end() error { return nil }

// done returns the indices, without more room than they need.
func (h *held) done() []uint32 {
	if len(h.indices) < cap(h.indices)/4 {
		return slices.Clone(h.indices) // the garbage collector waits for less garbage
	}
	return h.indices
}

func (h *held) full() error {
	return fmt.Errorf("%w: it is held in memory, and its updates take more than %d bytes; --%s uses only the "+
		"first ones", wholefile.ErrLarge, h.most, maxUpdates)
}
