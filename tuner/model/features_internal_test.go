package model

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/collision"
)

// TestCheckStats: statistics are refused where there are none, of warps of another size, and where no
// stream has them.
func TestCheckStats(t *testing.T) {
	good := ReferenceStreams[0]
	good.WarpSize = 32
	wide, above := good, good
	wide.WarpSize, above.WarpLevel = 64, 1.01
	if err := CheckStats(&good, 32); err != nil {
		t.Error(err)
	}
	for _, s := range []*collision.Stats{nil, &wide, &above} {
		if err := CheckStats(s, 32); !errors.Is(err, ErrStats) {
			t.Errorf("%+v: error %v", s, err)
		}
	}
}
