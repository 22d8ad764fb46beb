package emit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/bindings/cuda/emit"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/bench"
)

// TestFixedPoint: what is said of deterministic sums is what the recordings of the bench hold.
func TestFixedPoint(t *testing.T) {
	files, err := filepath.Glob("../../../lab/bench/recorded/*.csv.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	slices.Sort(files)
	slices.Reverse(files) // the H200 first, which stands for GPUs that no bench ran on
	var list []emit.FixedPoint
	for _, file := range files {
		run := must.Get(bench.Read(file))(t)
		for _, of := range []device.Type{device.F32, device.F64} {
			list = append(list, fixedPoint(run, of))
		}
	}
	data := must.Get(json.MarshalIndent(list, "", "  "))(t)
	data = append(data, '\n')
	if golden.Update() {
		must.Do(t, os.WriteFile("fixed.json", data, 0o644))
	}
	committed, err := os.ReadFile("fixed.json")
	if diff := cmp.Diff(string(committed), string(data)); err != nil || diff != "" {
		t.Errorf("fixed.json, %v (-committed +recorded; ATOMTUNE_UPDATE_GOLDEN=1 renews it):\n%s", err, diff)
	}
}

// fixedPoint compares the calls of one run on a type.
func fixedPoint(run *bench.Run, of device.Type) emit.FixedPoint {
	var ratios []float64
	for _, c := range run.Cases {
		fixed, has := c.Times[bench.Place{Index: "u32", Implementation: "atomtune:deterministic"}]
		sort, can := c.Times[bench.Place{Index: "u32", Implementation: "sort"}]
		if c.Type == of && c.Operand == device.Loaded && has && can && fixed.Wrong == 0 && sort.Wrong == 0 {
			ratios = append(ratios, fixed.US/sort.US)
		}
	}
	slices.Sort(ratios)
	at := func(q float64) float64 {
		short, _ := strconv.ParseFloat(strconv.FormatFloat(quantile.Of(ratios, q), 'g', 3, 64), 64)
		return short
	}
	return emit.FixedPoint{GPU: run.GPU, Type: of, Streams: len(ratios), Median: at(0.5), Low: at(0.05),
		High: at(0.95)}
}

var number = regexp.MustCompile(`\b\d+(\.\d+)?\b`)

// TestDeterministic: a call that no ranking holds is named for sums of floats on GPUs that run CUDA,
// with what was measured there, or on the H200.
func TestDeterministic(t *testing.T) {
	f32 := device.Call{Type: device.F32}
	var list []emit.FixedPoint
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("fixed.json"))(t), &list))
	for _, c := range []struct {
		device string
		call   device.Call
		names  string // "" where nothing is said
	}{
		{"h200", f32, "NVIDIA H200"}, {"h100", device.Call{Type: device.F64}, "NVIDIA H100"}, {"a100", f32, "NVIDIA H200"},
		{"hd5870", f32, ""}, {"h200", device.Call{}, ""}, {"h200", device.Call{Type: device.F32, Returns: true}, ""},
		{"h200", device.Call{Type: device.F32, Op: device.Max}, ""}, {"h200", device.Call{Type: device.BF16, Width: 4}, ""},
		{"h200", device.Call{Type: device.F64, Width: 4}, "scatter_add_rows of atomtune_rows_update.cuh with atomtune::deterministic(options)"},
	} {
		d := must.Get(device.Builtin(c.device))(t)
		got := emit.Deterministic(d, c.call)
		if (got == "") != (c.names == "") || !strings.Contains(got, c.names) {
			t.Errorf("%s, %+v: %q, want %s in it", c.device, c.call, got, c.names)
		}
		at := slices.IndexFunc(list, func(f emit.FixedPoint) bool { return f.GPU == c.names && f.Type == c.call.Type })
		if at < 0 {
			continue
		}
		f, bytes := list[at], map[device.Type]int{device.F32: 16, device.F64: 24}[c.call.Type]
		want := strings.Fields(fmt.Sprintf("%d %.3g %.3g %.3g %d", bytes, f.Median, f.Low, f.High, f.Streams))
		if numbers := number.FindAllString(got, -1); !slices.Equal(numbers, want) || !strings.Contains(got, " "+f.Type.String()) {
			t.Errorf("%s, %+v: %q, want %v in it", c.device, c.call, got, want)
		}
	}
}
