// Package trees holds the decision trees of tuner/dispatch against recorded calls: what the
// measured time of a tree's candidate is over the best, and over that of tuner.Choose.
package trees

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// features.csv.gz holds what a sample finds in each recorded stream, real files among them, which
// are not in this repository. TestFeatures makes it, of the files that are there.
//
//go:embed features.csv.gz
var packed []byte

// columns are those of features.csv.gz behind label and updates: a number of sectors for each
// element size.
var columns = []string{"distinct", "highest", "runs", "sectors_4", "sectors_8", "full", "pairs", "repeated",
	"used", "top"}

// sample is what does not depend on the call.
type sample struct {
	updates uint64
	sums    [10]uint32 // in the order of columns
}

// features returns those of a call on the stream.
func (s sample) features(c device.Call, bins uint64) dispatch.Features {
	f := dispatch.Known(c, s.updates, bins)
	copy(f[dispatch.Distinct:], s.sums[:3])
	f[dispatch.Sectors] = s.sums[3]
	if c.Type.Bytes() == 8 {
		f[dispatch.Sectors] = s.sums[4]
	}
	copy(f[dispatch.Full:], s.sums[5:])
	return f
}

// sampleOf samples a stream.
func sampleOf(index []uint32) sample {
	narrow := dispatch.Sample(index, device.Call{Type: device.U32}, 0)
	wide := dispatch.Sample(index, device.Call{Type: device.U64}, 0)
	s := sample{updates: uint64(len(index))}
	copy(s.sums[:4], narrow[dispatch.Distinct:])
	s.sums[4] = wide[dispatch.Sectors]
	copy(s.sums[5:], narrow[dispatch.Full:])
	return s
}

// samples returns those of all recorded streams by label.
var samples = sync.OnceValues(func() (map[string]sample, error) {
	const limit = 8 << 20
	text, _, err := gzipped.Unpack(packed, limit)
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return nil, err
	}
	all := map[string]sample{}
	for _, line := range lines[1:] {
		var s sample
		if s.updates, err = strconv.ParseUint(line[1], 10, 64); err != nil {
			return nil, fmt.Errorf("features.csv: %s: %w", line[0], err)
		}
		for i, text := range line[2:] {
			v, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("features.csv: %s: %w", line[0], err)
			}
			s.sums[i] = uint32(v)
		}
		all[line[0]] = s
	}
	return all, nil
})
