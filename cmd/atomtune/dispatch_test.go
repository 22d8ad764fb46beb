package main

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// tinyTree grows a decision tree in a second.
const tinyTree = "train --target dispatch --points 16 --max-updates 8192 --max-bins 4096"

// TestTrainDispatch: the same command gives the same tree, from its checkpoint too, and choose,
// export and the library read it.
func TestTrainDispatch(t *testing.T) {
	inputs(t)
	doc := document(t, line(tinyTree, "--device h100 --journal streams.jsonl --out mine.json")...)
	need(t, "train", doc, "device streams seed journal tree nodes actions evaluation elapsed_s")
	checkpoint := read(t, "streams.jsonl")
	done(t, line(tinyTree, "--device h100 --journal streams.jsonl --out again.json")...)
	if !bytes.Equal(read(t, "mine.json"), read(t, "again.json")) {
		t.Error("the same streams give another tree")
	}
	if !bytes.Equal(checkpoint, read(t, "streams.jsonl")) {
		t.Error("a finished journal was changed")
	}
	out := document(t, "export", "--to", "python", "--model", "mine.json", "--out", "mine.py")
	need(t, "export", out, "to trees bytes file")
	if !bytes.Contains(read(t, "mine.py"), []byte(`"h100": (`)) {
		t.Error("mine.py has no tree of h100")
	}
	failed(t, exitFailed, "", line(tinyTree, "--seed 9 --journal streams.jsonl --out bad.json"),
		"streams.jsonl:1")
	if _, err := os.Stat("bad.json"); !os.IsNotExist(err) {
		t.Errorf("a failed run left its output: %v", err)
	}
}

// TestChooseByTree: choose with a decision tree names the leaf's candidate, its features and path.
func TestChooseByTree(t *testing.T) {
	inputs(t)
	doc := document(t, line("choose --model tree.json --type f64 --value one indices.npy")...)
	need(t, "choose", doc, "device type value returns tree file choice leaf features path reason warnings")
	tree, err := dispatch.Load("tree.json")
	if err != nil {
		t.Fatal(err)
	}
	index := hot(4096, 64) // of indices.npy
	f := dispatch.Sample(index, device.Call{Type: device.F64, Operand: device.One}, 1+uint64(slices.Max(index)))
	want := tree.Choose(&f)
	choice := doc["choice"].(map[string]any)
	if choice["implementation"] != want.Implementation.String() ||
		doc["leaf"] != float64(tree.Find(&f)) {
		t.Errorf("leaf %v, choice %v, want leaf %d, %s", doc["leaf"], choice, tree.Find(&f), want)
	}
	features := doc["features"].(map[string]any)
	for i, name := range dispatch.Names() {
		if features[name] != float64(f[i]) {
			t.Errorf("%s is %v, want %d", name, features[name], f[i])
		}
	}
	if len(doc["path"].([]any)) != len(tree.Path(&f))-1 {
		t.Errorf("path %v, want %v", doc["path"], tree.Path(&f))
	}
	bad := bytes.Replace(read(t, "tree.json"), []byte(`"version":1`), []byte(`"version":7`), 1)
	write(t, "bad.json", bad)
	failed(t, exitFailed, "", line("choose --model bad.json indices.npy"), "bad.json", "7")
}

// TestReasonOf: of several comparisons of a feature the closest count.
func TestReasonOf(t *testing.T) {
	path := []treeStep{{"top", 7, 9, true}, {"bins", 50, 60, true}, {"bins", 50, 10, false}, {"bins", 50, 20, false},
		{"bins", 50, 99, true}, {"used", 5, 5, false}}
	if got, want := commandtest.Numbers(reasonOf(path)), "50 20 59 5 5 7 9"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
