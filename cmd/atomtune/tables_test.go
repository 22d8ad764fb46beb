package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tables"
)

// smallTables makes the tables that the command lines of these tests ask for.
func smallTables(t *testing.T, d *device.Profile, types ...device.Type) *tables.Document {
	t.Helper()
	doc, err := tables.Make(context.Background(), tables.Options{
		Devices: []*device.Profile{d}, Types: types, Operand: device.One, Updates: 1024,
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestTables: Markdown, JSON and files hold what package tables makes, of a
// built-in device and of a user's own profile.
func TestTables(t *testing.T) {
	t.Chdir(t.TempDir())
	builtin, err := device.Builtin("gtx580")
	if err != nil {
		t.Fatal(err)
	}
	mine := *builtin
	mine.Name = "mine"
	profile, err := mine.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "mine.json", profile)
	for _, c := range []struct {
		name  string
		d     *device.Profile
		types []device.Type
	}{
		{"gtx580", builtin, []device.Type{device.U32}},
		{"mine.json", &mine, []device.Type{device.U32, device.F32}},
	} {
		name, d := c.name, c.d
		line := []string{"tables", "--device", name, "--value", "one", "--updates", "1024"}
		for _, typ := range c.types {
			line = append(line, "--type", typ.String())
		}
		doc := smallTables(t, d, c.types...)
		if d != builtin { // JSON and files are written in the same way
			if diff := cmp.Diff(string(doc.Markdown(d.Name)), done(t, line...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			continue
		}
		got := new(tables.Document)
		err := json.Unmarshal([]byte(done(t, append(line, "--json")...)), got)
		if diff := cmp.Diff(doc, got); diff != "" || err != nil {
			t.Errorf("%s, --json: %v (-want +got):\n%s", name, err, diff)
		}
		files, err := doc.Files()
		if err != nil {
			t.Fatal(err)
		}
		listed := done(t, append(line, "--out", "made")...)
		for _, f := range files {
			path := filepath.Join("made", f.Name)
			content, err := os.ReadFile(path)
			if err != nil || string(content) != string(f.Content) {
				t.Errorf("%s is not what package tables makes (%v)", path, err)
			}
			if !strings.Contains(listed, path+"\n") {
				t.Errorf("%s is not listed in %q", path, listed)
			}
		}
	}
	printed(t, "help-tables", done(t, "help", "tables"))
}

func TestTablesRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "broken.json", []byte(`{"schema": 1}`))
	write(t, "file", []byte("taken"))
	for line, word := range map[string]string{
		"indices.npy":                 "indices.npy",
		"--device abacus":             "abacus",
		"--device h200 --device h200": "twice",
		"--type u33":                  "u33",
		"--type u32 --type u32":       "u32",
		"--value two":                 "two",
		"--updates 1023":              "1023",
		"--updates 0":                 "0",
		"--updates -1":                "-1",
		"--updates 67108865":          "67108865",
		"--updates many":              "many",
		"--model m.json":              "--device",
		"--model m --device h200 --device gtx580": "--device",
		"--nothing":                            "--nothing",
		"--device ./h200 --device ./h200 more": "more",
	} {
		failed(t, exitUsage, "", append([]string{"tables"}, strings.Fields(line)...), word)
	}
	for line, word := range map[string]string{
		"--device broken.json":                             "broken.json",
		"--device ./missing.json":                          "missing.json",
		"--device h200 --model missing.json":               "missing.json",
		"--device gtx580 --updates 1024 --out file":        "file",
		"--device gtx580 --updates 1024 --out file/folder": "file/folder",
	} {
		failed(t, exitFailed, "", append([]string{"tables"}, strings.Fields(line)...), word)
	}
}
