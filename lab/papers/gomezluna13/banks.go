package gomezluna13

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
)

// starting is a pattern in which the first lanes want the given words and
// every other lane the word of its number.
func starting(first ...int32) []int32 {
	p := make([]int32, lanes)
	for l := range p {
		p[l] = int32(l)
	}
	copy(p, first)
	return p
}

// onOneBank is a pattern with an m-way bank conflict: the first m lanes want
// words of bank 0 that lie stride words apart.
func onOneBank(m, stride int) []int32 {
	p := starting()
	for l := range m {
		p[l] = int32(l * stride)
	}
	return p
}

// bankStrides are the strides of section 2.1.2 that are powers of two; 32 lanes
// at more than 256 words do not fit.
var bankStrides = []int{32, 64, 128, 256, 512, 1024}

// Example is a worked example of [gomezluna13] section 2.1.2: the words of the
// first lanes, every other lane wanting the word of its number, and what they add
// to the base latency in cycles, t_bank-short counted as 2·t_bank.
type Example struct {
	First   []int32
	Stated  string
	Penalty float64
}

// Examples are the worked examples.
var Examples = []Example{
	{[]int32{0, 1024}, "long", statedLong},
	{[]int32{0, 32}, "short", statedShort},
	{[]int32{0, 1024, 2048}, "2 long + extra", 2*statedLong + statedExtra},
	{[]int32{0, 1024, 2048, 32}, "2 long + extra + short", 2*statedLong + statedExtra + statedShort},
	{[]int32{0, 1024, 2048, 32, 1056}, "2 long + extra + 2 short + extra",
		2*statedLong + statedExtra + 2*statedShort + statedExtra},
}

// penalties are the numbers of [gomezluna13] section 2.1.2.
func penalties(context.Context, papers.Options) (papers.Outcome, error) {
	var f findings
	if err := f.plainReads(); err != nil {
		return papers.Outcome{}, err
	}
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return papers.Outcome{}, err
	}
	f.penaltyRows(p)
	f.exampleRows(p)
	return f.Outcome, p.err
}

// plainReads measures bank conflicts of loads that are not atomic.
func (f *findings) plainReads() error {
	p, err := newProbe(device.OpLoad)
	if err != nil {
		return err
	}
	t := papers.NewTable("section2.1.2-reads", "Latency of a plain read with m lanes on one bank",
		"stride [words]|m|simulated [cycles]")
	free := p.latency(starting())
	var steps []float64
	for _, stride := range bankStrides {
		before := free
		for m := 2; m <= lanes && m*stride <= sharedWords; m++ {
			cycles := p.latency(onOneBank(m, stride))
			steps = append(steps, cycles-before)
			before = cycles
			t.Add(stride, m, cycles)
		}
	}
	f.Table(t)
	f.StateNumber("a plain read's bank conflict costs steps of t_bank, whatever the stride",
		statedBank, steps, p.agreed() && near(slices.Min(steps), statedBank) &&
			near(slices.Max(steps), statedBank), len(steps))
	return p.err
}

// penalty is what a pattern takes beyond an operation without conflict.
func (p *probe) penalty(pattern []int32) float64 {
	return p.latency(pattern) -
		p.latency(starting())
}

func (f *findings) penaltyRows(p *probe) {
	short, long := p.penalty(starting(0, 32)), p.penalty(starting(0, 1024))
	extra := p.penalty(starting(0, 1024, 2048)) - 2*long
	f.StateNumber("t_bank-short as measured", statedShortMeasured, short,
		near(short, statedShortMeasured))
	row := func(item string, stated, ours float64) {
		f.StateNumber(item, stated, ours, p.agreed() && near(ours, stated))
	}
	row("t_bank-short by the rule 2 t_bank", statedShort, short)
	row("t_bank-long", statedLong, long)
	row("t_extra", statedExtra, extra)
}

func (f *findings) exampleRows(p *probe) {
	t := papers.NewTable("section2.1.2-examples", "Worked examples",
		"first words|penalty|paper [cycles]|simulated [cycles]")
	for _, e := range Examples {
		penalty := p.penalty(starting(e.First...))
		t.Add(fmt.Sprint(e.First), e.Stated, e.Penalty, penalty)
		f.StateNumber(fmt.Sprintf("penalty of words %v, %s", e.First, e.Stated), e.Penalty, penalty,
			p.agreed() && near(penalty, e.Penalty))
	}
	f.Table(t)
}

// locks are the conclusions of [gomezluna13] section 2.1.3.
func locks(f *findings, p *probe) {
	position, bank := p.penalty(onOneWord(2, 0)), p.penalty(starting(0, 32))/2
	long := p.penalty(starting(0, 1024))
	stated := statedPosition + statedBank
	f.StateNumber("t_bank-long is t_position + t_bank", stated, position+bank,
		p.agreed() && near(position+bank, stated) && near(long, stated))
	extra := p.penalty(starting(0, 1024, 2048)) - 2*long
	f.StateNumber("t_extra is t_bank", statedBank, bank,
		p.agreed() && near(bank, statedBank) && near(extra, statedBank))
	nearest, other := p.longConflicts()
	f.StateNumber("smallest distance of a long-latency conflict, the number of locks", statedLocks,
		nearest, p.agreed() && nearest == statedLocks && other == 0, other)
}

// longConflicts finds the smallest distance between two words of a bank at
// which their conflict takes longer than a short one, and how many distances
// contradict the rule that these are its multiples.
func (p *probe) longConflicts() (nearest float64, against int) {
	short := p.penalty(starting(0, 32))
	nearest = math.Inf(1)
	for distance := lanes; distance < sharedWords; distance += lanes {
		long := p.penalty(starting(0, int32(distance))) > short+exact
		if long && math.IsInf(nearest, 1) {
			nearest = float64(distance)
		}
		if long != (math.Mod(float64(distance), nearest) == 0) {
			against++
		}
	}
	return nearest, against
}
