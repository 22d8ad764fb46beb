package coordinator

type sim struct {
	engine
	Simulation
	uses
	kernel   *Kernel
	options  Options
	fences   Fence
	fronts   int // wavefronts of a workgroup
	groups   int // workgroups beside the coordinator's
	resident int // workgroups that the device runs at once
	memory   *memory
	layout   layout
	waiting  map[int]*Front // by the word that they wait for
	idle     []*Front       // of the coordinator, waiting for any word
	history  []Record
	// Workgroups that were dispatched, and those of them that have ended.
	dispatched, ended int
}

// layout says where the arrays begin in global memory; the variables begin at
// word 0, and each array at a multiple of chunkWords.
type layout struct {
	addresses, operands, olds, finished int
	expected                            int // of CompareExchange, and an array that nothing reads
	words                               int
}

// chunkWords keeps arrays apart by the 256 bytes after which an HD 5870
// switches channels, [elteir11] section II-A.
const chunkWords = 64

func newLayout(variables, slots int) layout {
	chunks := func(n int) int { return (n + chunkWords - 1) / chunkWords * chunkWords }
	first, each := chunks(variables), chunks(slots)
	return layout{addresses: first, operands: first + each, olds: first + 2*each,
		finished: first + 3*each, expected: first + 4*each, words: first + 6*each}
}

// Words returns the words of all arrays of a launch, and without the variables.
func Words(variables, wavefronts int) (all, protocol int) {
	l := newLayout(variables, wavefronts)
	return l.words, l.words - l.addresses
}

func (s *sim) wake(word int, at int64) {
	if !s.Wake {
		return
	}
	if w, ok := s.waiting[word]; ok {
		delete(s.waiting, word)
		s.schedule(at, w.process)
	}
	l := &s.layout
	if word >= l.addresses && word < l.operands || word >= l.finished && word < l.expected {
		for _, w := range s.idle {
			s.schedule(at, w.process)
		}
		s.idle = s.idle[:0]
	}
}

func (s *sim) workgroups() int { return s.groups + min(1, s.CoordinatorWavefronts) }

// dispatch starts the next workgroup on that compute unit: 0 is the coordinator's, g+1 the
// g-th of the others.
func (s *sim) dispatch(unit int) {
	number := s.dispatched
	switch {
	case s.CoordinatorWavefronts == 0:
		number++
	case s.options.CoordinatorLast:
		number = (number + 1) % s.workgroups()
	}
	begin := s.Timing.Dispatch(s.dispatched, s.now)
	s.dispatched++
	g := &group{number: int32(number), unit: unit}
	first, body := s.CoordinatorWavefronts+(number-1)*s.fronts, (*Front).requests
	if g.fronts = s.fronts; number > 0 {
		g.local = newMemory(g.fronts * requesterWords)
	} else {
		g.fronts, first, body = s.CoordinatorWavefronts, 0, (*Front).coordinate
		g.local = newMemory(s.coordinatorWords())
	}
	for i := range g.fronts {
		s.spawn(begin, func(p *process) {
			w := &Front{
				process: p, sim: s, group: g, number: i, slot: first + i,
				first: int32((first + i) * WavefrontLanes), seen: map[reading]uint32{},
			}
			body(w)
			w.Progress()
			if g.ended++; g.ended < g.fronts {
				return
			}
			if s.ended++; s.dispatched < s.workgroups() {
				s.dispatch(unit)
			}
		})
	}
}
