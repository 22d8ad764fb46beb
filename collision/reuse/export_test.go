package reuse

// WholeMisses are the misses of a curve that follows all rows.
func WholeMisses(indices []uint32, updates uint64) BySize {
	whole := newCurve(updates, 0)
	for _, row := range indices {
		whole.take(row)
	}
	return whole.misses()
}
