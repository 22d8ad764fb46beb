package speedup

import "math"

// cover is the share of the updates on the n most frequent targets: collision.Stats.Cover, linear
// in log2 n between its numbers, and in n from the last one to all targets that occur.
func (st *stream) cover(n float64) float64 {
	last := len(st.Cover) - 1
	switch most := math.Ldexp(1, last); {
	case n >= st.unique:
		return 1
	case n >= most:
		return st.Cover[last] + (1-st.Cover[last])*(n-most)/(st.unique-most)
	}
	at := math.Log2(max(1, n))
	below := min(int(at), last-1)
	return st.Cover[below] + (st.Cover[below+1]-st.Cover[below])*(at-float64(below))
}
