package collision

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// TestQuantilesAreTheSameEverywhere holds the bits of Student's quantiles, whichever processor runs
// the test.
func TestQuantilesAreTheSameEverywhere(t *testing.T) {
	all := fnv.New64a()
	for degrees := 1; degrees <= 5000; degrees++ {
		var bits [8]byte
		binary.LittleEndian.PutUint64(bits[:], math.Float64bits(studentQuantile(degrees)))
		all.Write(bits[:])
	}
	if q := studentQuantile(10); math.Abs(q-2.228138851964939) > 1e-10 {
		t.Errorf("the quantile of 10 degrees is %v", q)
	}
	if got, want := all.Sum64(), uint64(0xdff111eb307ac39c); got != want {
		t.Errorf("the bits hash to %#x, want %#x", got, want)
	}
}
