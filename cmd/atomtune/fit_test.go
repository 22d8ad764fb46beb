package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/latency"
)

// TestFit: a fit finds the device that the measurements come from, and its
// profile predicts as that device does.
func TestFit(t *testing.T) {
	inputs(t)
	doc := need(t, "fit", document(t, "fit", "--device", "h200", "--type", "f32", "--out", "mine.json",
		"measurements.csv"), "file fits profile warnings")
	fits, _ := doc["fits"].([]any)
	if len(fits) != 1 {
		t.Fatalf("%d fits, want 1", len(fits))
	}
	one := need(t, "fit", fits[0],
		"column type operation mechanism banks locks constants fitted held_out outliers unidentified")
	if one["mechanism"] != "lock" || one["banks"] != 32.0 || one["locks"] != 1024.0 ||
		one["type"] != "f32" || one["operation"] != "add" {
		t.Errorf("fitted %v %v by %v with %v banks, %v locks", one["type"], one["operation"],
			one["mechanism"], one["banks"], one["locks"])
	}
	found := map[string]string{}
	for _, c := range one["constants"].([]any) {
		constant := need(t, "constant", c, "name cycles interval")
		found[fmt.Sprint(constant["name"])] = fmt.Sprintf("%.2f", constant["cycles"])
	}
	if got := fmt.Sprint(found); got != "map[bank:32.00 base:108.00 round:120.00 write:32.00]" {
		t.Errorf("constants %s", got)
	}
	encoded, err := device.Load("./mine.json")
	if err != nil {
		t.Fatal(err)
	}
	if name := need(t, "profile", doc["profile"],
		"name shared_atomics")["name"]; name != encoded.Name {
		t.Errorf("the document has the profile of %v, the file that of %s", name, encoded.Name)
	}
	want := done(t, "latency", "--device", "gtx580", "--type", "f32", "--patterns", "patterns.txt")
	if got := done(t, "latency", "--device", "mine.json", "--type", "f32", "--patterns",
		"patterns.txt"); got != want {
		t.Errorf("the fitted profile predicts %s, want %s", got, want)
	}
}

// TestFitColumns: columns are fitted by their names, and one whose name says
// nothing is left out with a warning, unless flags say what it is.
func TestFitColumns(t *testing.T) {
	inputs(t)
	doc := document(t, "fit", "recorded.csv.gz")
	if text := fmt.Sprint(doc["warnings"]); !strings.Contains(text, "u32_inc") {
		t.Errorf("warnings %s", text)
	}
	var got []string
	for _, f := range doc["fits"].([]any) {
		one := need(t, "fit", f, "column type operation")
		got = append(got, fmt.Sprint(one["column"], one["type"], one["operation"]))
	}
	if input.List(got) != "f32_addf32add, u32_storeu32store" {
		t.Errorf("fitted %v", got)
	}
	one := document(t, "fit", "--column", "u32_inc", "--type", "i32", "--op", "min",
		"recorded.csv.gz")["fits"].([]any)
	if fields := need(t, "fit", one[0], "type operation"); len(one) != 1 || fields["type"] != "i32" ||
		fields["operation"] != "min" {
		t.Errorf("--column u32_inc: %v", fields)
	}
	failed(t, exitFailed, "", []string{"fit", "--column", "nothing", "recorded.csv.gz"},
		"recorded.csv.gz", "nothing", "u32_inc")
}

// TestSharedEntry: where two columns end in one entry of the profile, the
// document says which one lost.
func TestSharedEntry(t *testing.T) {
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
	doc := fitDocument{File: "two.csv", base: base, Fits: []columnFit{
		{"u32_add", device.U32, device.OpAdd, fit.Result{Params: params}},
		{"f32_add", device.F32, device.OpAdd, fit.Result{Params: slower}},
	}}
	if err := doc.install(); err != nil {
		t.Fatal(err)
	}
	if len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "column u32_add") {
		t.Errorf("warnings %q", doc.Warnings)
	}
}

// TestNotInstalled: a fit that the profile cannot hold is left out.
func TestNotInstalled(t *testing.T) {
	params, err := latency.ForDevice(profile(t, "gtx580"), device.OpAdd, device.F32)
	if err != nil {
		t.Fatal(err)
	}
	loads := latency.Params{Structure: params.Structure, Constants: latency.Constants{Base: 30}}
	loads.Mechanism = device.Access
	doc := fitDocument{File: "loads.csv", base: profile(t, "gtx580"), Fits: []columnFit{
		{"u32_add", device.U32, device.OpAdd, fit.Result{Params: loads}},
	}}
	if err := doc.install(); err != nil {
		t.Fatal(err)
	}
	if doc.Profile != nil || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0],
		"a plain access adds nothing") {
		t.Errorf("profile %s, warnings %q", doc.Profile, doc.Warnings)
	}
	doc.Fits = append(doc.Fits, columnFit{"f32_add", device.F32, device.OpAdd,
		fit.Result{Params: params}})
	if err := doc.install(); err != nil || doc.Profile == nil {
		t.Errorf("with a second column: %v, profile of %d bytes", err, len(doc.Profile))
	}
}

// TestFitForm: the form of the text and of the document, with made-up numbers.
func TestFitForm(t *testing.T) {
	doc := fitDocument{
		File: "measurements.csv", Rows: 7776, Lanes: 32, Profile: []byte("{}"),
		Warnings: []string{"this is made up"},
		base:     profile(t, "gtx580"), out: "mine.json",
		Fits: []columnFit{{
			Column: "f32_add", Type: device.F32, Operation: device.OpAdd,
			Result: fit.Result{
				Params: latency.Params{Structure: latency.Structure{Mechanism: device.Spin, Lanes: 32,
					Banks: 32, Locks: 1024, StepTurn: 3},
					Constants: latency.Constants{Hidden: 4}},
				Constants: []fit.Constant{{Name: "base", Cycles: 105.44,
					Interval: fit.Interval{Low: 105.4, High: 105.5}},
					{Name: "merge_saved", Cycles: 13.25, Interval: fit.Interval{Low: 12.5, High: 14}}},
				Fitted:       fit.Residuals{Rows: 3888, Median: 0.00005, P90: 0.0125, P95: 0.02, Max: 0.5},
				HeldOut:      fit.Residuals{Rows: 3888, Median: 0.001, P90: 0.0225, P95: 0.03, Max: 0.75},
				Outliers:     1234,
				Unidentified: []fit.Unidentified{{Name: "partial", Reason: "no row has it"}},
			},
		}},
	}
	text, document := render(t, func(e *env) error {
		return report.EmitPage(e, doc, func(p *report.Page) { printFits(p, doc) })
	})
	printed(t, "fit-form", text)
	printed(t, "fit-form-json", document)
}
