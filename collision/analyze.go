package collision

// Analyze returns the collision statistics of an index stream, which it only
// reads. Errors wrap ErrOptions, ErrEmpty or ErrIndex.
func Analyze(indices []uint32, opt Options) (Stats, error) {
	a, err := NewAccumulator(opt)
	if err != nil {
		return Stats{}, err
	}
	if err := a.Add(indices); err != nil {
		return Stats{}, err
	}
	return a.Stats()
}
