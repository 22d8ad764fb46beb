package micro

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/gpu/driver"
)

// TestShapes: readings say in which shape their kernel was launched.
func TestShapes(t *testing.T) {
	want := map[string]string{
		"call sm_clock ":                                               "132x32+0",
		"call empty_kernels launches=3":                                "1x32+0",
		"memory read_bandwidth bytes=1048576":                          "528x512+0",
		"memory load_latency bytes=65536":                              "1x1+0",
		"warp barrier threads=512":                                     "1x512+0",
		"warp issue op=alu_add warps=64":                               "264x1024+0",
		"shared throughput op=f64_add conflict=bank degree=8 warps=16": "1x512+32768",
		"shared contention op=u32_add warps=8 colliding_warps=0 colliding_lanes=1 degree=8":     "1x256+1156",
		"global throughput op=f64_add spread=line targets=262144 stride=128 sms=33":             "33x1024+232448",
		"returns throughput op=u64_add result=used spread=line sectors=8 warps=8 sms=132":       "132x256+232448",
		"instruction throughput op=u32_add space=global operand=one result=used address=static": "132x1024+0",
	}
	readings := fullRun().must(t).readings
	for _, r := range readings {
		if r.Launch == "" {
			t.Errorf("%s: no shape", readingKey(r))
		}
		if shape, named := want[readingKey(r)]; named {
			delete(want, readingKey(r))
			if r.Launch != shape {
				t.Errorf("%s: launched as %s, want %s", readingKey(r), r.Launch, shape)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("no readings %v", want)
	}
	if _, err := recordings.EncodeReadings(recordings.Provenance{}, readings); err != nil {
		t.Error(err)
	}
}

// TestUnrolls holds the operations of a turn against the PTX, in which they stand
// one after the other: the instruction for which a kernel is there occurs as often.
func TestUnrolls(t *testing.T) {
	checked := 0
	for _, module := range ptx.Modules() {
		m, err := ptx.Load(module)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range m.Kernels {
			want := unrollOf(k.Name)
			opcode := ptx.Atomics(module, k.Name)
			if want == 0 || opcode == "" || strings.Contains(opcode, " ") {
				continue
			}
			at := slices.IndexFunc(k.Instructions,
				func(i ptx.Instruction) bool { return i.Opcode == opcode })
			if k.Name == "read_and_add" { // an addition for every four loads
				want /= 4
			}
			checked++
			// Sums that begin a chain or count its steps stand beside.
			if got := k.Instructions[at].Count; got < want || got > want+want/8+2 {
				t.Errorf("%s: %d times %s, want %d", k.Name, got, opcode, want)
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d kernels have one instruction that counts", checked)
	}
}

// TestScratchpadShapes: each column says by what it was measured.
func TestScratchpadShapes(t *testing.T) {
	g := newBenchGPU(hopper())
	o := Options{Quick: true}
	shape := fmt.Sprintf("%dx32+232448", len(Patterns(g.description, o)))
	columns := 0
	for _, r := range runAll(t, g, Jobs("scratchpad", g.description, o)) {
		for _, c := range r.Patterns {
			columns++
			if c.Launch != shape || c.Unroll != 8 || c.Instruction == "" {
				t.Errorf("%s: launched as %s, unrolled by %d, %q", c.Name, c.Launch, c.Unroll, c.Instruction)
			}
		}
	}
	if columns != 17 {
		t.Errorf("%d columns", columns)
	}
}

// TestStreamSizes: whatever L2 has, some array is an eighth of it to six tenths.
func TestStreamSizes(t *testing.T) {
	for _, c := range []struct{ l2, first uint64 }{
		{512 << 10, 64 << 10}, {3 << 19, 128 << 10}, {4 << 20, 512 << 10}, {50 << 20, 1 << 20},
		{0, 1 << 20},
	} {
		for _, quick := range []bool{false, true} {
			d := hopper()
			d.Attributes = append(slices.Clone(d.Attributes), driver.Attribute{Name: "l2_bytes",
				Value: float64(c.l2), Unit: "byte"})
			sizes := (&bench{device: d, quick: quick}).streamSizes()
			within := slices.ContainsFunc(sizes, func(bytes uint64) bool {
				return bytes >= c.l2/8 &&
					10*bytes <= 6*c.l2
			})
			if sizes[0] != c.first || within != (c.l2 > 0) {
				t.Errorf("L2 of %d bytes, quick %v: sizes %v", c.l2, quick, sizes)
			}
		}
	}
}

// TestQuickHasTwoWarps: what two warps do that share words is measured in a quick
// run too.
func TestQuickHasTwoWarps(t *testing.T) {
	var have []string
	for _, r := range quickRun().must(t).readings {
		have = append(have, readingKey(r))
	}
	for _, op := range contendedOperations {
		for _, key := range []string{
			"shared contention op=" + op + " warps=2 colliding_warps=2 colliding_lanes=32 degree=1",
			"shared throughput op=" + op + " conflict=none degree=1 warps=2",
		} {
			if !slices.Contains(have, key) {
				t.Errorf("no reading %s", key)
			}
		}
	}
}
