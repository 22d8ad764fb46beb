package collision

import "sync"

// frequent finds the most frequent targets of a stream or of a part of one.
type frequent struct {
	contest
	ranking
	added int // targets since unchanged was raised
	// unchanged is a number of updates that changes nothing for a target above all before.
	unchanged uint64
}

// frequents keeps the memory of some, which short streams would spend their time to make.
var frequents = sync.Pool{New: func() any { return new(frequent) }}

func newFrequent() *frequent {
	f := frequents.Get().(*frequent)
	f.reset()
	return f
}

func (f *frequent) reset() {
	f.contest.reset()
	f.ranking.reset()
	f.unchanged, f.added = 0, 0
}

func (f *frequent) add(target uint32, updates uint64) {
	f.contest.add(newContender(target, updates))
	f.ranking.add(updates, 1)
	f.added++
}

// join enters the targets of another part, which has no target of this one.
func (f *frequent) join(g *frequent) {
	f.contest.join(&g.contest)
	f.ranking.join(&g.ranking)
}

// raise makes unchanged higher where enough targets were entered since it last was.
func (f *frequent) raise() {
	if f.added >= len(f.in) {
		f.unchanged, f.added = min(f.contest.least(), f.ranking.least()), 0
	}
}

func (f *frequent) fill(s *Stats, h *hotSample, opt Options, workers []*worker) {
	f.settle()
	for j, updates := range f.selection().updates {
		s.Cover[j] = float64(updates) / float64(s.Updates)
	}
	h.measureMisses(s, &f.contest, opt, workers)
}
