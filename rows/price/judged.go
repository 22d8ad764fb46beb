package price

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// Judged says how far the choices by these prices were off on a GPU, on streams that fitted nothing:
// doc/results/ROWS.md.
type Judged struct {
	GPU   string `json:"gpu"` // as the title of its profile
	Cases int    `json:"cases"`
	// Loss is the measured time of the form with the least price over that of the best form, as a
	// geometric mean.
	Loss float64 `json:"loss"`
}

//go:embed judged.json
var judgedText []byte

// JudgedOn returns the GPUs whose recorded calls judge the prices.
var JudgedOn = strictjson.Embedded[[]Judged]("rows/price/judged.json", &judgedText)

// Notes says in a line that no calls judge the prices on a device, nothing of others.
func Notes(d *device.Profile) []string {
	list := JudgedOn()
	if slices.ContainsFunc(list, func(j Judged) bool { return j.GPU == d.Title }) {
		return nil
	}
	var names []string
	most := 0.0
	for _, j := range list {
		if most = max(most, j.Loss); !slices.Contains(names, j.GPU) {
			names = append(names, j.GPU)
		}
	}
	return []string{fmt.Sprintf("prices of rows were held against calls on %s alone, where choices took "+
		"at most %.2f times as long as the best in the mean: how far they are off on %s, nobody measured",
		strings.Join(names, " and "), most, d.Title)}
}
