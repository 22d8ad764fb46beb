package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"

	"github.com/google/licensecheck"
)

// permitted are the licences that modules may have, by what they are used for. What is shipped
// asks for its terms beside the programs and nothing else. Code of the laboratory and of tests is
// run in a clone and goes into no archive.
var permitted = map[string][]string{
	"product": {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "ISC", "MIT", "SunPro",
		"Unlicense", "Zlib", "LicenseRef-Bogaert", "LicenseRef-W3C-TestSuite"},
	"laboratory": {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0",
		"FTL OR GPL-2.0-or-later", "LicenseRef-dataframe-go", "MIT", "OFL-1.1"},
	"test": {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "MPL-2.0"},
}

// recognizedShare is the part of a text, in percent, that known licences must cover.
const recognizedShare = 95

// recognized is the SPDX expression of a text, "" where more stands in it than known licences.
func recognized(text []byte) string {
	cover := licensecheck.Scan(text)
	if cover.Percent < recognizedShare {
		return ""
	}
	var names []string
	for _, m := range cover.Match {
		names = append(names, m.ID)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " AND ")
}

// usedModules are the folders of the modules that the packages need, by path.
func usedModules(t *testing.T, folder, system string, args ...string) map[string]string {
	t.Helper()
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}"
	cmd := exec.Command("go", append([]string{"list", "-deps", "-f", format}, args...)...)
	goos, goarch, _ := strings.Cut(system, "_")
	cgo := "CGO_ENABLED=0"
	if system == hostPlatform().String() {
		cgo = "CGO_ENABLED=1" // clib
	}
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, cgo)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v: %s", system, err, stderr.String())
	}
	list := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if module, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			list[module] = folder
		}
	}
	return list
}

// found are the terms of all modules that are used, each with its first use.
func found(t *testing.T, known []terms) (all []terms) {
	t.Helper()
	host := hostPlatform().String()
	seen := map[string]bool{}
	take := func(use string, modules map[string]string) {
		for module, folder := range modules {
			if !seen[module] {
				seen[module] = true
				all = append(all, termsOf(t, module, use, folder, known)...)
			}
		}
	}
	out := must.Get(exec.Command("go", "env", "GOROOT").Output())(t)
	take("product", map[string]string{"std": strings.TrimSpace(string(out))})
	for _, p := range platforms {
		take("product", usedModules(t, "../..", p.String(), "./cmd/atomtune", "./cmd/atomprobe"))
	}
	take("product", usedModules(t, "../..", host, "./clib"))
	take("product", usedModules(t, "../..", "js_wasm", "./explorer/wasm"))
	take("laboratory", usedModules(t, "../..", host, "./..."))
	take("test", usedModules(t, "../..", host, "-test", "./..."))
	slices.SortFunc(all, func(a, b terms) int {
		return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.File, b.File))
	})
	return all
}

// termsOf are the terms of a module. What is not recognized keeps what a person wrote of the same
// text.
func termsOf(t *testing.T, module, use, folder string, known []terms) (list []terms) {
	t.Helper()
	files := must.Get(licencesIn(module, folder))(t)
	for _, f := range files {
		name := strings.TrimPrefix(f.Name, "licences/"+module+"/")
		e := terms{Module: module, Use: use, File: name, Licence: recognized(f.Data),
			Hash: fmt.Sprintf("%x", sha256.Sum256(f.Data))}
		for _, k := range known {
			if k.Module == module && k.Hash == e.Hash && e.Licence == "" {
				e.Licence, e.Why = k.Licence, k.Why
			}
		}
		list = append(list, e)
	}
	return list
}

// faultOf says what is wrong with the terms, "" for nothing.
func faultOf(e terms) string {
	switch {
	case e.Licence == "":
		return "its text is not recognized: read it, and write the licence and why into licences.csv"
	case permitted[e.Use] == nil:
		return "use " + e.Use + " is unknown"
	}
	for part := range strings.SplitSeq(e.Licence, " AND ") {
		if !slices.Contains(permitted[e.Use], part) {
			return part + " is not permitted for use " + e.Use
		}
	}
	return ""
}

// TestLicences holds licences.csv to the modules that go names: a module without an entry, a
// changed text, and a licence that is not permitted fail.
func TestLicences(t *testing.T) {
	golden.OnlyFull(t)
	known := must.Get(readTerms())(t)
	all := found(t, known)
	uses := map[string]int{}
	for _, e := range all {
		uses[e.Use]++
		if fault := faultOf(e); fault != "" {
			t.Errorf("%s %s: %s", e.Module, e.File, fault)
		}
	}
	for use := range permitted {
		if uses[use] == 0 {
			t.Errorf("no module of use %s was found", use)
		}
	}
	if golden.Update() {
		writeTerms(t, all)
		known = all
	}
	for _, e := range all {
		if !slices.Contains(known, e) {
			t.Errorf("licences.csv lacks %+v: read the text, and renew the table", e)
		}
	}
	for _, e := range known {
		if !slices.Contains(all, e) {
			t.Errorf("licences.csv has %+v, which is used no longer or has changed", e)
		}
	}
}

func writeTerms(t *testing.T, all []terms) {
	t.Helper()
	var text bytes.Buffer
	rows := [][]string{termsHead}
	for _, e := range all {
		rows = append(rows, []string{e.Module, e.Use, e.File, e.Licence, e.Hash, e.Why})
	}
	must.Do(t, csv.NewWriter(&text).WriteAll(rows))
	must.Do(t, os.WriteFile("licences.csv", text.Bytes(), 0o644))
}

// TestTermsAreJudged: texts with more than known licences are not recognized, and each fault of an
// entry is named.
func TestTermsAreJudged(t *testing.T) {
	mit := must.Get(os.ReadFile("testdata/mit.txt"))(t)
	if got := recognized(mit); got != "MIT" {
		t.Errorf("recognized %q", got)
	}
	more := append(slices.Clone(mit), "\nThe software must not be used on Sundays by anyone at all.\n"...)
	if got := recognized(more); got != "" {
		t.Errorf("with another condition: %q", got)
	}
	for _, c := range []struct {
		licence, use, want string
	}{
		{"MIT", "product", ""}, {"Apache-2.0 AND MIT", "product", ""},
		{"GPL-3.0-only", "product", "not permitted"}, {"MIT AND CC-BY-4.0", "product", "not permitted"},
		{"MPL-2.0", "laboratory", "not permitted"}, {"MPL-2.0", "test", ""},
		{"", "product", "not recognized"}, {"MIT", "other", "unknown"},
	} {
		got := faultOf(terms{Licence: c.licence, Use: c.use})
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s as %s: %q, want %q", c.licence, c.use, got, c.want)
		}
	}
	said := expressions([]terms{{Module: "m", Licence: "MIT AND Zlib"}, {Module: "m", Licence: "MIT"}})
	if said["m"] != "MIT AND Zlib" {
		t.Errorf("together: %q", said)
	}
}
