// Package latency predicts what one warp's atomic addition on shared memory
// costs, in closed form.
//
// References:
//
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
package latency

import (
	"errors"
	"fmt"
)

// ErrPattern is wrapped by errors about access patterns and parameters.
var ErrPattern = errors.New("no such access pattern")

// Inactive marks a lane that takes no part.
const Inactive = -1

// Params are the constants of a lock loop, in cycles, [gomezluna13] Table 1.
// On the GeForce GTX 580 they are 108, 120 and 32 with 32 banks and 1,024
// locks.
type Params struct {
	Base     float64 // t_base: an addition without conflict
	Position float64 // t_position: each further turn of the loop
	Bank     float64 // t_bank: each further access of a bank conflict
	Banks    int     // shared-memory banks
	Locks    int     // lock bits, to which word addresses map by their low bits
}

// Validate reports parameters that the algorithm cannot use.
func (p Params) Validate() error {
	if p.Banks < 1 || p.Locks < 1 {
		return fmt.Errorf("%w: %d banks and %d locks", ErrPattern, p.Banks, p.Locks)
	}
	if !(p.Base >= 0 && p.Position >= 0 && p.Bank >= 0) {
		return fmt.Errorf("%w: negative latency in %+v", ErrPattern, p)
	}
	return nil
}

// Round is one turn of the lock loop.
type Round struct {
	ReadDegree  int     // bank conflict degree of the read
	Winners     []int   // lanes that acquired their lock, updated and left
	WriteDegree int     // bank conflict degree of the write
	Cycles      float64 // the turn's share of the latency
}

// Prediction is the latency of a pattern with the turns that make it up; their
// cycles sum to it.
type Prediction struct {
	Cycles float64
	Rounds []Round
}

// Warp predicts the latency of one warp's atomic addition to the word
// addresses of its lanes, Inactive for lanes that take no part:
// [gomezluna13] Algorithm 1. In each turn all pending lanes read, which costs
// (degree-1)·t_bank for the bank conflict degree of their addresses; one lane
// per lock acquires it, and the winners' write costs likewise; the others try
// again, at t_position a turn. A pattern without an active lane costs nothing.
// Errors wrap ErrPattern.
func Warp(pattern []int, p Params) (Prediction, error) {
	if err := p.Validate(); err != nil {
		return Prediction{}, err
	}
	var pending []int
	for lane, address := range pattern {
		if address < Inactive {
			return Prediction{}, fmt.Errorf("%w: lane %d: address %d", ErrPattern, lane, address)
		}
		if address != Inactive {
			pending = append(pending, lane)
		}
	}
	var out Prediction
	for turn := 0; len(pending) > 0; turn++ {
		r := Round{ReadDegree: bankDegree(pattern, pending, p.Banks), Cycles: p.Position}
		if turn == 0 {
			r.Cycles = p.Base
		}
		r.Winners, pending = lockWinners(pattern, pending, p.Locks)
		r.WriteDegree = bankDegree(pattern, r.Winners, p.Banks)
		r.Cycles += float64(r.ReadDegree-1+r.WriteDegree-1) * p.Bank
		out.Rounds = append(out.Rounds, r)
		out.Cycles += r.Cycles
	}
	return out, nil
}

// bankDegree is Algorithm_bank: the largest number of different words that
// the lanes address in one bank; equal words are broadcast.
func bankDegree(pattern, lanes []int, banks int) int {
	words := map[int]bool{}
	inBank := map[int]int{}
	degree := 0
	for _, lane := range lanes {
		if word := pattern[lane]; !words[word] {
			words[word] = true
			inBank[word%banks]++
			degree = max(degree, inBank[word%banks])
		}
	}
	return degree
}

// lockWinners is Algorithm_lock: of the lanes that share a lock the lowest
// acquires it.
func lockWinners(pattern, lanes []int, locks int) (winners, losers []int) {
	taken := map[int]bool{}
	for _, lane := range lanes {
		if lock := pattern[lane] % locks; taken[lock] {
			losers = append(losers, lane)
		} else {
			taken[lock] = true
			winners = append(winners, lane)
		}
	}
	return winners, losers
}
