package egielski14

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/lab/papers"
)

//go:embed published.csv
var publishedTable string

// numbers are those that [egielski14] gives.
var numbers = papers.NewPublished("egielski14", publishedTable)

// Images and Matrices are how many inputs the histograms and the sparse product have,
// section 4.
var (
	Images   = int(numbers.Number("images"))
	Matrices = int(numbers.Number("matrices"))
)

// Figures 2, 5 and 10.
var (
	statedSlower   = int(numbers.Number("figure 2 Kepler slower"))
	statedMatrices = int(numbers.Number("figure 5 matrices"))
	statedGain     = numbers.Number("figure 5 Kepler improvement") // in percent
	statedBetter   = int(numbers.Number("figure 5 Fermi better"))
	statedWorse    = int(numbers.Number("figure 5 Fermi worse"))
	statedLeast    = numbers.Number("figure 10 smallest")
	statedModest   = numbers.Number("figure 10 smallest maximum")
	statedMost     = numbers.Number("figure 10 largest maximum")
	statedHeavy    = numbers.Number("figure 10 heavy collisions")
)

// published is a line of Tables 1 to 3: speedups, and the percentage by which the chosen form
// is slower than the fastest one.
type published struct{ least, most, mean, off float64 }

func tableLine(table int, line string) published {
	cell := func(column string) float64 {
		return numbers.Number(fmt.Sprintf("table %d %s %s", table, line, column))
	}
	return published{cell("minimum"), cell("maximum"), cell("average"), cell("off optimal")}
}

// histogramTables are Tables 1 and 2, in the order of histogramLevels.
var histogramTables = map[string][]published{kepler: histogramLines(1), fermi: histogramLines(2)}

func histogramLines(table int) []published {
	return papers.List(len(histogramLevels), func(i int) published {
		return tableLine(table, histogramLevels[i].name)
	})
}

// productTable is Table 3. Its heads say minimum, maximum, mean, but its values only fit
// minimum, mean, maximum.
var productTable = map[string]published{
	kepler: tableLine(3, generationOf[kepler]), fermi: tableLine(3, generationOf[fermi]),
}

// ofStated is a number of inputs as the paper states it.
func ofStated(some, of int) papers.Value { return papers.Text(fmt.Sprintf("%d of %d", some, of)) }

// What the paper's words are taken for, by the numbers that it gives beside them.
var (
	// significant is the average of Table 3 on Kepler, over the chosen forms of which the text
	// with Figure 5 says that they improve performance significantly.
	significant = productTable[kepler].mean
	// nonTrivial is the smallest average that the text with Figure 10 calls non-trivial, of
	// Table 3 on Fermi.
	nonTrivial = productTable[fermi].mean
	// muchLarger is by how much the smallest ratio of maximum to minimum of Tables 1 and 2
	// exceeds the largest of Table 3, up to the factor of an extreme: a disparity that the text
	// with Figure 10 calls very significant.
	muchLarger = smallestDisparity() / largestDisparity() / papers.Extreme.Factor()
)

// hardlySlower is a slowdown that counts as "slightly", and with its inverse as "around 1": an
// assumption.
const hardlySlower = 0.9

func (p published) disparity() float64 { return p.most / p.least }

func smallestDisparity() float64 {
	least := math.Inf(1)
	for _, table := range histogramTables {
		for _, line := range table {
			least = min(least, line.disparity())
		}
	}
	return least
}

func largestDisparity() float64 {
	return max(productTable[kepler].disparity(), productTable[fermi].disparity())
}
