package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// TestExamples runs every line of every command's examples. What takes long on
// the stand-in is measured less: suite device alone.
func TestExamples(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "indices.txt"), []byte("0\n1\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "specs.txt"), []byte("uniform:n=9,k=4,seed=1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"run1", "run2"} {
		time.Sleep(time.Duration(i) * 1100 * time.Millisecond) // they begin in different seconds
		c := onStandin("--quick", "--suite", "device", "--suite", "warp", "--out", name)
		c.folder = folder
		c.done(t)
	}
	root := newRoot(newEnv(nil, &bytes.Buffer{}, &bytes.Buffer{}))
	lines := 0
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Example == "" || cmd.Short == "" || cmd.Long == "" {
			t.Errorf("%s has no help with an example", cmd.Name())
		}
		for line := range strings.Lines(cmd.Example) {
			lines++
			runExample(t, folder, cmd, strings.TrimSpace(line))
		}
	}
	if lines < 12 {
		t.Errorf("only %d examples", lines)
	}
}

func runExample(t *testing.T, folder string, cmd *cobra.Command, line string) {
	t.Helper()
	args := strings.Fields(line)
	if args[0] != "atomprobe" || cmd.HasParent() && args[1] != cmd.Name() {
		t.Errorf("example %q of %s", line, cmd.Name())
		return
	}
	if i := strings.Index(line, "--suite calls"); i >= 0 {
		args = strings.Fields(strings.Replace(line, "--suite calls", "--suite device", 1))
	} else if strings.Contains(line, "--out run") {
		args = append(args, "--suite", "device", "--restart")
	}
	c := onStandin(args[1:]...)
	c.folder = folder
	if out := c.done(t); out == "" {
		t.Errorf("%s says nothing", line)
	}
}

// TestJSON: --json prints one document and nothing else.
func TestJSON(t *testing.T) {
	folder := t.TempDir()
	for _, line := range []string{
		"devices", "kernels", "version", "help", "help measure", "completion fish", "launch global_lanes",
		"measure --quick --suite device --out " + filepath.Join(folder, "run"),
	} {
		out := onStandin(append(strings.Fields(line), "--json")...).done(t)
		dec := json.NewDecoder(strings.NewReader(out))
		var doc map[string]any
		if err := dec.Decode(&doc); err != nil || len(doc) == 0 || dec.More() {
			t.Errorf("%s: %v in %.200s", line, err, out)
		}
	}
}
