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

// reach makes sure that there is a page for every target up to highest.
func (t *tally) reach(highest uint32, r *radix) {
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
		t.reach(old[i].base, r)
		t.pages[old[i].base>>bits].absorb(&old[i], r)
		old[i] = page{}
	}
}

// absorb adds the counts of u, whose pages it may sort.
func (t *tally) absorb(u *tally, r *radix) {
	for i := range u.pages {
		q := &u.pages[i]
		if q.bits > t.bits {
			t.regroup(q.bits, r)
		}
		t.reach(q.base, r)
		t.pages[q.base>>t.bits].absorb(q, r)
	}
}
