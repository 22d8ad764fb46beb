// Package columnar adds tables of Apache Parquet and Apache Arrow to the formats of datasets:
//
//	r, err := datasets.Open("edges.parquet", datasets.Options{Further: columnar.Formats(),
//		Column: "source"})
//
// It stands apart so that only programs that ask for these formats link their decompressors.
//
// The readers are this project's own. In November 2026 parquet-go 0.32.0 and arrow/ipc of arrow-go 18.8.0 were tried
// in their place: one column at a time where the library can, lengths in the footer and in the metadata compared with
// the file, arrow's allocator bounded. On valid files they gave the same indices, but for booleans in pages of
// version 2, which parquet-go read wrong. Of 10,000 mutated files each, in 4 GiB of address space:
//
//	                 ended by a fatal  that panicked   that allocated more than   program,  build
//	                 lack of memory    in the caller   4 times the file + 1 MiB   stripped  without cache
//	package parquet               0               0                          0 }
//	package arrow                 0               0                          0 }    4.0 MB  13 s
//	parquet-go                   39             221                          5      7.8 MB  25 s
//	arrow-go                     92           1,171                         60      5.7 MB  22 s
//
// The fatal allocations are of lengths in headers of pages and in vectors of schemas, which only a reader of one's own
// sees before.
package columnar

import (
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/columnar/arrow"
	"github.com/atomtune/atomtune/datasets/columnar/parquet"
)

// Formats are the formats that this package adds.
func Formats() []datasets.Format { return []datasets.Format{parquet.Format, arrow.Format} }
