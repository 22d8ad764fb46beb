package hwsim

// resident returns the buffer as a view of no size, at the same address: what is
// asked of it is in L2, whatever its footprint.
func (b *buffer) resident() *buffer {
	view := &buffer{name: b.name, base: b.base}
	if b.longs != nil {
		view.longs = b.longs[:0]
	}
	return view
}
