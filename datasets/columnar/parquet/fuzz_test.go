package parquet

import (
	"testing"

	"github.com/atomtune/atomtune/datasets/columnar/columnartest"
)

// FuzzOpen: any bytes are columns of values, or an error of one line that wraps a sentinel.
func FuzzOpen(f *testing.F) {
	columnartest.Fuzz(f, "../testdata/*.parquet*", Open, ErrMalformed, ErrTruncated, ErrUnsupported, ErrNull)
}
