package model

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// JudgedRows says how far choices by the prices of rows were off on a GPU, on streams that fitted nothing:
// doc/results/ROWS.md.
type JudgedRows struct {
	GPU   string `json:"gpu"` // as the title of its profile
	Cases int    `json:"cases"`
	// Loss is the measured time of the implementation with the least price over that of the best implementation, as a
	// geometric mean.
	Loss float64 `json:"loss"`
}

//go:embed rows.json
var rowsText []byte

// RowsJudged returns the GPUs whose recorded calls judge the prices.
var RowsJudged = strictjson.Embedded[[]JudgedRows]("tuner/model/rows.json", &rowsText)

// unjudged says in a line that no calls judge the prices of rows on a device, nothing of others.
func unjudged(d *device.Profile) string {
	list := RowsJudged()
	if slices.ContainsFunc(list, func(j JudgedRows) bool { return j.GPU == d.Title }) {
		return ""
	}
	var names []string
	most := 0.0
	for _, j := range list {
		if most = max(most, j.Loss); !slices.Contains(names, j.GPU) {
			names = append(names, j.GPU)
		}
	}
	return fmt.Sprintf("prices of rows were compared with calls on %s only, where choices took at most %.2f "+
		"times as long as the best on average; their error on %s was not measured",
		strings.Join(names, " and "), most, d.Title)
}

// rowInterval holds the range of measured over predicted time that 95 of 100 calls of those that
// fitted lie in, by implementation. Of others it holds nine of ten: TestIntervals of lab/bench/rows.
var rowInterval = map[impl.Spec]Interval{
	{}: {Low: 0.56, High: 1.37}, {Reduction: impl.Runs}: {Low: 0.70, High: 1.28},
	{Algorithm: impl.Hot}: {Low: 0.73, High: 1.28}, {Algorithm: impl.Sort}: {Low: 0.81, High: 1.49},
}

// RowInterval is where nine of ten measured times of an implementation that adds rows lie, over its price.
func RowInterval(v impl.Spec) Interval { return rowInterval[v.Kind()] }
