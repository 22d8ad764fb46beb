package gomezluna13

import (
	"context"
	"math"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/latency"
)

// lanes is the width of a warp of the GeForce GTX 580, and of every pattern.
const lanes = patterns.Lanes

// exact is the error in cycles that the simulator's clock may make where equal
// latencies are stated.
const exact = 1e-3

// probe predicts and simulates operations on the shared memory of a GeForce GTX
// 580. Its first error stays: after it every answer is zero, and err says why.
// A probe is for one goroutine.
type probe struct {
	params     latency.Params
	model      *latency.Model
	sm         *hwsim.Scratchpad
	err        error
	operations int     // answered
	apart      float64 // largest difference between closed form and simulator
}

// newProbe opens the GeForce GTX 580 for one operation on 32-bit words.
func newProbe(operation device.Operation) (*probe, error) {
	d, err := gtx580()
	if err != nil {
		return nil, err
	}
	p := &probe{}
	if p.params, err = latency.ForDevice(d, operation, device.U32); err != nil {
		return nil, err
	}
	if p.model, err = latency.NewModel(p.params); err != nil {
		return nil, err
	}
	p.sm, err = hwsim.NewScratchpad(d, operation, device.U32)
	return p, err
}

// onProbe gives an experiment a probe of atomic additions.
func onProbe(run func(f *findings, p *probe)) func(context.Context, papers.Options) (papers.Outcome,
	error) {
	return func(context.Context, papers.Options) (papers.Outcome, error) {
		p, err := newProbe(device.OpAdd)
		if err != nil {
			return papers.Outcome{}, err
		}
		var f findings
		run(&f, p)
		return f.Outcome, p.err
	}
}

func gtx580() (*device.Profile, error) { return device.Builtin("gtx580") }

// closed is the closed form's latency of a pattern in cycles.
func (p *probe) closed(pattern []int32) float64 {
	return p.keep(p.model.Cycles(pattern))
}

// simulated is the simulated latency of a pattern in cycles.
func (p *probe) simulated(pattern []int32) float64 {
	return p.keep(p.sm.Warp(pattern))
}

// latency is the simulated latency of a pattern in cycles; apart remembers how
// far the closed form is from it.
func (p *probe) latency(pattern []int32) float64 {
	closed, simulated := p.closed(pattern), p.simulated(pattern)
	p.apart = math.Max(p.apart, math.Abs(closed-simulated))
	return simulated
}

// agreed reports whether closed form and simulator gave the same latency of
// every pattern, and at least one.
func (p *probe) agreed() bool { return p.operations > 0 && p.apart <= exact }

func (p *probe) keep(cycles float64, err error) float64 {
	if p.err == nil {
		p.err = err
	}
	if p.err != nil {
		return 0
	}
	p.operations++
	return cycles
}

// rate is the throughput in updates per cycle of warps that repeat a pattern
// each.
func (p *probe) rate(warps [][]int32) float64 {
	const repeats = 64
	run, err := p.sm.Warps(warps, repeats)
	updates := 0
	for _, w := range warps {
		for _, word := range w {
			if word != latency.Inactive {
				updates++
			}
		}
	}
	return p.keep(float64(updates*repeats)/math.Max(run.Cycles, 1), err)
}
