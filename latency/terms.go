package latency

import "slices"

// The parts of a prediction that are counted, in the order of Terms: each is named
// like the constant that it is multiplied by.
const (
	TermBase = iota
	TermRound
	TermBank
	TermWrite
	TermPark
	TermMerge
	TermMergeSaved
	TermSplit
	TermAhead
	TermAheadAgain
	TermAheadLast
	TermStep
	TermPartial
	TermHidden // counted in cycles, at most Constants.Hidden
	TermHalf
	TermPaired
	numTerms
)

// Counts are how much of each term a pattern has, by its number.
type Counts [numTerms]float64

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

// Total sums the cycles of the terms.
func (c *Constants) Total(counts *Counts) float64 {
	sum := float64(counts[TermBase]*c.Base) + float64(counts[TermRound]*c.Round) + float64(counts[TermBank]*c.Bank) +
		float64(counts[TermWrite]*c.Write)
	sum += float64(counts[TermPark]*c.Park) + float64(counts[TermMerge]*c.Merge) + float64(counts[TermMergeSaved]*c.MergeSaved)
	sum += float64(counts[TermSplit]*c.Split) + float64(counts[TermAhead]*c.Ahead) + float64(counts[TermAheadAgain]*c.AheadAgain)
	sum += float64(counts[TermAheadLast]*c.AheadLast) + float64(counts[TermStep]*c.Step)
	return sum + float64(counts[TermPartial]*c.Partial) + counts[TermHidden] + float64(counts[TermHalf]*c.Half) +
		float64(counts[TermPaired]*c.Paired)
}

// Terms names the parts of a prediction in the order of Model.Counts.
func Terms() []string { return slices.Clone(termNames[:]) }

// Constant returns the cycles of one of a term, by its number in Terms. Hidden
// is counted in cycles: one of it takes one.
func (c *Constants) Constant(number int) float64 {
	if number == TermHidden {
		return 1
	}
	return *c.each()[number]
}

// SetConstant sets the cycles of one of a term, by its number in Terms.
func (c *Constants) SetConstant(number int, cycles float64) { *c.each()[number] = cycles }

// Means are what an operation takes over patterns.
type Means struct {
	Cycles float64
	// Turns is the number of turns of the loop, which is the largest number of
	// lanes that share a lock: the lock conflict degree. 1 without a loop.
	Turns float64
	// ReadPasses and WritePasses are the passes that reads and writes take beyond
	// those of an access without conflict, summed over the turns; a native unit's
	// count as reads.
	ReadPasses, WritePasses float64
}

// Means reads off mean counts what they say. A native unit counts its further lanes as
// rounds.
func (p Params) Means(counts *Counts) Means {
	m := Means{Cycles: p.Total(counts), Turns: 1}
	m.ReadPasses, m.WritePasses = counts[TermBank], counts[TermWrite]
	if further := counts[TermRound]; p.Loops() {
		m.Turns += further
	} else {
		m.ReadPasses += further
	}
	return m
}
