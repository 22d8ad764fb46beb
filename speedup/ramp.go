package speedup

// Copies spread the lanes of a warp over the banks as at random unless the stream is a ramp, in
// which neighbouring updates have neighbouring targets, in rounds of K: the same lanes meet then in
// all warps.

// ramp is how far a stream is such a ramp, from 0 to 1: its lanes fill the banks evenly, they lie
// in no more sectors than they need, and no update repeats the one before. Streams that count down,
// and warps whose lanes are in another order, look the same in the statistics.
func (b *Bundle) ramp(st *stream) float64 {
	const clustered = 0.25 // share of repeats with which a stream is not a ramp
	const uneven = 1.25    // lanes more than an even spread has, with which it is none
	if st.ClusteredFraction > clustered || st.BankLanes > 0.5*b.lanes {
		return 0
	}
	const banks = 32 // for which collision.Stats counts lanes
	even := max(ceil(st.active/st.DistinctPerWarp), ceil(st.active*(1.0/banks)))
	needed := st.DistinctPerWarp * b.sectorsPerTarget
	fit := uneven - (st.BankLanes - even)
	dense := 2 - (st.sectors-1)/needed // 0 with twice the sectors
	return min(1, max(0, fit)) * min(1, max(0, dense)) * (1 - st.ClusteredFraction/clustered)
}

// aliasing is how many times fewer copies a target meets than there are: on a ramp its updates are
// K apart, so copies that neighbouring lanes take in turn are gcd(K, R) apart.
func (c *copies) aliasing(st *stream) float64 {
	if st.ramp == 0 || !c.cyclic {
		return 1
	}
	return 1 + st.ramp*(float64(gcd(int(c.number), int(uint64(st.bins)%uint64(c.number))))-1)
}

// onRamp corrects the conflicts of copies that a warp's lanes share, for lanes of which
// so many have one word.
func (c *copies) onRamp(st *stream, bank, degree, highest float64) (float64, float64) {
	on := c.ramp[c.stride(st)]
	return bank + st.ramp*(max(on, highest)-bank), degree + st.ramp*(max(1, on/highest)-degree)
}

// fullestOfRamps returns the number of lanes on the fullest bank where each next one of
// the lanes that are addsPerTurn together has the next target, of so many words, in the next
// of the copies, for copies that lie 0 to banks-1 targets apart.
func fullestOfRamps(lanes, copies, words, banks int) []float64 {
	table, count := make([]float64, banks), make([]int, banks)
	for apart := range table {
		clear(count)
		most := 0
		for l := range lanes {
			bank := (l + l%copies*apart) * words % banks
			count[bank]++
			most = max(most, count[bank])
		}
		table[apart] = float64(most)
	}
	return table
}
