package micro

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

const counterTable = `==PROF== Connected to process 7
shared_u32_bank: shared_throughput_u32_add
==PROF== Disconnected from process 7
"ID","Process ID","Kernel Name","dram__bytes_read.sum","lts__t_sectors_op_red.sum","l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"
"","","","byte","sector",""
"0","7","shared_throughput_u32_add","1,024","n/a","65472"
`

func bankCase(t *testing.T) counterCase {
	t.Helper()
	for _, c := range counterCases {
		if c.name == "shared_u32_bank" {
			return c
		}
	}
	t.Fatal("no case")
	return counterCase{}
}

// TestParseCounters: values with separators, units, and counters that a GPU does
// not have.
func TestParseCounters(t *testing.T) {
	readings, missing, err := parseCounters([]byte(counterTable), bankCase(t), hopper())
	if err != nil || len(readings) != 3 || len(missing) != len(counterMetrics)-2 {
		t.Fatalf("%v, missing %v, %v", readings, missing, err)
	}
	for i, want := range []struct {
		name  string
		value float64
		unit  string
	}{
		{"warp_operations", 264 * 8, "1"},
		{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", 65472, "1"},
		{"dram__bytes_read.sum", 1024, "byte"},
	} {
		r := readings[i]
		if r.Name != want.name || r.Value != want.value || r.Unit != want.unit ||
			r.Parameters != "case=shared_u32_bank" ||
			r.Kernel != "shared_throughput_u32_add" || !strings.HasPrefix(r.Instruction,
			"atom.shared.add.u32") ||
			r.Launch != "1x256+32768" || r.Unroll != 8 {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
}

// TestParseCountersErrors: what is not a table of one launch.
func TestParseCountersErrors(t *testing.T) {
	lines := strings.SplitAfter(counterTable, "\n")
	for text, words := range map[string]string{
		"==ERROR== no permission\n":                           "no permission",
		strings.Join(lines[:5], ""):                           "2 of 3 rows",
		counterTable + lines[5]:                               "more than one launch",
		strings.Join(lines[:3], "") + "\"ID\"\n\"\"\n\"0\"\n": "none of the counters",
	} {
		_, _, err := parseCounters([]byte(text), bankCase(t), hopper())
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want %q", text, err, words)
		}
	}
}

// TestCounters: the profiler gets the case's command line, and its failure is a
// warning.
func TestCounters(t *testing.T) {
	folder := t.TempDir()
	table := filepath.Join(folder, "table")
	must.Do(t, os.WriteFile(table, []byte(counterTable), 0o644))
	script := func(text string) string {
		path := filepath.Join(folder, "ncu")
		must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
		return path
	}
	c := &Counters{Profiler: script(`echo "$*" >` + folder + `/args; cat ` + table),
		Program: []string{"atomprobe", "launch"}}
	r, err := c.read(t.Context(), bankCase(t), hopper())
	if err != nil || len(r.Readings) != 3 || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "lts__t_sectors_op_red.sum") {
		t.Errorf("%+v, %v", r, err)
	}
	args, err := os.ReadFile(filepath.Join(folder, "args"))
	if err != nil || !strings.HasSuffix(string(args), " atomprobe launch shared_u32_bank\n") ||
		!strings.Contains(string(args), "--clock-control none") {
		t.Errorf("%s, %v", args, err)
	}
	c.Profiler = script("echo '==ERROR== ERR_NVGPUCTRPERM' >&2; exit 1")
	r, err = c.read(t.Context(), bankCase(t), hopper())
	if err != nil || len(r.Readings) != 0 || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "ERR_NVGPUCTRPERM") {
		t.Errorf("%+v, %v", r, err)
	}
}

// FuzzParseCounters: the output of a profiler has readings from 0 on and names what is missing, or
// is an error.
func FuzzParseCounters(f *testing.F) {
	f.Add([]byte(counterTable))
	f.Add([]byte("\"ID\"\n\"\"\n\"0\"\n"))
	var c counterCase
	for _, one := range counterCases {
		if one.name == "shared_u32_bank" {
			c = one
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		readings, missing, err := parseCounters(text, c, hopper())
		allocation.Bound(t, len(text), func() { readings, missing, err = parseCounters(text, c, hopper()) })
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if len(readings)+len(missing) != 1+len(counterMetrics) {
			t.Errorf("%d readings, missing %q", len(readings), missing)
		}
		for _, r := range readings {
			if !(r.Value >= 0) {
				t.Errorf("%s: %v", r.Name, r.Value)
			}
		}
	})
}
