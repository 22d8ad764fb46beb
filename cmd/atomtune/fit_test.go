package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// TestFit: a fit finds the device that the measurements come from, and its profile predicts as that device does.
func TestFit(t *testing.T) {
	inputs(t)
	doc := need(t, "fit", document(t, line("fit --device h200 --type f32 --out mine.json measurements.csv")...),
		"file fits profile warnings")
	fits, _ := doc["fits"].([]any)
	if len(fits) != 1 {
		t.Fatalf("%d fits, want 1", len(fits))
	}
	one := need(t, "fit", fits[0],
		"column type operation mechanism banks locks constants fitted held_out outliers unidentified")
	got := fmt.Sprint(one["mechanism"], one["banks"], one["locks"], one["type"], one["operation"])
	for _, c := range one["constants"].([]any) {
		constant := need(t, "constant", c, "name cycles interval")
		got += fmt.Sprintf(" %s:%.2f", constant["name"], constant["cycles"])
	}
	if want := "lock32 1024f32add base:108.00 round:120.00 bank:32.00 write:32.00"; got != want {
		t.Errorf("fitted %s, want %s", got, want)
	}
	encoded, err := device.Load("./mine.json")
	if err != nil || need(t, "profile", doc["profile"], "name shared_atomics")["name"] != encoded.Name {
		t.Errorf("the file is %v, %v", encoded, err)
	}
	const predict = "latency --type f32 --patterns patterns.txt --device "
	if got, want := done(t, line(predict+"mine.json")...), done(t, line(predict+"gtx580")...); got != want {
		t.Errorf("the fitted profile predicts %s, want %s", got, want)
	}
}

// TestFitColumns: columns are fitted by their names, and one whose name says nothing is left out with a warning,
// unless flags say what it is.
func TestFitColumns(t *testing.T) {
	inputs(t)
	for more, want := range map[string]string{"": " f32_add f32 add u32_store u32 store",
		"--column u32_inc --type i32 --op min": " u32_inc i32 min"} {
		doc, got := document(t, line("fit recorded.csv.gz", more)...), ""
		for _, f := range doc["fits"].([]any) {
			one := need(t, "fit", f, "column type operation")
			got += fmt.Sprintf(" %v %v %v", one["column"], one["type"], one["operation"])
		}
		if got != want || strings.Contains(fmt.Sprint(doc["warnings"]), "u32_inc") != (more == "") {
			t.Errorf("%s: fitted %s, warnings %v", more, got, doc["warnings"])
		}
	}
}

// TestInstalled: where two columns end in one entry of the profile, the document says which one lost; a fit that the
// profile cannot hold is left out.
func TestInstalled(t *testing.T) {
	base := profile(t, "gtx580")
	if base.Types[device.U32].Shared != base.Types[device.F32].Shared {
		t.Fatal("u32 and f32 of gtx580 have an entry each")
	}
	params, err := latency.ForDevice(base, device.OpAdd, device.F32)
	if err != nil {
		t.Fatal(err)
	}
	slower := params
	slower.Base = 2 * slower.Base
	loads := latency.Params{Structure: params.Structure, Constants: latency.Constants{Base: 30}}
	loads.Mechanism = device.Access
	first := columnFit{"u32_add", device.U32, device.OpAdd, calibration.Result{Params: params}}
	second := columnFit{"f32_add", device.F32, device.OpAdd, calibration.Result{Params: slower}}
	none := columnFit{"u32_add", device.U32, device.OpAdd, calibration.Result{Params: loads}}
	for _, c := range []struct {
		fits   []columnFit
		filled bool
	}{{[]columnFit{first, second}, true}, {[]columnFit{none}, false}, {[]columnFit{none, second}, true}} {
		doc := fitDocument{File: "two.csv", base: base, Fits: c.fits}
		if err := doc.install(); err != nil || len(doc.Warnings) != 1 || (doc.Profile != nil) != c.filled ||
			!strings.Contains(doc.Warnings[0], "u32_add") {
			t.Errorf("%v, profile of %d bytes, warnings %q", err, len(doc.Profile), doc.Warnings)
		}
	}
}

// TestFitProfile: a run's files give a profile, the same to the byte in whatever order they are named, and calls
// beside them do not matter.
func TestFitProfile(t *testing.T) {
	inputs(t)
	told := regexp.MustCompile(`(?m)^(# column: u32_add .*instruction=)`).ReplaceAll(read(t, "run/scratchpad.csv"),
		[]byte("${1}atom.shared.add.u32"))
	write(t, "run/scratchpad.csv", told)
	done(t, line("fit --name mine --out one.json run/readings.csv run/scratchpad.csv")...)
	doc := need(t, "fit", document(t, line("fit --name mine --out two.json run/scratchpad_spread.csv run/scratchpad.csv",
		"run/calls.csv run/readings.csv")...),
		"readings patterns not_fitted gpu starts quantities columns unidentified warnings profile")
	if !bytes.Equal(read(t, "one.json"), read(t, "two.json")) {
		t.Error("the order of the files matters")
	}
	if others, _ := doc["not_fitted"].([]any); len(others) != 2 {
		t.Errorf("not fitted: %v, want calls and spread", doc["not_fitted"])
	}
	found := map[any]bool{}
	for _, q := range doc["quantities"].([]any) {
		found[need(t, "quantity", q, "name value unit interval source rationale")["name"]] = true
	}
	for _, name := range line("core.clock global.slices launch.next shared_atomics.f32_add.round global_atomics.f64.same_address") {
		if !found[name] {
			t.Errorf("%s is not a quantity of the document", name)
		}
	}
	mine, err := device.Load("./one.json")
	if err != nil {
		t.Fatal(err)
	}
	gpu := profile(t, "h200")
	if mine.Name != "mine" || mine.Title != "NVIDIA H200" || mine.Core.SMs.Value != gpu.Core.SMs.Value ||
		mine.Global.ChunkBytes.Value != gpu.Global.ChunkBytes.Value ||
		mine.SharedAtomics["u32_add"].Instruction != "atom.shared.add.u32" {
		t.Errorf("%s, %s: %+v", mine.Name, mine.Title, mine)
	}
	done(t, line("choose --device one.json indices.npy")...)
	if page := done(t, line("fit --out one.json run/readings.csv run/scratchpad.csv")...); !strings.Contains(unfilled(page), trainCommand("one.json")) {
		t.Errorf("what comes next is not named:\n%s", page)
	} else if !strings.Contains(page, "--device h200") {
		t.Errorf("the built-in profile of the GPU is not named:\n%s", page)
	}
}

// TestBrokenRuns: what is missing or broken in a run is named.
func TestBrokenRuns(t *testing.T) {
	inputs(t)
	readings := string(read(t, "run/readings.csv"))
	drop := func(word string) string {
		return regexp.MustCompile(`(?m)^`+word+`.*\n`).ReplaceAllString(readings, "")
	}
	replace := func(old, with string) string { return strings.Replace(readings, old, with, 1) }
	for name, f := range map[string]struct{ content, words string }{
		"calls.csv":      {drop("call,"), "call sm_clock"},
		"warp.csv":       {drop("warp,latency"), "warp op=shuffle"},
		"nameless.csv":   {drop("# gpu"), "GPU"},
		"capability.csv": {replace("9.0", "nine"), "nine"},
		"other.csv":      {replace("NVIDIA H200", "NVIDIA A100"), "H200 A100"},
		"number.csv":     {replace(",MHz,", ",,"), "number.csv: unit"},
		"value.csv":      {replace("device,sm_count,,132", "device,sm_count,,many"), "value.csv: many"},
		"sms.csv":        {replace("device,sm_count,,132,1,132,132", "device,sm_count,,1.5,1,1.5,1.5"), "sms"},
	} {
		write(t, name, []byte(f.content))
		failed(t, exitFailed, "", line("fit --out mine.json", name, "run/scratchpad.csv"), line(f.words)...)
	}
	failed(t, exitFailed, "", line("fit run/readings.csv"), "scratchpad.csv")
	if _, err := os.Stat("mine.json"); err == nil {
		t.Error("a failed fit left a file")
	}
}

// rowScatters is a table of calls that each take as long as its stream is late in the table.
func rowScatters() string {
	var b strings.Builder
	b.WriteString("# gpu: NVIDIA H200\nlabel,updates,rows,unique,max_frequency,type,width,form,slots," +
		"median_us,min_us,max_us,repeats,wrong\n")
	for seed := range 6 {
		for _, form := range []string{"naive", "runs", "hot", "sort", "torch.index_add_"} {
			fmt.Fprintf(&b, "\"sequential:n=4096,k=4096,seed=%d\",4096,4096,4096,1,f32,8,%s,0,%d,1,99,10,0\n", seed, form,
				9+seed)
		}
	}
	return b.String()
}

// TestFitRows: row scatters alone set the times of rows of a base, and nothing else of it.
func TestFitRows(t *testing.T) {
	inputs(t)
	doc := need(t, "fit", document(t, line("fit --device h200 --out mine.json rows.csv")...), "rows quantities profile")
	for _, q := range doc["quantities"].([]any) {
		name := fmt.Sprint(need(t, "quantity", q, "name value interval residuals")["name"])
		if !strings.HasPrefix(name, "rows.") {
			t.Errorf("%s was fitted", name)
		}
	}
	mine, err := device.Load("./mine.json")
	if err != nil {
		t.Fatal(err)
	}
	base, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	if mine.Rows.Launch.Value == base.Rows.Launch.Value || !strings.Contains(mine.Rows.Launch.Rationale, "95 % interval") {
		t.Errorf("a launch takes %+v", mine.Rows.Launch)
	}
	with := *base
	with.Rows, with.Title = mine.Rows, mine.Title
	one, errOne := with.Encode()
	two, errTwo := mine.Encode()
	if errOne != nil || errTwo != nil || !bytes.Equal(one, two) {
		t.Errorf("more than rows changed: %v, %v", errOne, errTwo)
	}
	whole := need(t, "fit", document(t, line("fit rows.csv run/readings.csv run/scratchpad.csv")...), "quantities unidentified")
	if got := fmt.Sprint(whole["quantities"]); !strings.Contains(got, "core.clock") || !strings.Contains(got, "rows.launch") ||
		strings.Contains(fmt.Sprint(whole["unidentified"]), "name:rows ") {
		t.Errorf("beside readings: %s, not identified: %v", got, whole["unidentified"])
	}
	broken := strings.Replace(rowScatters(), ",13,1,", ",0,1,", 1)
	if err := os.WriteFile("rows.csv", []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := atomtune("", "fit", "rows.csv"); o.Code != 1 || !strings.Contains(o.Stderr, "rows.csv:23: median_us 0") {
		t.Errorf("%+v", o)
	}
}
