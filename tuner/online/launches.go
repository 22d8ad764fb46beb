package online

import "fmt"

// pending are the launches of one key that were chosen and not observed yet, of the
// last that were chosen: one bit each.
type pending struct {
	chosen uint64 // how many; a launch's number is its place among them, from 1
	bits   [remembered / 64]uint64
}

const remembered = 1024

// add returns the number of one more launch, and forgets the oldest.
func (p *pending) add() uint64 {
	p.chosen++
	word, bit := p.at(p.chosen)
	*word |= bit
	return p.chosen
}

// take reports whether a launch is still to be observed; it no longer is then.
func (p *pending) take(number uint64) bool {
	if number == 0 || p.old(number) {
		return false
	}
	word, bit := p.at(number)
	open := *word&bit != 0
	*word &^= bit
	return open
}

// gone says why a launch is not to be observed.
func (p *pending) gone(number uint64) string {
	switch {
	case number == 0:
		return "it was not chosen by Next"
	case p.old(number):
		return fmt.Sprintf("%d more were chosen since", p.chosen-number)
	}
	return "it was observed already"
}

func (p *pending) old(number uint64) bool { return p.chosen-number >= remembered }

func (p *pending) at(number uint64) (word *uint64, bit uint64) {
	i := number % remembered
	return &p.bits[i/64], 1 << (i % 64)
}
