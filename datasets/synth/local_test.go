package synth_test

import (
	"math"
	"slices"
	"testing"
)

func lengths(stream []uint32) []int {
	runs := []int{1}
	for i := 1; i < len(stream); i++ {
		if stream[i] == stream[i-1] {
			runs[len(runs)-1]++
		} else {
			runs = append(runs, 1)
		}
	}
	return runs
}

func TestRunLengths(t *testing.T) {
	fixed := lengths(mustGenerate(t, "runs:n=80000,k=4294967295,len=8,fixed=1"))
	if slices.Max(fixed) != 8 || slices.Min(fixed) != 8 {
		t.Errorf("fixed runs last %d to %d, want 8", slices.Min(fixed), slices.Max(fixed))
	}
	runs := lengths(mustGenerate(t, "runs:n=80000,k=4294967295,len=8,seed=1"))
	counts, expected := make([]float64, 20), make([]float64, 20)
	for _, l := range runs {
		counts[min(l, 20)-1]++
	}
	for i := range expected {
		expected[i] = float64(len(runs)) * math.Pow(7.0/8, float64(i))
		if i < 19 {
			expected[i] /= 8
		}
	}
	fits(t, "geometric runs", counts, expected)
}

// [westphal15] shifts each particle to the next cell with probability 1/2 in
// each direction: eight displacements, equally likely.
func TestCellsShiftAsInTheSource(t *testing.T) {
	const side, ppc = 100, 10
	stream := mustGenerate(t, "cells:n=400000,k=1000000,ppc=10,shift=0.5,seed=1")
	index := map[int]int{}
	for i, d := range []int{0, 1, side, side + 1, side * side, side*side + 1, side*side + side,
		side*side + side + 1} {
		index[d] = i
	}
	counts := make([]float64, 8)
	for i, cell := range stream {
		d, ok := index[int(cell)-i/ppc]
		if !ok {
			t.Fatalf("update %d: cell %d from cell %d", i, cell, i/ppc)
		}
		counts[d]++
	}
	fits(t, "displacements", counts, level(8, 50000))
}

func TestMarkovStaysStepsAndJumps(t *testing.T) {
	stream := mustGenerate(t, "markov:n=100000,k=100000000,stay=0.5,jump=0.1,w=4,seed=2")
	counts := make([]float64, 10) // stays, 4 steps either way, jumps
	for i := 1; i < len(stream); i++ {
		switch d := int(stream[i]) - int(stream[i-1]); {
		case d == 0:
			counts[0]++
		case d >= -4 && d < 0:
			counts[-d]++
		case d > 0 && d <= 4:
			counts[4+d]++
		default:
			counts[9]++
		}
	}
	expected := level(10, 99999*0.5*0.9/8)
	expected[0], expected[9] = 99999*0.5, 99999*0.05
	fits(t, "markov moves", counts, expected)
}

func TestMixtureShares(t *testing.T) {
	const of = ",of=constant:at=1+constant:at=2:share=3"
	h := histogram(mustGenerate(t, "mixture:n=100000,k=3,seed=1"+of), 3)
	fits(t, "by update", h[1:], []float64{25000, 75000})
	blocks := mustGenerate(t, "mixture:n=320000,k=3,block=32,seed=1"+of)
	var firsts []uint32
	for i := 0; i < len(blocks); i += 32 {
		if l := lengths(blocks[i : i+32]); len(l) != 1 {
			t.Fatalf("block at %d changes its part", i)
		}
		firsts = append(firsts, blocks[i])
	}
	fits(t, "by block", histogram(firsts, 3)[1:], []float64{2500, 7500})
}

// A part's stream goes on where it was interrupted.
func TestMixturePartsKeepTheirOrder(t *testing.T) {
	stream := mustGenerate(t, "mixture:n=1000,k=5000,seed=1,of=sequential+constant:at=4999")
	next := uint32(0)
	for i, v := range stream {
		if v == 4999 {
			continue
		}
		if v != next {
			t.Fatalf("update %d: target %d, want %d", i, v, next)
		}
		next++
	}
	if next < 400 || next > 600 {
		t.Errorf("%d updates of 1000 are sequential", next)
	}
}
