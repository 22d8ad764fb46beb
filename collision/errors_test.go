package collision

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestErrors: options that describe no analysis, and streams that have none, are refused.
func TestErrors(t *testing.T) {
	one, none := []uint32{1}, []uint32{Inactive, Inactive}
	far := []uint32{9, 0, Inactive, 11}
	for _, c := range []struct {
		keys  []uint32
		opt   Options
		is    error
		names string // the place and the index
	}{
		{one, Options{WarpSize: -1}, ErrOptions, ""}, {one, Options{WarpSize: 1025}, ErrOptions, ""},
		{one, Options{BlockSize: -256}, ErrOptions, ""}, {one, Options{BlockSize: 100}, ErrOptions, ""},
		{one, Options{BlockSize: 1 << 17}, ErrOptions, ""}, {one, Options{Bins: 1<<32 + 1}, ErrOptions, ""},
		{one, Options{Workers: -1}, ErrOptions, ""}, {one, Options{Workers: 1025}, ErrOptions, ""},
		{one, Options{Sample: -1}, ErrOptions, ""}, {one, Options{Sample: 3}, ErrOptions, ""},
		{one, Options{Sample: 1 << 15, BlockSize: 1 << 16}, ErrOptions, ""},
		{one, Options{Padded: true, Bins: 1 << 32}, ErrOptions, ""},
		{nil, Options{}, ErrEmpty, ""}, {nil, Options{Sample: 8}, ErrEmpty, ""},
		{none, Options{Padded: true}, ErrEmpty, ""},
		{far, Options{Padded: true, Bins: 10}, ErrIndex, "3 has index 11"},
		{far, Options{Padded: true, Bins: 10, Sample: 8}, ErrIndex, "3 has index 11"},
		{far, Options{Bins: 12}, ErrIndex, "2"},
	} {
		if _, err := Analyze(c.keys, c.opt); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%v, %+v: got error %v, want %v of %q", c.keys, c.opt, err, c.is, c.names)
		}
	}
	most := Options{Sample: 1 << 14, BlockSize: 1 << 16}
	if err := most.Validate(); err != nil {
		t.Errorf("a sample of 2^30 updates: %v", err)
	}
	if _, err := NewSampler(Options{WarpSize: -1}); !errors.Is(err, ErrOptions) {
		t.Errorf("warps of -1: error %v", err)
	}
	keys := draw(0, 1, 1000, 100)
	for _, c := range []struct {
		keys   []uint32
		bins   uint64
		blocks int
		is     error
	}{
		{nil, 100, 16, ErrEmpty}, {keys, 0, 16, ErrOptions}, {[]uint32{1, 60}, 50, 16, ErrIndex},
		{keys, 1<<32 + 1, 16, ErrOptions}, {keys, 100, 3, ErrOptions}, {keys, 100, 0, ErrOptions},
		{none, 9, 4, ErrEmpty},
	} {
		if _, err := sampler(t, Options{Padded: true}).Measure(c.keys, c.bins, c.blocks); !errors.Is(err, c.is) {
			t.Errorf("%d updates below %d, %d blocks: error %v, want %v", len(c.keys), c.bins, c.blocks, err, c.is)
		}
	}
}

func TestRejectedChunkLeavesNothing(t *testing.T) {
	a, err := NewAccumulator(Options{Bins: 10})
	if err != nil {
		t.Fatal(err)
	}
	if list := a.Frequencies(); list == nil || len(list) != 0 {
		t.Errorf("frequencies of nothing: %v", list)
	}
	if err := a.Add([]uint32{1, 2}); err != nil {
		t.Fatal(err)
	}
	if err := a.Add([]uint32{3, 10}); !errors.Is(err, ErrIndex) {
		t.Fatalf("got error %v, want ErrIndex", err)
	}
	if diff := cmp.Diff(reference([]uint32{1, 2}, 32, 256, 10), statsOf(t, a), near); diff != "" {
		t.Error(diff)
	}
	sampled, err := NewAccumulator(Options{Sample: minSample})
	if err != nil || sampled.Frequencies() != nil {
		t.Errorf("frequencies of a sample: %v, %v", sampled.Frequencies(), err)
	}
}
