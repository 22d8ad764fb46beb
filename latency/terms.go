package latency

// term is a part of a prediction that is counted.
type term int

const (
	termBase term = iota
	termRound
	termBank
	termWrite
	termPark
	termMerge
	termMergeSaved
	termSplit
	termAhead
	termAheadAgain
	termAheadLast
	termStep
	termPartial
	termHidden // counted in cycles, at most Constants.Hidden
	termHalf
	termPaired
	numTerms
)

var termNames = [numTerms]string{
	"base", "round", "bank", "write", "park", "merge", "merge_saved", "split",
	"ahead", "ahead_again", "ahead_last", "step", "partial", "hidden", "half", "paired",
}

// each points to the cycles of each term.
func (c *Constants) each() [numTerms]*float64 {
	return [numTerms]*float64{
		&c.Base, &c.Round, &c.Bank, &c.Write, &c.Park, &c.Merge, &c.MergeSaved, &c.Split,
		&c.Ahead, &c.AheadAgain, &c.AheadLast, &c.Step, &c.Partial, &c.Hidden, &c.Half, &c.Paired,
	}
}

// cycles sums the terms.
func (c *Constants) cycles(counts *[numTerms]float64) float64 {
	sum := counts[termBase]*c.Base + counts[termRound]*c.Round + counts[termBank]*c.Bank +
		counts[termWrite]*c.Write
	sum += counts[termPark]*c.Park + counts[termMerge]*c.Merge + counts[termMergeSaved]*c.MergeSaved
	sum += counts[termSplit]*c.Split + counts[termAhead]*c.Ahead + counts[termAheadAgain]*c.AheadAgain
	sum += counts[termAheadLast]*c.AheadLast + counts[termStep]*c.Step
	return sum + counts[termPartial]*c.Partial + counts[termHidden] + counts[termHalf]*c.Half +
		counts[termPaired]*c.Paired
}

// Terms names the parts of a prediction in the order of Model.Counts.
func Terms() []string { return append([]string(nil), termNames[:]...) }

// Constant returns the cycles of one of a term, by its number in Terms. Hidden
// is counted in cycles: one of it takes one.
func (c *Constants) Constant(number int) float64 {
	if term(number) == termHidden {
		return 1
	}
	return *c.each()[number]
}

// SetConstant sets the cycles of one of a term, by its number in Terms.
func (c *Constants) SetConstant(number int, cycles float64) { *c.each()[number] = cycles }
