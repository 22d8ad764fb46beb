package archive

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// Contention is what warps of one SM took that add to shared memory, each 64 times, one operation
// after the other. The first Lanes lanes of the first Colliding warps add to words that these
// warps share, lane by lane; Degree lanes of a warp share a word.
type Contention struct {
	Operation string
	Warps     int
	Colliding int
	Lanes     int
	Degree    int
	Cycles    float64 // of one warp's operation: all cycles over all operations
}

// Contentions returns the readings of several warps that share words.
func (a *Archive) Contentions() ([]Contention, error) {
	readings, err := a.Readings()
	if err != nil {
		return nil, err
	}
	var all []Contention
	for _, r := range readings {
		if r.Suite != "shared" || r.Name != "contention" {
			continue
		}
		c := Contention{Cycles: r.Value}
		if _, err := fmt.Sscanf(r.Parameters,
			"op=%s warps=%d colliding_warps=%d colliding_lanes=%d degree=%d",
			&c.Operation, &c.Warps, &c.Colliding, &c.Lanes, &c.Degree); err != nil {
			return nil, fmt.Errorf("%w: %s: contention %s: %v", recordings.ErrRecording,
				recordings.ReadingsFile, r.Parameters, err)
		}
		all = append(all, c)
	}
	return all, nil
}
