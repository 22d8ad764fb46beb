package scratchpad

import (
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate"
)

// Halves says how many distinct values an archive's recordings of an operation hold: of all
// patterns of a half, many take equally long. What the judging half tells beyond the fitted one
// are its values that are not among those.
type Halves struct {
	Operation string `json:"operation"`
	Fitted    Half   `json:"fitted"`
	Judging   Half   `json:"judging"`
	Unseen    int    `json:"unseen"` // distinct values of the judging half that the other lacks
}

// Half is one half of the recordings of an operation.
type Half struct {
	Recordings int `json:"recordings"`
	Distinct   int `json:"distinct"` // values of them
}

// RecordedHalves counts the values of each operation that is compared with recordings. Errors
// wrap ErrValidate.
func RecordedHalves(a *archive.Archive) (all []Halves, err error) {
	defer validate.Wrap(&err)
	m, err := a.Scratchpad()
	if err != nil {
		return nil, err
	}
	fitted, judging := m.Half(false), m.Half(true)
	for _, t := range targets {
		f, err := fitted.Column(t.column)
		if err != nil {
			return nil, err
		}
		j, err := judging.Column(t.column)
		if err != nil {
			return nil, err
		}
		before, here := distinct(f.Cycles), distinct(j.Cycles)
		h := Halves{Operation: t.column, Fitted: Half{len(f.Cycles), len(before)},
			Judging: Half{len(j.Cycles), len(here)}}
		for cycles := range here {
			if !before[cycles] {
				h.Unseen++
			}
		}
		all = append(all, h)
	}
	return all, nil
}

func distinct(values []float64) map[float64]bool {
	all := map[float64]bool{}
	for _, v := range values {
		all[v] = true
	}
	return all
}
