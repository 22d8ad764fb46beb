// Package all lists the papers.
//
// A figure of a paper is the Page of an experiment in lab/papers/PAPER, with its words in figures.csv
// here. "script/regenerate papers" draws doc/results/figures from stored times alone. The times of
// [egielski14] at the size of the paper's inputs are made by "script/regenerate paper-times", which
// takes long; the command then names each status in statements.csv that is wrong.
package all

import (
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/egielski14"
	"github.com/atomtune/atomtune/lab/papers/elteir11"
	"github.com/atomtune/atomtune/lab/papers/gomezluna13"
	"github.com/atomtune/atomtune/lab/papers/streamhpc"
	"github.com/atomtune/atomtune/lab/papers/westphal15"
)

// Papers lists the papers, the first one first.
func Papers() []papers.Paper {
	return []papers.Paper{gomezluna13.Paper(), elteir11.Paper(), streamhpc.Paper(), westphal15.Paper(),
		egielski14.Paper()}
}
