package gomezluna13

import (
	_ "embed"

	"github.com/atomtune/atomtune/lab/papers"
)

//go:embed published.csv
var publishedTable string

// published are the numbers of [gomezluna13].
var published = papers.NewPublished("gomezluna13", publishedTable)

// What an atomic addition of a warp takes in cycles, Table 1 and section 2.1. The paper counts
// two t_bank for a short-latency conflict, and measures a little more.
var (
	statedBase          = published.Number("t_base")
	statedPosition      = published.Number("t_position")
	statedBank          = published.Number("t_bank")
	statedShort         = 2 * statedBank
	statedShortMeasured = published.Number("t_bank-short")
	statedLong          = published.Number("t_bank-long")
	statedExtra         = published.Number("t_extra")
	statedLocks         = published.Number("locks")
)

// Throughput and reliability, sections 2.1.1 and 2.1.4; loss and error in percent.
var (
	statedLoss     = published.Number("throughput lost per doubling")
	statedPatterns = published.Number("patterns of the reliability test")
	statedError    = published.Number("median error")
)

// Replication, sections 3 and 4.
var (
	statedSpace        = published.Number("space of the copies")
	statedBlockCopies  = published.Number("block mapping without position conflicts")
	statedKmeansCopies = published.Number("k-means most copies")
	statedKmeansSpace  = published.Number("k-means space of the copies")
	statedBlockVotes   = published.Number("histogram copies of block mapping")
)

// The launch of sections 4.1.1 and 4.2.1.
var (
	voteBlocks  = int(published.Number("k-means blocks"))
	voteThreads = int(published.Number("k-means threads"))
)
