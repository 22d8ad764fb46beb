package elteir11

import (
	_ "embed"
	"fmt"

	"github.com/atomtune/atomtune/lab/papers"
)

//go:embed published.csv
var publishedTable string

// published are the numbers of [elteir11].
var published = papers.NewPublished("elteir11", publishedTable)

// Bandwidths of Figure 1 in GB/s, by way of the accesses, and how many times that of global
// memory local memory has, section II-A.
var (
	statedFast     = published.Number("copy through the FastPath")
	statedComplete = published.Number("copy through the CompletePath")
	statedLocal    = published.Number("bandwidth of local memory")
)

// Sections III to V.
var (
	statedFew       = published.Number("figure 4 at 8 workgroups")
	statedMany      = published.Number("figure 4 at 256 workgroups")
	statedRoom      = published.Number("workgroups of the device")
	statedCrossover = published.Number("figure 8 small numbers of workgroups")
	statedBelow     = published.Number("figure 8 below 32 workgroups")
	statedAlone     = published.Number("figure 8 at 128 workgroups")
)

// Speedups of the applications, section VI-C.
var (
	statedSmallProduct = published.Number("figure 10 at 8 by 8")
	statedLargeProduct = published.Number("figure 10 at 256 by 256")
	statedFewPoints    = published.Number("figure 11 at 512 points")
	statedManyPoints   = published.Number("figure 11 at 8192 points")
	statedScalarFew    = published.Number("figure 12 at 2 workgroups")
	statedScalarMany   = published.Number("figure 12 at 128 workgroups")
	statedScalarMean   = published.Number("figure 12 mean")
	statedMatch        = published.Number("figure 13 mean of queries 1 to 3")
)

// The accesses that the paper counts in the instructions of its kernels, section VI: with the
// device's own atomic operation by path, and with the coordinator, all through the FastPath.
var (
	copyComplete    = count("figure 9 system CompletePath")
	copySoftware    = count("figure 9 software FastPath")
	productFast     = count("figure 10 system FastPath")
	productComplete = count("figure 14 CompletePath of matrix multiplication")
	productSystem   = productFast + count("figure 10 system CompletePath")
	productSoftware = count("figure 10 software FastPath")
	kmeansComplete  = count("figure 14 CompletePath of k-means")
	scalarComplete  = count("figure 14 CompletePath of scalar product")
	matchFast       = count("figure 13 system FastPath")
	matchComplete   = count("figure 13 system CompletePath")
	matchSystem     = matchFast + matchComplete
	matchSoftware   = count("figure 13 software FastPath")
)

// scalarALUFetch is the ALU:Fetch ratio of the scalar product, section VI-C.
var scalarALUFetch = published.Number("figure 12 ALU:Fetch")

// String match: the bytes of the file, and the matches of the queries, section VI-C.
var (
	matchBytes = count("figure 13 file") << 20
	matches    = statedMatches()
)

func count(key string) int { return int(published.Number(key)) }

func statedMatches() (all [queries]int) {
	for q := range all {
		all[q] = count(fmt.Sprintf("figure 13 matches of query %d", q+1))
	}
	return all
}
