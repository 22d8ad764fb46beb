package reproduce

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/plot"
)

const gomezluna13 = "gomezluna13"

// Experiment is one figure or section of a paper.
type Experiment struct {
	Name  string // such as figure5 or section2.2
	Title string
	run   func(context.Context, Options) (Outcome, error)
}

// Outcome is what an experiment finds.
type Outcome struct {
	Rows   []Row
	Tables []Table
	Page   plot.Page // without panels where there is nothing to draw
}

// Table holds the numbers behind rows and figure.
type Table struct {
	Name    string // of a file, without its ending
	Title   string
	Columns []string // each with its unit, if it has one
	Cells   [][]string
}

// Run makes the experiment. The same options give the same outcome, whatever
// their Cores. Errors wrap ErrOptions, or are those of ctx.
func (e Experiment) Run(ctx context.Context, o Options) (Outcome, error) {
	o, err := o.complete()
	if err != nil {
		return Outcome{}, err
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	out, err := e.run(ctx, o)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	o.Progress(1, 1)
	for i := range out.Rows {
		out.Rows[i].Item = e.Name + ": " + out.Rows[i].Item
	}
	return out, nil
}

// Gomezluna13 lists the experiments of [gomezluna13] in the order of the paper.
func Gomezluna13() []Experiment {
	return []Experiment{
		{"figure2", "Latency of an atomic addition with position conflicts", figure2},
		{"section2.1.1", "Throughput with position conflicts", throughput},
		{"section2.1.2", "Penalties of bank conflicts and worked examples", penalties},
		{"section2.1.3", "The locks behind the penalties", locks},
		{"figure3", "Latency of an atomic addition with bank conflicts", figure3},
		{"section2.1.4", "The model on 5,184 patterns", reliability},
		{"section2.2", "Throughput with conflicts between warps", interwarp},
		{"figure5", "Lock and bank conflicts of random patterns", figure5},
		{"figure6", "Lock and bank conflicts with the most copies", figure6},
		{"figure7", "Replication, mapping, padding and sorting", figure7},
		{"figure8", "Centroid update of k-means", figure8},
		{"figure9", "Histograms of natural images", figure9},
	}
}
