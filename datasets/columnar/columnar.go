// Package columnar adds tables of Apache Parquet and Apache Arrow to the formats of datasets:
//
//	r, err := datasets.Open("edges.parquet", datasets.Options{Further: columnar.Formats(),
//		Column: "source"})
//
// It stands apart so that only programs that ask for these formats link their decompressors.
package columnar

import (
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/columnar/arrow"
	"github.com/atomtune/atomtune/datasets/columnar/parquet"
)

// Formats are the formats that this package adds.
func Formats() []datasets.Format { return []datasets.Format{parquet.Format, arrow.Format} }
