package kernel

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/impl"
)

// TestPartition: each update stands once in its range, the ranges start at whole steps, their parts
// cover them, and ranges of one part are stored without atomics.
func TestPartition(t *testing.T) {
	one := slices.Repeat([]uint32{4999}, 20000)
	for _, c := range []struct {
		name    string
		indices []uint32
	}{
		{"partition:w=64", skewed(20000, 5000, 1)}, {"partition:w=256,r=3", skewed(20000, 5000, 2)},
		{"partition:w=4096", skewed(33, 5000, 3)}, {"partition:w=1024", one},
		{"partition:w=65536", skewed(5000, 5000, 4)},
	} {
		const bins = 5000
		s := ran(t, c.name, c.indices, nil, bins)
		buf, width := s.Machine.Buffers, uint64(s.Implementation.Width)
		want, got := make([]uint64, bins), make([]uint64, bins)
		for _, x := range c.indices {
			want[x]++
		}
		end, part, number := uint64(0), uint64(0), buf[bufPartNumber].Get(0)
		inParts := 0 // updates of ranges with several parts
		for r := range s.Implementation.Buckets(bins) {
			start, next := buf[bufRangeStart].Get(r), buf[bufRangeNext].Get(r)
			if start < end || start%impl.BucketStep != 0 {
				t.Fatalf("%s: range %d starts at %d, the one before ends at %d", c.name, r, start, end)
			}
			for end = next; start < end; start++ {
				got[r*width+buf[bufPlace].Get(start)]++
			}
			at := buf[bufRangeStart].Get(r)
			for ; part < number && buf[bufParts].Get(4*part+partRange) == r; part++ {
				of := func(k uint64) uint64 { return buf[bufParts].Get(4*part + k) }
				alone := at == of(partBegin) && at+of(partUpdates) == end && of(partWhole) == 1
				if of(partBegin) != at || (of(partWhole) == 1) != alone || of(partUpdates) == 0 {
					t.Fatalf("%s: part %d of range %d: %d", c.name, part, r, buf[bufParts].Words[4*part:4*part+4])
				}
				at += of(partUpdates)
				if !alone {
					inParts += int(of(partUpdates))
				}
			}
			if at != end {
				t.Fatalf("%s: parts of range %d end at %d, its updates at %d", c.name, r, at, end)
			}
		}
		if part != number || !slices.Equal(got, want) || !slices.Equal(s.Output(BufTarget), want) {
			t.Errorf("%s: %d of %d parts, or other updates or sums than the stream's", c.name, part, number)
		}
		// Each update is counted, ranked and added; ranges of a block are counted and placed once.
		least := 3 * len(c.indices)
		if most := least + 2*int(s.Implementation.Buckets(bins))*int(s.partShapes().Count.Blocks) + inParts; int(
			s.Machine.Issued) < least || int(s.Machine.Issued) > most {
			t.Errorf("%s: %d atomic operations, want %d to %d", c.name, s.Machine.Issued, least, most)
		}
	}
}
