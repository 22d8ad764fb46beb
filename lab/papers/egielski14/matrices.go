package egielski14

import (
	"math"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/hwsim/apps"
)

// matrix says how the rows of a sparse matrix are drawn. Where it has the name
// of a matrix of [williams07], it has as many elements per row; how they vary is
// an estimate, and it is smaller. So warps meet in long rows more often than in
// the real matrices.
type matrix struct {
	name string
	mean float64 // elements per row
	vary rowSpread
	band int // widest distance of a column from the diagonal; 0 for any column
	// represents marks those of Figure 8, motivates those of Figures 2 and 5, of
	// which the paper names six.
	represents, motivates bool
}

// rowSpread is how row lengths vary about their mean.
type rowSpread int

const (
	evenRows     rowSpread = iota
	jitteredRows           // uniform from half of the mean to one and a half
	powerLawRows           // Pareto with exponent 2, cut at a tenth of the elements
)

var matrices = []matrix{
	{"dense2", 2000, evenRows, 0, true, true},
	{"pdb1HYS", 119, jitteredRows, 600, true, false},
	{"consph", 72, jitteredRows, 600, true, true},
	{"cant", 64, jitteredRows, 300, true, false},
	{"shipsec1", 55, jitteredRows, 600, false, false},
	{"pwtk", 53, jitteredRows, 300, false, false},
	{"rma10", 50, jitteredRows, 600, false, false},
	{"qcd5_4", 39, evenRows, 600, true, false},
	{"cop20k_A", 22, jitteredRows, 0, true, true},
	{"mac_econ", 6.2, jitteredRows, 0, true, true},
	{"scircuit", 5.6, powerLawRows, 0, true, true},
	{"mc2depi", 4, evenRows, 1024, true, true},
	{"webbase", 3.1, powerLawRows, 0, true, true},
	{"rail4284", 2633, jitteredRows, 0, false, false},
	{"diagonal", 1, evenRows, 1, false, false},
	{"tridiagonal", 3, evenRows, 1, false, false},
	{"rows of 12", 12, evenRows, 0, false, false},
	{"rows of 256", 256, evenRows, 0, false, false},
}

// sparse are the inputs of the matrix product.
func sparse(seed uint64, scale int) ([]input, error) {
	var all []input
	for i, m := range matrices {
		in := m.draw(synth.NewRand(seed+uint64(i)), elements*scale)
		x, err := newInput(m.name, in, in.Keys)
		if err != nil {
			return nil, err
		}
		x.represents, x.motivates = m.represents, m.motivates
		all = append(all, x)
	}
	return all, nil
}

// draw makes a matrix of n elements, sorted by row, with as many columns as
// rows, but at least as many as elements in the mean row.
func (m matrix) draw(r *synth.Rand, n int) apps.AppInput {
	in := apps.AppInput{Keys: make([]uint32, 0, n)}
	for row := uint32(0); len(in.Keys) < n; row++ {
		for range min(m.length(r, n), n-len(in.Keys)) {
			in.Keys = append(in.Keys, row)
		}
		in.Bins = uint64(row) + 1
	}
	in.Width = max(in.Bins, uint64(math.Ceil(m.mean)))
	in.Others = make([]uint32, n)
	begin := 0
	for i, row := range in.Keys {
		if row != in.Keys[begin] {
			begin = i
		}
		in.Others[i] = m.column(r, in.Width, uint64(row), uint64(i-begin))
	}
	return in
}

// length draws the number of a row's elements, at least 1.
func (m matrix) length(r *synth.Rand, n int) int {
	switch m.vary {
	case jitteredRows:
		return max(1, int(math.Round(m.mean*(0.5+r.Float64()))))
	case powerLawRows:
		// P(X > x) = (least/x)^2 has the mean 2·least.
		return max(1, min(n/10, int(math.Round(m.mean/2/math.Sqrt(1-r.Float64())))))
	}
	return int(m.mean)
}

// column draws the column of a row's element: the elements of a band stand side
// by side about the diagonal where they fit, others anywhere.
func (m matrix) column(r *synth.Rand, width, row, place uint64) uint32 {
	if m.mean >= float64(width) {
		return uint32(place % width)
	}
	if m.band == 0 {
		return uint32(r.Below(width))
	}
	// Blocks of neighbouring columns, as the unknowns of one node give.
	const together = 3
	offset := uint64(m.band) * (place / together) / uint64(math.Ceil(m.mean/together))
	return uint32((row + offset + place%together) % width)
}
