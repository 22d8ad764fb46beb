package egielski14

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// matrix says how a sparse matrix is drawn. Rows, columns and elements are those of [bell08]
// Table 4, under the names of the files, and of the first four grids of its Table 3, which are
// taken for the four of 18 that [egielski14] neither names nor shows.
type matrix struct {
	name                    string
	rows, columns, elements int
	structure
	// represents marks those of Figure 8, motivates those of Figures 2 and 5, of
	// which the paper names six.
	represents, motivates bool
}

// structure is what [mpakos23] measured of the files; of the grids and the dense matrix it follows
// from their stencils. Where within the width of a row its elements stand is not published: drawn
// are runs of neighbouring columns, one at either end and the others anywhere between, some of them
// a column on from where they stood in the row before.
type structure struct {
	deviation  float64 // standard deviation of the lengths of rows
	width      float64 // mean distance of a row's last column from its first
	neighbours float64 // mean number of an element's neighbours in its row, 2 at most
	// similarity is the mean share of a row's elements that have one in the next row whose column
	// differs by 1 at most.
	similarity float64
}

var matrices = []matrix{
	{"dense2", 2000, 2000, 4_000_000, structure{0, 1999, 1.999, 1}, true, true},
	{"pdb1HYS", 36_417, 36_417, 4_344_765, structure{31.86, 4732, 1.838, 0.9317}, true, false},
	{"consph", 83_334, 83_334, 6_010_480, structure{19.08, 5818, 1.713, 0.8826}, true, true},
	{"cant", 62_451, 62_451, 4_007_383, structure{14.06, 537.3, 1.616, 0.9147}, true, false},
	{"pwtk", 217_918, 217_918, 11_634_424, structure{4.744, 12_927, 1.878, 0.9498}, false, false},
	{"rma10", 46_835, 46_835, 2_374_001, structure{27.78, 8794, 1.720, 0.8664}, false, false},
	{"qcd5_4", 49_152, 49_152, 1_916_928, structure{0, 12_027, 1.442, 0.8109}, true, false},
	{"shipsec1", 140_874, 140_874, 7_813_404, structure{11.07, 6463, 1.712, 0.8734}, false, false},
	{"mac_econ", 206_500, 206_500, 1_273_389, structure{4.436, 394.0, 0.1767, 0.3305}, true, true},
	{"mc2depi", 525_825, 525_825, 2_100_225, structure{0.07632, 705.7, 0.4983, 0.9989}, true, true},
	{"cop20k_A", 121_192, 121_192, 2_624_331, structure{13.79, 75_509, 1.096, 0.6334}, true, true},
	{"scircuit", 170_998, 170_998, 958_936, structure{4.392, 50_830, 0.8034, 0.6330}, true, true},
	{"webbase", 1_000_005, 1_000_005, 3_105_536, structure{25.35, 152_464, 0.3157, 0.9361}, true, true},
	{"rail4284", 4284, 1_092_610, 11_279_748, structure{4209, 1_048_128, 1.576, 0.2692}, false, false},
	{"laplace 3pt", 1_000_000, 1_000_000, 2_999_998, structure{0, 2, 4.0 / 3, 1}, false, false},
	{"laplace 5pt", 1_000_000, 1_000_000, 4_996_000, structure{0, 2000, 4.0 / 5, 1}, false, false},
	{"laplace 7pt", 1_000_000, 1_000_000, 6_940_000, structure{0, 20_000, 4.0 / 7, 1}, false, false},
	{"laplace 9pt", 1_000_000, 1_000_000, 8_988_004, structure{0, 2002, 4.0 / 3, 1}, false, false},
}

// sparse are the inputs of the matrix product. A smaller scale has fewer rows of the same length.
func sparse(o papers.Options) []input {
	var all []input
	for i, m := range matrices {
		all = append(all, input{name: m.name, drawnAs: fmt.Sprintf(" %v", m.structure),
			represents: m.represents, motivates: m.motivates,
			draw: func() (apps.AppInput, error) {
				return m.scaled(o).draw(synth.NewRand(o.Seed + uint64(i))), nil
			}})
	}
	return all
}

// scaled has so many times the rows and elements, and columns enough for its rows.
func (m matrix) scaled(o papers.Options) matrix {
	longest := (m.elements + m.rows - 1) / m.rows
	m.rows, m.elements = o.Scaled(m.rows), o.Scaled(m.elements)
	m.columns = max(o.Scaled(m.columns), longest)
	return m
}

// draw makes a matrix, sorted by row and column.
func (m matrix) draw(r *synth.Rand) apps.AppInput {
	in := apps.AppInput{Keys: make([]uint32, 0, m.elements), Others: make([]uint32, 0, m.elements),
		Bins: uint64(m.rows), Width: uint64(m.columns)}
	lengths := m.lengths(r)
	places := m.places(r, lengths)
	for row, length := range lengths {
		runs := places.draw(r, row)
		next := uint64(0) // the first column that is free
		for i := range length {
			run := i * len(runs) / length
			begin := (run*length + len(runs) - 1) / len(runs)
			column := max(next, runs[run]+uint64(i-begin))
			in.Keys, in.Others = append(in.Keys, uint32(row)), append(in.Others, uint32(column%in.Width))
			next = column + 1
		}
	}
	return in
}

// places draws where the runs of a row begin.
type places struct {
	numbers []int    // of runs, by row
	runs    []uint64 // their first columns in the last row
	span    uint64   // from the first to the last of those of a row with several
	free    float64  // columns by which the first of the last row is later than that of the first
	stay    float64  // probability that one between the ends goes on, which those do
}

func (m matrix) places(r *synth.Rand, lengths []int) *places {
	p := places{numbers: make([]int, m.rows), stay: 1}
	mean, several := 2/(2-m.neighbours), 0 // length of a run, and rows with several
	for row, length := range lengths {
		p.numbers[row] = min(length, max(1, int(float64(length)/mean+r.Float64())))
		if p.numbers[row] > 1 {
			several++
		}
	}
	rows, columns := float64(m.rows), float64(m.columns)
	span := math.Round(max(0, min(m.width*rows/float64(max(1, several)), columns)-mean))
	p.span, p.free = uint64(span), max(0, columns-span-float64(slices.Max(lengths)))
	if number := float64(m.elements) / rows / mean; number > 2 {
		p.stay = max(0, (m.similarity*number-2)/(number-2))
	}
	return &p
}

// draw draws the runs of the row after the last.
func (p *places) draw(r *synth.Rand, row int) []uint64 {
	first, n := uint64(p.free*float64(row)/float64(len(p.numbers))), p.numbers[row]
	last, before := first+p.span, len(p.runs)
	p.runs = append(p.runs, make([]uint64, max(0, n-before))...)[:n]
	for i, was := range p.runs {
		switch {
		case i == 0:
			p.runs[i] = first
		case i == n-1:
			p.runs[i] = last
		case i < before-1 && was < last && r.Float64() < p.stay:
			p.runs[i]++
		default:
			p.runs[i] = first + r.Below(p.span+1)
		}
	}
	slices.Sort(p.runs)
	return p.runs
}

// lengths draws the lengths of all rows: parts of the elements by weights, rounded so that their
// sum is exact.
func (m matrix) lengths(r *synth.Rand) []int {
	ends, sum := make([]float64, m.rows), 0.0
	for row := range ends {
		sum += m.weight(r)
		ends[row] = sum
	}
	lengths, begin := make([]int, m.rows), 0
	for row, end := range ends {
		next := int(math.Round(end / sum * float64(m.elements)))
		lengths[row], begin = next-begin, next
	}
	return lengths
}

// weight draws the length of a row: one element and log-normally many more.
func (m matrix) weight(r *synth.Rand) float64 {
	more := float64(m.elements)/float64(m.rows) - 1
	spread := math.Log1p(m.deviation / more * m.deviation / more)
	normal := -6.0 // twelve uniform numbers have the variance 1
	for range 12 {
		normal += r.Float64()
	}
	return 1 + more*math.Exp(math.Sqrt(spread)*normal-spread/2)
}
