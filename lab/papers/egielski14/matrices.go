package egielski14

import (
	"math"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// matrix says how a sparse matrix is drawn. Rows, columns and elements are those of [bell08]
// Table 4, under the names of the files, and of the first four grids of its Table 3, which are
// taken for the four of 18 that [egielski14] neither names nor shows. How row lengths vary, and
// where columns lie, is an estimate.
type matrix struct {
	name                    string
	rows, columns, elements int
	vary                    rowSpread
	band                    int // widest distance of a column from the diagonal; 0 for any column
	// represents marks those of Figure 8, motivates those of Figures 2 and 5, of
	// which the paper names six.
	represents, motivates bool
}

// rowSpread is how row lengths vary about their mean.
type rowSpread int

const (
	evenRows     rowSpread = iota
	jitteredRows           // uniform from half of the mean to one and a half
	powerLawRows           // Pareto with exponent 2
)

var matrices = []matrix{
	{"dense2", 2000, 2000, 4_000_000, evenRows, 0, true, true},
	{"pdb1HYS", 36_417, 36_417, 4_344_765, jitteredRows, 600, true, false},
	{"consph", 83_334, 83_334, 6_010_480, jitteredRows, 600, true, true},
	{"cant", 62_451, 62_451, 4_007_383, jitteredRows, 300, true, false},
	{"pwtk", 217_918, 217_918, 11_634_424, jitteredRows, 300, false, false},
	{"rma10", 46_835, 46_835, 2_374_001, jitteredRows, 600, false, false},
	{"qcd5_4", 49_152, 49_152, 1_916_928, evenRows, 600, true, false},
	{"shipsec1", 140_874, 140_874, 7_813_404, jitteredRows, 600, false, false},
	{"mac_econ", 206_500, 206_500, 1_273_389, jitteredRows, 0, true, true},
	{"mc2depi", 525_825, 525_825, 2_100_225, evenRows, 1024, true, true},
	{"cop20k_A", 121_192, 121_192, 2_624_331, jitteredRows, 0, true, true},
	{"scircuit", 170_998, 170_998, 958_936, powerLawRows, 0, true, true},
	{"webbase", 1_000_005, 1_000_005, 3_105_536, powerLawRows, 0, true, true},
	{"rail4284", 4284, 1_092_610, 11_279_748, jitteredRows, 0, false, false},
	{"laplace 3pt", 1_000_000, 1_000_000, 2_999_998, evenRows, 1, false, false},
	{"laplace 5pt", 1_000_000, 1_000_000, 4_996_000, evenRows, 1000, false, false},
	{"laplace 7pt", 1_000_000, 1_000_000, 6_940_000, evenRows, 10_000, false, false},
	{"laplace 9pt", 1_000_000, 1_000_000, 8_988_004, evenRows, 1001, false, false},
}

// sparse are the inputs of the matrix product. A smaller scale has fewer rows of the same length.
func sparse(o papers.Options) []input {
	var all []input
	for i, m := range matrices {
		all = append(all, input{name: m.name, represents: m.represents, motivates: m.motivates,
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

// draw makes a matrix, sorted by row.
func (m matrix) draw(r *synth.Rand) apps.AppInput {
	in := apps.AppInput{Keys: make([]uint32, 0, m.elements), Others: make([]uint32, m.elements),
		Bins: uint64(m.rows), Width: uint64(m.columns)}
	for row, length := range m.lengths(r) {
		for range length {
			in.Keys = append(in.Keys, uint32(row))
		}
	}
	begin := 0
	for i, row := range in.Keys {
		if row != in.Keys[begin] {
			begin = i
		}
		in.Others[i] = m.column(r, uint64(row), uint64(i-begin))
	}
	return in
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

// weight draws the length of a row over the mean.
func (m matrix) weight(r *synth.Rand) float64 {
	switch m.vary {
	case jitteredRows:
		return 0.5 + r.Float64()
	case powerLawRows:
		// P(X > x) = (least/x)^2 has the mean 2·least.
		return 0.5 / math.Sqrt(1-r.Float64())
	}
	return 1
}

// column draws the column of a row's element: the elements of a band stand side
// by side about the diagonal where they fit, others anywhere.
func (m matrix) column(r *synth.Rand, row, place uint64) uint32 {
	width, mean := uint64(m.columns), float64(m.elements)/float64(m.rows)
	if mean >= float64(width) {
		return uint32(place % width)
	}
	if m.band == 0 {
		return uint32(r.Below(width))
	}
	// Blocks of neighbouring columns, as the unknowns of one node give.
	const together = 3
	offset := uint64(m.band) * (place / together) / uint64(math.Ceil(mean/together))
	return uint32((row + offset + place%together) % width)
}
