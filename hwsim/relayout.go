package hwsim

// restore is the inverse of permute.
func restore(in []uint64, order []uint32) []uint64 {
	out := make([]uint64, len(in))
	for place, update := range order {
		out[update] = in[place]
	}
	return out
}

// permute returns the elements of in in the order that package relayout gives;
// nil stays nil.
func permute[T any](in []T, order []uint32) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i, from := range order {
		out[i] = in[from]
	}
	return out
}
