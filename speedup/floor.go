package speedup

import "github.com/atomtune/atomtune/collision"

// Floor is the time below which no call comes, and no closed form of one.
type Floor struct {
	US    float64 `json:"us"`
	Bytes float64 `json:"bytes"` // that any implementation reads and writes
}

// Floor returns the least time of any implementation on the stream: a launch of an empty kernel,
// and each compulsory byte once, at the rate of L2 where the updates fit it, else at that of DRAM.
// n updates with indices of i bytes, v of value and o of old value stored; K targets of s bytes, of
// which U occur:
//
//	bytes = n·(i + v + o) + K·s     where the call clears the targets
//	bytes = n·(i + v + o) + 2·U·s   where it adds to what they hold
//
// The indices of padding count besides. The bytes of targets count at the rate of L2,
// since no target needs to leave it.
func (b *Bundle) Floor(s *collision.Stats) Floor {
	if b.c.Wide() {
		return b.rowsFloor(s.Rows)
	}
	updates := float64(s.Updates)*(b.updateBytes+b.returns) + float64(s.Ignored)*b.index
	targets := float64(s.Bins) * b.size
	if b.c.Keeps {
		targets = 2 * float64(s.Unique) * b.size
	}
	us := b.d.Launch.First.Value + updates*b.byteUS(float64(s.Updates)*b.updateBytes, b.l2Bytes) +
		targets*b.near
	return Floor{us, updates + targets}
}
