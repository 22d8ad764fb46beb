// Package all lists the papers.
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
