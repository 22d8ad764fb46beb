package collision

const (
	maxPages    = digits
	minPageBits = 16
)

// tally counts the updates of each target, page by page.
type tally struct {
	bits  uint // logarithm of the number of targets of a page
	pages []page
}

func newTally() *tally { return &tally{bits: minPageBits} }

// grow makes sure that there is a page for every target up to highest.
func (t *tally) grow(highest uint32, r *radix) {
	bits := t.bits
	for highest>>bits >= maxPages {
		bits++
	}
	if bits != t.bits {
		t.regroup(bits, r)
	}
	for n := len(t.pages); n <= int(highest>>t.bits); n++ {
		t.pages = append(t.pages, page{base: uint32(n) << t.bits, bits: t.bits})
	}
}

// regroup gives pages more targets each.
func (t *tally) regroup(bits uint, r *radix) {
	old := t.pages
	t.pages, t.bits = nil, bits
	for i := range old {
		t.grow(old[i].base, r)
		t.pages[old[i].base>>bits].absorb(&old[i], r)
		old[i] = page{}
	}
}

// frequency returns the updates of key, which has a page. The logs must be
// sorted.
func (t *tally) frequency(key uint32) uint64 { return t.pages[key>>t.bits].frequency(key) }
