package datasets

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"io"
)

// mergeBytes is the memory for the read buffers of all runs together.
const mergeBytes = 64 << 20

// merge reads the runs of a spill in the order of the rows; among equal rows
// the earlier run comes first, which keeps the file's order.
type merge struct {
	heads heads
}

func newMerge(s *spill) (*merge, error) {
	m := &merge{}
	size := min(max(mergeBytes/len(s.starts), 4<<10), 256<<10)
	for i, start := range s.starts {
		end := s.end
		if i+1 < len(s.starts) {
			end = s.starts[i+1]
		}
		h := &head{run: i, r: bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start),
			size)}
		switch err := h.advance(); err {
		case nil:
			m.heads = append(m.heads, h)
		case io.EOF:
		default:
			return nil, err
		}
	}
	heap.Init(&m.heads)
	return m, nil
}

func (m *merge) next(buf []uint32) (int, error) {
	for n := range buf {
		if len(m.heads) == 0 {
			return n, io.EOF
		}
		top := m.heads[0]
		buf[n] = uint32(top.entry)
		row := top.entry >> 32
		switch err := top.advance(); {
		case err == io.EOF:
			heap.Pop(&m.heads)
		case err != nil:
			return n, err
		case top.entry>>32 != row:
			heap.Fix(&m.heads, 0)
		}
	}
	return len(buf), nil
}

// head is the first unread entry of a run.
type head struct {
	entry uint64
	run   int
	r     *bufio.Reader
}

// advance reads the next entry, or returns io.EOF after the last.
func (h *head) advance() error {
	raw, err := h.r.Peek(8)
	if err != nil {
		if err == io.EOF && len(raw) > 0 {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	h.entry = binary.LittleEndian.Uint64(raw)
	_, err = h.r.Discard(8)
	return err
}

// heads is a heap of runs by row, then run.
type heads []*head

func (h heads) Len() int { return len(h) }
func (h heads) Less(i, j int) bool {
	a, b := h[i].entry>>32, h[j].entry>>32
	if a != b {
		return a < b
	}
	return h[i].run < h[j].run
}
func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)   { *h = append(*h, x.(*head)) }
func (h *heads) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
