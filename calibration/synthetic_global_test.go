package calibration

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// shared makes the readings of several warps on shared memory.
func (s *synthesis) shared() {
	for _, op := range []string{"u32_load", "u32_store", "u32_add", "u32_add_one_unused", "f32_add",
		"u64_add", "f64_add", "u32_casloop"} {
		for _, conflict := range []string{"none", "position", "bank"} {
			for degree := 1; degree <= 32; degree *= 2 {
				if (degree == 1) != (conflict == "none") {
					continue
				}
				for _, warps := range []float64{4, 32} {
					cycles := s.portCycles(op, conflict, degree) * (1 + 3*math.Max(0, 16-warps)/16)
					s.add("shared", "throughput", cycles, "cycle", "op=%s conflict=%s degree=%d warps=%v", op,
						conflict, degree, warps)
				}
			}
		}
	}
	for _, op := range []string{"f32_add", "f64_add", "u32_casloop"} {
		t, o, _ := ParseColumn(op)
		a, err := s.p.SharedOperation(o, t)
		if err != nil {
			s.err = err
			return
		}
		for _, degree := range []float64{1, 8, 32} {
			s.add("shared", "contention", a.Hold.Value*degree, "cycle",
				"op=%s warps=2 colliding_warps=2 colliding_lanes=32 degree=%v", op, degree)
		}
	}
}

// portCycles is what an operation keeps the port busy.
func (s *synthesis) portCycles(op, conflict string, degree int) float64 {
	d := float64(degree)
	switch op {
	case "u32_load", "u32_store":
		if conflict != "bank" {
			d = 1
		}
		return d * s.p.Shared.PassPort.Value
	case "u32_add_one_unused":
		if conflict != "bank" {
			d = 1
		}
		return d * s.p.SharedAdd(device.Call{Type: device.U32, Operand: device.One}).Port.Value
	}
	t, o, _ := ParseColumn(op)
	a, err := s.p.SharedOperation(o, t)
	params, errParams := latency.ForDevice(s.p, o, t)
	if err != nil || errParams != nil {
		s.err = fmt.Errorf("%w, %w", err, errParams)
		return 1
	}
	if t.Bytes() == 4 && a.Mechanism == device.Native {
		return d * a.Port.Value
	}
	if t.Bytes() == 4 && a.Mechanism == device.Spin { // a lock per bank
		if conflict == "bank" {
			return d*(d+1)/2*a.Port.Value + d*a.WritePort.Value
		}
		return d * (a.Port.Value + a.WritePort.Value)
	}
	out, err := latency.Warp(conflicting(conflict, degree, params.Lanes, params.Banks), params)
	if err != nil {
		s.err = err
	}
	cycles := 0.0
	for _, iteration := range out.Rounds {
		cycles += float64(iteration.ReadPasses)*a.Port.Value + float64(iteration.WritePasses)*a.WritePort.Value
	}
	return cycles
}

// global makes the readings of global memory.
func (s *synthesis) global() {
	ns := 1e3 / s.p.Core.Clock.Value
	for _, t := range []device.Type{device.U32, device.F32, device.U64, device.F64} {
		op, a := t.String()+"_add", s.p.GlobalAtomic(t)
		s.add("global", "chain", a.Latency.Value, "cycle", "op=%s pattern=line degree=1", op)
		for _, stride := range []uint64{uint64(t.Bytes()), 32, 64, 128, 256, 512, 1024, 4096} {
			for targets := uint64(1); targets <= 4096; targets *= 2 {
				s.throughput(op, "warp", targets, stride, 32*ns*math.Max(a.Pass.Value*s.fullest(targets,
					stride), a.SameAddress.Value/float64(targets)))
			}
		}
		slices := s.p.Global.Slices.Value
		s.throughput(op, "warp", 1<<20, 32, 32*ns*a.Pass.Value/slices)
		s.throughput(op, "lanes", 1<<20, 32, 32*ns*a.Pass.Value/slices)
		s.throughput(op, "line", 1<<18, 128, float64(t.Bytes())*ns*a.Pass.Value/slices)
		if t == device.U32 {
			for _, spread := range []string{"warp", "lanes"} {
				s.add("global", "throughput", 32*ns*s.p.Global.SMSector.Value, "ns",
					"op=%s spread=%s targets=%d stride=32 sms=1", op, spread, 1<<20)
			}
		}
	}
	s.answers(ns)
	m, base := s.p.Memory, 32*ns*s.p.GlobalAtomic(device.U32).Pass.Value/s.p.Global.Slices.Value
	for bytes := float64(1 << 20); bytes <= 1<<32; bytes *= 2 {
		missing := 32 * math.Max(0, 1-m.L2AtomicBytes.Value/bytes)
		s.add("global", "footprint", math.Max(base, missing*m.MissBytes.Value/m.DRAMRate.Value*1e9), "ns",
			"op=u32_add bytes=%.0f", bytes)
	}
}

// answers makes the readings of the way of old values back, of a device that it alone holds up.
func (s *synthesis) answers(ns float64) {
	a, slices := s.p.Global.Answers, s.p.Global.Slices.Value
	sms := s.p.Core.SMs.Value
	for _, t := range []device.Type{device.U32, device.F32, device.U64, device.F64} {
		time := func(result string, sectors int, sms, ns float64) {
			s.add("returns", "throughput", ns, "ns",
				"op=%s_add result=%s spread=apart sectors=%d warps=32 sms=%.0f", t, result, sectors, sms)
		}
		apart := 32 * ns * a.Sector.Value / slices
		time("unused", 32, sms, apart/3)
		time("used", 32, sms, apart)
		time("stored", 32, sms, apart+float64(t.Bytes())*ns*a.Store.Value/slices)
		time("used", 32, 1, 32*ns*a.SM.Value)
		time("used", 1, sms, ns*(a.Sector.Value+float64(t.Bytes()-1)*a.Pass.Value)/slices)
	}
}

func (s *synthesis) throughput(op, spread string, targets, stride uint64, ns float64) {
	s.add("global", "throughput", ns, "ns", "op=%s spread=%s targets=%d stride=%d sms=%.0f", op,
		spread, targets, stride, s.p.Core.SMs.Value)
}

// fullest is the share of the fullest slice: regions take turns on groups of
// slices, the chunks of a region on the slices of its group.
func (s *synthesis) fullest(targets, stride uint64) float64 {
	g := s.p.Global
	slices, group := uint64(g.Slices.Value), uint64(g.RegionSlices.Value)
	busy := make([]int, slices)
	most := 0
	for i := range targets {
		at := i * stride
		slice := at/uint64(g.RegionBytes.Value)%(slices/group)*group + at/uint64(g.ChunkBytes.Value)%group
		busy[slice]++
		most = max(most, busy[slice])
	}
	return float64(most) / float64(targets)
}
