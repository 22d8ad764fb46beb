package elteir11

import (
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// copyWords are copied for Figure 1: enough to fill the device.
const copyWords = 1 << 21

// specifiedRate is the bandwidth of global memory in bytes per second, 4.8 Gbit/s on each of 256
// pins: AMD, ATI Radeon HD 5870 specification. Local memory's is a specification's, too.
const specifiedRate = 153.6e9

// figure1 is the bandwidth of a copy, without and with an atomic addition
// that no thread executes, [elteir11] Figure 1.
func (r *radeon) figure1(f *findings) {
	t := papers.NewTable("figure1", "Bandwidth of a copy of 32-bit words",
		"way|paper [GB/s]|simulated [GB/s]")
	var rates []float64
	for _, c := range []struct {
		way    string
		atomic bool
		paper  float64
	}{{"FastPath", false, statedFast}, {"CompletePath", true, statedComplete}} {
		copied, err := apps.Copy(r.device, copyWords, c.atomic)
		r.keep(err)
		rate := copied.BytesPerSecond / 1e9
		rates = append(rates, rate)
		t.Add(c.way, c.paper, rate)
		f.StateNumber("copy through the "+c.way, c.paper, rate,
			copied.Correct && papers.Within(rate, c.paper, papers.Average.Factor()))
	}
	local := r.device.Core.SMs.Value * r.device.Shared.Banks.Value * r.device.Shared.BankBytes.Value *
		r.device.Core.Clock.Value * 1e6
	over, effective := local/specifiedRate, local/r.device.Memory.DRAMRate.Value
	f.State("bandwidth of local over that of global memory", over,
		over > statedLocal && over < statedLocal+1, papers.Number(effective)).
		PaperValue = papers.Text("more than " + papers.Number(statedLocal).String())
	f.ratio("FastPath over CompletePath", statedFast/statedComplete, rates[0]/rates[1])
	f.Table(t)
	f.Page = plot.Page{Title: "Copy of 32-bit words (Radeon HD 5870)", Panels: []plot.Panel{plot.Bars{
		YLabel: "bandwidth [GB/s]", XLabel: "way of the accesses",
		Categories: []string{"FastPath", "CompletePath"},
		Series: []plot.Series{{Name: "paper", Values: []float64{statedFast, statedComplete}},
			{Name: "simulated", Values: rates}},
	}}}
}

// copyTimes are the times of the three kernels of Figure 4, in us.
type copyTimes struct {
	groups               int
	atomic, memory, both float64
}

// slower is how many times as long the accesses take with the atomic operation.
func (c copyTimes) slower() float64 { return (c.both - c.atomic) / c.memory }

func (r *radeon) copyTimes(groups int) copyTimes {
	c := copyTimes{groups: groups}
	for _, l := range []struct {
		us     *float64
		kernel *coordinator.Kernel
		how    coordinator.Atomics
	}{
		{&c.atomic, experiment.AtomicOnly(groups, 1, coordinator.WavefrontLanes), coordinator.System},
		{&c.memory, experiment.Copy(groups, 1, coordinator.WavefrontLanes), coordinator.Leave},
		{&c.both, experiment.Copy(groups, 1, coordinator.WavefrontLanes), coordinator.System},
	} {
		*l.us = r.microseconds(r.launch(l.kernel, l.how).Cycles)
	}
	return c
}

// figure4 is the time of the simple copy kernel, [elteir11] section III.
func (r *radeon) figure4(f *findings) {
	t := papers.NewTable("figure4", "Time of the copy kernel's parts; the profile's copy_same was "+
		"fitted to the paper's factors at 8 and 256 workgroups",
		"workgroups|atomic only [us]|memory only [us]|ideal: sum [us]|both [us]|"+
			"memory takes longer by a factor of")
	var groups, atomic, memory, ideal, both []float64
	var first, last float64
	for n := 8; n <= 256; n *= 2 {
		c := r.copyTimes(n)
		if n == 8 {
			first = c.slower()
		}
		last = c.slower()
		groups, atomic, memory = append(groups, float64(n)), append(atomic, c.atomic),
			append(memory, c.memory)
		ideal, both = append(ideal, c.atomic+c.memory), append(both, c.both)
		t.Add(n, c.atomic, c.memory, c.atomic+c.memory, c.both, c.slower())
	}
	f.slowerRows(first, last)
	f.Table(t)
	byFactor := func(slower float64, i int) float64 { return atomic[i] + slower*memory[i] }
	f.Page = plot.Page{Title: "The simple copy kernel with an atomic addition (Radeon HD 5870, " +
		"simulated)", Panels: []plot.Panel{plot.Figure{
		XLabel: "workgroups of 64 threads", YLabel: "kernel time [us]", XLog: true, YLog: true,
		Lines: []plot.Line{
			{Name: "atomic only", X: groups, Y: atomic}, {Name: "memory only", X: groups, Y: memory},
			{Name: "ideal", X: groups, Y: ideal, Style: plot.Dashed}, {Name: "both", X: groups, Y: both},
			{Name: "both, by the paper's factors", X: []float64{groups[0], groups[len(groups)-1]},
				Y: []float64{byFactor(statedFew, 0), byFactor(statedMany, len(groups)-1)}, Style: plot.Markers},
		},
	}}}
}

// slowerRows are how much longer the accesses take at 8 and at 256 workgroups.
func (f *findings) slowerRows(first, last float64) {
	f.ratio("memory accesses at 8 workgroups take longer by", statedFew, first)
	f.ratio("memory accesses at 256 workgroups take longer by", statedMany, last)
}
