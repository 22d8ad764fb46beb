package fit

import (
	"slices"
	"strings"
	"testing"
)

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
