package equations_test

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
)

// place is a place of the grid over which equations and simulation meet, but
// for x, which no launch with a coordinator depends on.
type place struct {
	lanes, groups, sides int     // N_c, N_cwg, sides of the branch
	xl                   float64 // t_l / t_fast
}

// gridX are the places' values of x = t_comp / t_fast.
var gridX = []float64{1, 2, 96.0 / 18, 12}

// fewestPoints is what the grid has at least, with x.
var fewestPoints = len(workgroups()) * 200

// workgroups are those of the places, twice as many with ATOMTUNE_FULL=1.
func workgroups() []int {
	if golden.Full() {
		return []int{1, 2, 4, 8, 16, 32, 64, 96, 128, 139}
	}
	return []int{1, 4, 16, 48, 139}
}

func grid() []place {
	var places []place
	for _, lanes := range []int{1, 4, 16, 32, 48, 64} {
		for _, groups := range workgroups() {
			for _, sides := range []int{1, 2, 4} {
				for _, xl := range []float64{1.0 / 256, 1.0 / 64, 1.0 / 14, 1.0 / 4} {
					if lanes%sides == 0 {
						places = append(places, place{lanes, groups, sides, xl})
					}
				}
			}
		}
	}
	return places
}

func (p place) concurrency() equations.Concurrency {
	return equations.Concurrency{Lanes: float64(p.lanes), Workgroups: float64(p.groups)}
}

// kernel has the place's threads execute one addition to one variable; idle
// workgroups come first.
func (p place) kernel(idle int) *coordinator.Kernel {
	k := &coordinator.Kernel{Variables: []uint32{0}}
	for range idle {
		k.Groups = append(k.Groups, coordinator.Workgroup{nil})
	}
	var front coordinator.Wavefront
	for side := range p.sides {
		s := coordinator.Statement{}
		for lane := side; lane < p.lanes; lane += p.sides {
			s.Updates = append(s.Updates, coordinator.Update{Lane: lane, Operand: uint32(lane + 1)})
		}
		front = append(front, s)
	}
	for range p.groups {
		k.Groups = append(k.Groups, coordinator.Workgroup{front})
	}
	return k
}

// hd5870 returns a copy of the HD 5870's profile.
func hd5870(t testing.TB) *device.Profile {
	t.Helper()
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	p := *d
	return &p
}

// scaled is the HD 5870 with those ratios.
func scaled(d *device.Profile, xl, x float64) *device.Profile {
	fast := d.Global.LoadLatency.Value + d.Global.MissLatency.Value
	s := *d
	s.SharedAtomics = map[string]device.SharedAtomic{}
	for name, a := range d.SharedAtomics {
		a.Base.Value, a.Round.Value = xl*fast, xl*fast
		s.SharedAtomics[name] = a
	}
	s.Shared.LoadLatency.Value = xl * fast
	s.GlobalAtomics = map[string]device.GlobalAtomic{}
	for name, a := range d.GlobalAtomics {
		a.Latency.Value = x * fast
		a.SameAddress.Value *= x / (d.Memory.DRAMRate.Value / d.Memory.AtomicRate.Value)
		s.GlobalAtomics[name] = a
	}
	return &s
}

// run returns the result of a launch of additions of lane+1 to one variable.
func (p place) run(t *testing.T, k *coordinator.Kernel, o coordinator.Options) coordinator.Result {
	t.Helper()
	r, err := coordinator.Run(k, o)
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	if want := uint32(p.groups * p.lanes * (p.lanes + 1) / 2); r.Final[0] != want ||
		len(r.History) != p.groups*p.lanes {
		t.Fatalf("%+v: %d after %d operations, want %d", p, r.Final[0], len(r.History), want)
	}
	return r
}

// deviations are |implementation/simulation - 1|.
type deviations []float64

func (d *deviations) add(form, simulation float64) {
	*d = append(*d, math.Abs(form/simulation-1))
}

func (d deviations) within(t *testing.T, name string, points int, median, p95 float64) {
	t.Helper()
	half, most := quantile.Of(d, 0.5), quantile.Of(d, 0.95)
	t.Logf("%s: %d points, median %.2f %%, p95 %.2f %%", name, len(d), 100*half, 100*most)
	if len(d) < points || half > median || most > p95 {
		t.Errorf("%s: %d points, median %v, 95th percentile %v", name, len(d), half, most)
	}
}

// TestEquations holds equations (3) and (4) against the protocol in the regime
// that they assume. The dominant wavefront has half as many idle ones before it
// as there are requests: the mean that equation (3) assumes.
func TestEquations(t *testing.T) {
	d := hd5870(t)
	d.Core.SMs.Value = 64 // room for the idle workgroups
	const fast = 1000
	var software, system, ratio deviations
	launched := map[[3]float64]float64{}
	for _, p := range grid() {
		o := coordinator.Options{Device: d, CoordinatorWavefronts: 4}
		o.Regime = experiment.Serial{Fast: fast, Complete: fast, Local: p.xl * fast}
		soft := experiment.AtomicCycles(p.run(t, p.kernel(p.groups/2), o))
		eq3 := fast * equations.BranchedSoftwareAtomic(p.concurrency(), float64(p.sides), p.xl)
		software.add(eq3, soft)
		for _, x := range gridX {
			// no side of a branch waits for another
			key := [3]float64{float64(p.lanes), float64(p.groups), x}
			sys, done := launched[key]
			if !done {
				o.Atomics, o.Regime = coordinator.System, experiment.Serial{Fast: fast, Complete: x * fast}
				sys = experiment.AtomicCycles(p.run(t, p.kernel(0), o))
				launched[key] = sys
			}
			eq4 := fast * equations.SystemAtomic(p.concurrency(), x)
			system.add(eq4, sys)
			ratio.add(eq4/eq3, sys/soft)
		}
	}
	software.within(t, "equation (3)", fewestPoints/len(gridX), 0.05, 0.2)
	system.within(t, "equation (4)", fewestPoints, 0.05, 0.2)
	ratio.within(t, "equation (4) over (3)", fewestPoints, 0.05, 0.2)
}

// TestPipelined holds the corrected forms against the device's queues over the
// same grid.
func TestPipelined(t *testing.T) {
	base := hd5870(t)
	form := func(xl, x float64) (equations.Pipelined, coordinator.Options) {
		d := scaled(base, xl, x)
		f, err := equations.NewPipelined(d)
		if err != nil {
			t.Fatal(err)
		}
		return f, coordinator.Options{Device: d, Regime: experiment.Paths{}, AsPrinted: true}
	}
	var software, system, ratio deviations
	type launch struct {
		lanes, groups, sides int
		x                    float64
	}
	launched := map[launch]float64{}
	for _, p := range grid() {
		f, o := form(p.xl, 1)
		soft := p.run(t, p.kernel(0), o).Cycles
		software.add(f.Software(p.concurrency(), float64(p.sides)).Cycles(), soft)
		for _, x := range gridX {
			f, o = form(p.xl, x)
			key := launch{p.lanes, p.groups, p.sides, x} // local memory takes no part
			sys, done := launched[key]
			if !done {
				o.Atomics = coordinator.System
				sys = p.run(t, p.kernel(0), o).Cycles
				launched[key] = sys
			}
			system.add(f.SystemCycles(p.concurrency()), sys)
			ratio.add(f.Speedup(p.concurrency(), float64(p.sides)), sys/soft)
		}
	}
	software.within(t, "coordinator", fewestPoints/len(gridX), 0.15, 0.25)
	system.within(t, "device", fewestPoints, 0.15, 0.25)
	ratio.within(t, "speedup", fewestPoints, 0.15, 0.25)
}
