package elteir11

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// fittedTo names the experiments whose values each constant of the Radeon's profile was fitted
// to, by the profile's source.
var fittedTo = map[string][]string{
	"fit to [elteir11] section III": {"figure4"},
	"fit to [elteir11] Figure 8":    {"figure8", "section5"},
}

// TestFittedConstantsAreNamed: what was fitted to a figure is named in reasons of at least two
// of its rows.
func TestFittedConstantsAreNamed(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(statements)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var fitted []string
	for name, source := range sources(t) {
		if !strings.HasPrefix(source, "fit") {
			continue
		}
		fitted = append(fitted, name)
		if len(fittedTo[source]) == 0 {
			t.Errorf("%s: no experiment has %q", name, source)
		}
		for _, experiment := range fittedTo[source] {
			rows := 0
			for _, l := range lines {
				if l[0] == experiment && strings.Contains(l[5], "Fitted: the profile's ") &&
					strings.Contains(l[5], name) {
					rows++
				}
			}
			if rows < 2 {
				t.Errorf("%s: %d rows of %s name it", name, rows, experiment)
			}
		}
	}
	slices.Sort(fitted)
	if want := []string{"around_kernel", "copy_same", "fence"}; !slices.Equal(fitted, want) {
		t.Errorf("fitted constants: %q, want %q", fitted, want)
	}
}

// sources are the sources of the Radeon's quantities by their names in the profile.
func sources(t *testing.T) map[string]string {
	t.Helper()
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var profile any
	if err := json.Unmarshal(text, &profile); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	var walk func(name string, at any)
	walk = func(name string, at any) {
		fields, ok := at.(map[string]any)
		if !ok {
			return
		}
		if source, ok := fields["source"].(string); ok {
			all[name] = source
		}
		for key, field := range fields {
			walk(key, field)
		}
	}
	walk("", profile)
	return all
}
