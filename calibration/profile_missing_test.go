package calibration

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

// without returns the readings that are not of a suite, or not of one name in
// it.
func without(in Input, suite, name string) Input {
	in.Readings = slices.DeleteFunc(slices.Clone(in.Readings), func(r recordings.Reading) bool {
		return r.Suite == suite && (name == "" || r.Name == name)
	})
	return in
}

// only keeps the columns that a profile needs at least, so that fits are few.
func only(in Input, columns ...string) Input {
	m := *in.Scratchpad
	m.Columns = slices.DeleteFunc(slices.Clone(m.Columns),
		func(c patterns.Column) bool { return !slices.Contains(columns, c.Name) })
	in.Scratchpad = &m
	return in
}

// needed are the columns without which there is no profile.
var needed = []string{"u32_load", "u32_add", "f32_add", "u64_add", "f64_add"}

// every keeps each n-th row.
func every(n int, all *patterns.Measurements) *patterns.Measurements {
	m := &patterns.Measurements{Lanes: all.Lanes}
	for _, c := range all.Columns {
		m.Columns = append(m.Columns, patterns.Column{Name: c.Name})
	}
	for i := 0; i < len(all.Patterns); i += n {
		m.Patterns, m.Lines = append(m.Patterns, all.Patterns[i]), append(m.Lines, i+1)
		for k, c := range all.Columns {
			m.Columns[k].Cycles = append(m.Columns[k].Cycles, c.Cycles[i])
		}
	}
	return m
}

// TestProfileLacks names what is missing.
func TestProfileLacks(t *testing.T) {
	in := only(synthesised(t, 0.01, 6), needed...)
	for _, c := range []struct {
		in    Input
		words []string
	}{
		{without(in, "call", ""), []string{"call sm_clock", "call empty_kernels"}},
		{without(in, "device", ""), []string{"device sm_count"}},
		{without(in, "warp", "latency"), []string{"warp latency op=shuffle"}},
		{without(in, "memory", "load_latency"), []string{"memory load_latency"}},
		{without(in, "global", "throughput"), []string{"global throughput op=u32_add spread=warp"}},
		{only(in, "u32_load"), []string{"scratchpad column f32_add"}},
		{without(in, "shared", "throughput"), []string{"shared throughput op=u32_load",
			"shared throughput op=u32_add"}},
	} {
		p, _, err := assembled(c.in)
		if !errors.Is(err, ErrData) || p != nil {
			t.Errorf("without %s: %v", c.words[0], err)
			continue
		}
		for _, word := range c.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("error %v does not name %q", err, word)
			}
		}
	}
	zero, odd, unknown := in, in, in
	zero.Readings = slices.Clone(in.Readings)
	for i := range zero.Readings {
		if zero.Readings[i].Name == "sm_clock" {
			zero.Readings[i].Value = 0
		}
	}
	odd.Readings = append(slices.Clone(in.Readings), recordings.Reading{Suite: "warp", Name: "latency",
		Parameters: "shuffle", Value: 1})
	unknown.Provenance.ComputeCapability = "nine"
	blank := in
	blank.Scratchpad = nil
	for word, in := range map[string]Input{"sm_clock": zero, `"shuffle"`: odd, `"nine"`: unknown,
		"scratchpad.csv": blank} {
		if _, _, err := assembled(in); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), word) {
			t.Errorf("error %v, want one that names %s", err, word)
		}
	}
}

// TestProfileAssumes: what is not measured is assumed, and listed as such.
func TestProfileAssumes(t *testing.T) {
	in := only(synthesised(t, 0.01, 7), needed...)
	for _, r := range []struct{ suite, name string }{
		{"call", "dependent_kernels"}, {"call", "host_relayout"}, {"call", "clear_kernel"},
		{"memory", "atomic_kernel_bandwidth"},
		{"global", "footprint"}, {"shared", "contention"}, {"returns", "throughput"},
	} {
		in = without(in, r.suite, r.name)
	}
	in.Readings = slices.DeleteFunc(in.Readings, func(r recordings.Reading) bool {
		return r.Name == "throughput" && strings.Contains(r.Parameters, "spread=warp") &&
			!strings.Contains(r.Parameters, "targets=1 ") &&
			!strings.Contains(r.Parameters, "targets=1048576")
	})
	p, report, err := assembled(in)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, u := range report.Unidentified {
		said[u.Name] = u.Reason
	}
	for _, name := range []string{"core.schedulers", "shared.bank_bytes", "global.sector_bytes",
		"launch.gap", "host.relayout", "launch.clear_free",
		"memory.atomic_kernel_rate", "memory.l2_atomic_bytes", "memory.miss_bytes", "global.chunk_bytes",
		"global.region_bytes",
		"global.region_slices", "shared_atomics.f32_add.hold"} {
		if said[name] == "" {
			t.Errorf("%s is not listed as assumed", name)
		}
	}
	for name, reason := range said {
		if strings.Contains(reason, "H200") {
			t.Errorf("%s: %q says what another device has", name, reason)
		}
	}
	for _, q := range report.Quantities {
		if said[q.Name] != "" {
			t.Errorf("%s is listed as measured and as assumed", q.Name)
		}
	}
	if p.Global.Answers != nil {
		t.Errorf("old values of a device whose slices were not measured take %+v", p.Global.Answers)
	}
	if p.SharedAtomic(device.F32).Hold.Value != p.SharedAtomic(device.F32).Round.Value {
		t.Errorf("hold %v, want one turn", p.SharedAtomic(device.F32).Hold.Value)
	}
}

// TestProfileOnce: readings without repeats give a profile, but no interval, and
// the report says so of each quantity that comes from one, and of no other.
func TestProfileOnce(t *testing.T) {
	in := only(synthesised(t, 0.01, 8), needed...)
	in.Readings = slices.Clone(in.Readings)
	for i := range in.Readings {
		if r := &in.Readings[i]; slices.Contains([]string{"sm_clock", "dependent_kernel_spin", "host_relayout",
			"read_bandwidth"}, r.Name) {
			r.Repeats, r.Low, r.High = 1, r.Value, r.Value
		}
	}
	_, report, err := assembled(in)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range report.Unidentified {
		if u.Reason == "one repeat: no interval" {
			got = append(got, u.Name)
		}
	}
	for _, name := range []string{"core.clock", "launch.gap", "host.relayout", "memory.l2_rate",
		"memory.dram_rate", "global.sm_sector"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not listed as of one repeat, but %v are", name, got)
		}
	}
	for _, name := range []string{"core.barrier", "launch.first", "exchange.match_latency",
		"global.load_latency", "core.sms"} {
		if slices.Contains(got, name) {
			t.Errorf("%s is listed as of one repeat", name)
		}
	}
}

// TestColumnInstruction: an entry names what the column's kernel does; where that
// is not known, what the kernel of the throughput does, or that it is unknown.
func TestColumnInstruction(t *testing.T) {
	in := only(synthesised(t, 0.01, 9), append(needed, "u32_store")...)
	in.Instructions = map[string]string{"u32_load": "ld.volatile.shared.u32"}
	in.Readings = slices.Clone(in.Readings)
	for i := range in.Readings {
		for _, op := range []string{"u32_load", "u32_add"} {
			if r := &in.Readings[i]; r.Suite == "shared" && r.Name == "throughput" &&
				strings.HasPrefix(r.Parameters, "op="+op+" ") {
				r.Instruction = "throughput of " + op
			}
		}
	}
	p, _, err := assembled(in)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"u32_load": "ld.volatile.shared.u32",
		"u32_add": "throughput of u32_add", "u32_store": "not recorded"} {
		if got := p.SharedAtomics[key].Instruction; got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
