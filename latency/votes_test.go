package latency

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/variant"
)

// TestVotesValidate: each size has its limits, and so have all copies together.
func TestVotesValidate(t *testing.T) {
	const most = 1 << 20
	good := []Votes{{Words: 1, Replicas: 1, Threads: 1}, {Words: 1 << 30, Replicas: 1, Threads: most},
		{Words: 1, Replicas: most, Pad: 1, Map: variant.Block, Threads: 1},
		{Words: 1 << 10, Replicas: most, Threads: 1}, {Words: 1, Replicas: 1, Pad: 1 << 30, Threads: 1}}
	for _, v := range good {
		if err := v.Validate(); err != nil {
			t.Errorf("%+v: %v", v, err)
		}
	}
	for _, v := range []Votes{{Words: 0, Replicas: 1, Threads: 1}, {Words: 1, Replicas: 0, Threads: 1},
		{Words: 1, Replicas: 1, Threads: 0}, {Words: 1, Replicas: 1, Pad: -1, Threads: 1},
		{Words: 1<<30 + 1, Replicas: 1, Threads: 1}, {Words: 1, Replicas: 1, Pad: 1<<30 + 1, Threads: 1},
		{Words: 1, Replicas: most + 1, Threads: 1}, {Words: 1, Replicas: 1, Threads: most + 1},
		{Words: 1, Replicas: 1, Map: variant.Block + 1, Threads: 1},
		{Words: 1<<10 + 1, Replicas: most, Threads: 1}, {Words: 1 << 10, Replicas: most, Pad: 1, Threads: 1},
	} {
		if err := v.Validate(); !errors.Is(err, ErrParams) {
			t.Errorf("%+v: %v", v, err)
		}
	}
}
