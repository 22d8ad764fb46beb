package h200

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestArchive: the archive is without fault, and index and README say what it holds.
func TestArchive(t *testing.T) { archivetest.Run(t, Archive, ".") }

// TestCalls: every call was measured on one start and every reading on two, but for the suite that
// came later, each candidate of a choice in hundreds of calls.
func TestCalls(t *testing.T) {
	recorded := map[variant.Variant]int{}
	kinds := map[device.Call]int{}
	parts := map[recordings.Part]map[string]bool{}
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		calls, err := Archive.Calls(part)
		if err != nil {
			t.Fatal(err)
		}
		parts[part] = map[string]bool{}
		for _, c := range calls {
			if c.Origin != recordings.Measured || c.Starts != archivetest.Starts(c) {
				t.Errorf("%s %s: %s, %d starts", c.Label, c.Implementation, c.Origin, c.Starts)
			}
			if recordings.Half(c.Label) != part {
				t.Fatalf("%s is no stream of part %s", c.Label, part)
			}
			parts[part][c.Label] = true
			recorded[c.Implementation]++
			kinds[c.Call]++
		}
	}
	if fit, held := len(parts[recordings.Fit]), len(parts[recordings.HeldOut]); min(fit, held) < 200 {
		t.Errorf("%d streams to fit to, %d held out", fit, held)
	}
	readings, err := Archive.Readings()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range readings {
		want := 2
		if r.Suite == "returns" {
			want = 1
		}
		if r.Starts != want {
			t.Errorf("%s %s %s: %d starts", r.Suite, r.Name, r.Parameters, r.Starts)
		}
	}
	for _, v := range append(variant.Candidates(), variant.Sized()...) {
		least := 180
		switch v.Base {
		case variant.Coordinator: // a GPU with one way to memory has no use for that
			least = 0
		case variant.Partition:
			least = 25
		}
		if recorded[v] < least {
			t.Errorf("%s: %d calls", v, recorded[v])
		}
	}
	for _, c := range []device.Call{{Type: device.U32}, {Type: device.U32, Operand: device.One},
		{Type: device.F32}, {Type: device.F64}, {Type: device.U32, Returns: true},
		{Type: device.F32, Returns: true}, {Type: device.F64, Returns: true}} {
		if kinds[c] < 400 {
			t.Errorf("%+v: %d calls", c, kinds[c])
		}
	}
}

// TestLabelsMakeStreams makes short streams of all kinds again and compares their
// statistics with the recorded ones.
func TestLabelsMakeStreams(t *testing.T) {
	streams, err := Archive.Streams()
	if err != nil {
		t.Fatal(err)
	}
	made := archivetest.Streams(t, streams, 6, func(label string) bool {
		s := streams[label]
		return strings.Contains(label, ":") && s.Updates <= 1<<19 && s.Bins <= 1<<20
	})
	if made < 10 {
		t.Errorf("%d streams made", made)
	}
}

// TestInstructions checks that the kernel of each column of the scratchpad holds
// the instruction that its column is named for, once for each of the 8 unrolled
// operations, and that what is called unused and constant compiled to the
// instructions that return nothing and count.
func TestInstructions(t *testing.T) {
	data, err := Archive.File(archive.InstructionsFile)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil || !slices.Equal(rows[0], []string{"module", "kernel", "instruction", "count"}) {
		t.Fatal(err, rows)
	}
	count := map[string]map[string]int{}
	for _, row := range rows[1:] {
		if count[row[1]] == nil {
			count[row[1]] = map[string]int{}
		}
		n, err := strconv.Atoi(row[3])
		if _, twice := count[row[1]][row[2]]; twice || err != nil || n < 1 {
			t.Errorf("%v: %v", row, err)
		}
		count[row[1]][row[2]] = n
	}
	for column, opcode := range map[string]string{
		"u32_load": "LDS", "u32_store": "LDS", "u32_add": "ATOMS.ADD", "u32_inc": "ATOMS.ADD",
		"u32_min":  "ATOMS.MIN",
		"u32_exch": "ATOMS.EXCH", "u32_casloop": "ATOMS.CAS", "u32_casfree": "ATOMS.CAS",
		"f32_add":     "ATOMS.CAST.SPIN",
		"f32_casloop": "ATOMS.CAS", "f32_casfree": "ATOMS.CAS", "u64_load": "LDS.64",
		"u64_store": "LDS.64",
		"u64_add":   "ATOMS.CAST.SPIN.64", "u64_exch": "ATOMS.EXCH.64", "f64_add": "ATOMS.CAST.SPIN.64",
		"f64_casloop": "ATOMS.CAS.64",
	} {
		if n := count["scratchpad_"+column][opcode]; n != 8 {
			t.Errorf("%s: %d times %q in %v", column, n, opcode, count["scratchpad_"+column])
		}
	}
	for kernel, opcode := range map[string]string{
		"shared_throughput_u32_add_one_unused": "ATOMS.POPC.INC.32",
		"global_throughput_u32_add_lanes":      "REDG.E.ADD.STRONG.GPU",
		"global_chain_u32_add":                 "ATOMG.E.ADD.STRONG.GPU",
		"update_naive_u32_loaded":              "REDG.E.ADD.STRONG.GPU",
		"update_match_u32_loaded":              "MATCH.ANY",
	} {
		if count[kernel][opcode] == 0 {
			t.Errorf("%s: no %q in %v", kernel, opcode, count[kernel])
		}
	}
}

// TestCounters: a warp's 32 colliding adds make 31 bank conflicts, and none
// where the constant 1 is counted.
func TestCounters(t *testing.T) {
	all, err := Archive.Counters()
	if err != nil {
		t.Fatal(err)
	}
	value := map[string]float64{}
	for _, r := range all {
		if r.Starts != 1 || r.Launch == "" || r.Unroll == 0 {
			t.Errorf("%s %s: %d starts, launched as %q, unrolled by %d", r.Name, r.Parameters,
				r.Starts, r.Launch, r.Unroll)
		}
		value[r.Parameters+" "+r.Name] = r.Value
	}
	const conflicts = " l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"
	warps := value["case=shared_u32_position warp_operations"]
	if warps == 0 || value["case=shared_u32_position"+conflicts] != 31*warps {
		t.Errorf("%v warp operations, %v conflicts", warps,
			value["case=shared_u32_position"+conflicts])
	}
	if n, ok := value["case=shared_u32_one_unused_position"+conflicts]; !ok || n != 0 {
		t.Errorf("counting: %v conflicts", n)
	}
}
