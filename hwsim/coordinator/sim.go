package coordinator

import "github.com/atomtune/atomtune/device"

// sim is one run.
type sim struct {
	engine
	kernel   *Kernel
	shape    shape
	options  Options
	fences   Fence
	pace     Pace
	device   *device.Profile
	lanes    int
	fronts   int // wavefronts of a workgroup
	helpers  int // wavefronts of the coordinator's workgroup
	slots    int // wavefronts of the launch, the coordinator's first
	memory   *memory
	layout   layout
	waiting  map[int]*wavefront // by the word that they wait for
	idle     []*wavefront       // of the coordinator, waiting for any word
	dispatch dispatch
	history  []Record
	count    Counts
	answered int64 // ticks: when the last atomic operation returned
	drained  int64 // ticks: when the last store or atomic operation is done
}

// layout says where the arrays begin in global memory; the variables begin at
// word 0, and each array at a multiple of chunkWords.
type layout struct {
	addresses, sums, olds, finished int
	unused                          int // two arrays that a launch clears and nothing reads
	words                           int
}

// chunkWords keeps arrays apart by the 256 bytes after which an HD 5870
// switches channels, [elteir11] section II-A.
const chunkWords = 64

func newLayout(variables, slots int) layout {
	next := 0
	take := func(n int) int {
		at := next
		next += (n + chunkWords - 1) / chunkWords * chunkWords
		return at
	}
	take(variables)
	l := layout{
		addresses: take(slots), sums: take(slots), olds: take(slots), finished: take(slots),
	}
	l.unused = take(slots)
	take(slots)
	l.words = next
	return l
}

// notify wakes attentive wavefronts that wait for a word.
func (s *sim) notify(word int, at int64) {
	if !s.pace.Attentive() {
		return
	}
	if w, ok := s.waiting[word]; ok {
		delete(s.waiting, word)
		s.schedule(at, w.process)
	}
	l := &s.layout
	address := word >= l.addresses && word < l.sums
	if address || (word >= l.finished && word < l.unused) {
		for _, w := range s.idle {
			s.schedule(at, w.process)
		}
		s.idle = s.idle[:0]
	}
}

// dispatch hands workgroups to compute units.
type dispatch struct {
	order   []int // 0 is the coordinator, g+1 the kernel's g-th physical workgroup
	next    int
	running int
	ended   int
}

// dispatchReady lets workgroups start while there is room for them.
func (s *sim) dispatchReady(resident int) {
	for s.dispatch.next < len(s.dispatch.order) && s.dispatch.running < resident {
		s.startGroup(s.dispatch.next%int(s.device.Core.SMs.Value), s.now)
	}
}

// startGroup starts the next workgroup on that compute unit.
func (s *sim) startGroup(unit int, now int64) {
	n := s.dispatch.next
	number := s.dispatch.order[n]
	s.dispatch.next++
	s.dispatch.running++
	begin := s.pace.Begin(n, now)
	g := &group{number: int32(number), unit: unit}
	fronts, first := s.fronts, s.helpers+(number-1)*s.fronts
	body := (*wavefront).requests
	if number == 0 {
		fronts, first, body = s.helpers, 0, (*wavefront).coordinate
		g.local = newLocal(coordinatorWords(s.slots))
	} else {
		g.local = newLocal(fronts * requesterWords)
	}
	for i := range fronts {
		w := &wavefront{
			s: s, group: g, number: i, slot: first + i, first: int32((first + i) * WavefrontLanes),
			seen: map[reading]uint32{},
		}
		g.fronts = append(g.fronts, w)
	}
	g.left = fronts
	for _, w := range g.fronts {
		w.process = s.spawn(begin, func(p *process) {
			w.process = p
			body(w)
			w.acts()
			s.ended(g)
		})
	}
}

// ended notes that a wavefront of the group has come to its end.
func (s *sim) ended(g *group) {
	g.left--
	if g.left > 0 {
		return
	}
	s.dispatch.running--
	s.dispatch.ended++
	if s.dispatch.next < len(s.dispatch.order) {
		s.startGroup(g.unit, s.now)
	}
}
