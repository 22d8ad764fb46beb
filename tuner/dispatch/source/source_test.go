package source_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/source"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// TestCommitted: the CUDA header in the repository is what the embedded trees give.
func TestCommitted(t *testing.T) {
	want, err := source.Write("cuda", trees(t)...)
	tunertest.Must(t, err)
	got, err := os.ReadFile("../../../bindings/cuda/atomtune_trees.cuh")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("bindings/cuda/atomtune_trees.cuh is not what go generate writes (%v)", err)
	}
}

// TestJSON: the json target is the tree's own file.
func TestJSON(t *testing.T) {
	for _, tree := range trees(t) {
		text, err := source.Write("json", tree)
		tunertest.Must(t, err)
		back, err := dispatch.Decode(text)
		if err != nil || back.Device != tree.Device || len(back.Nodes) != len(tree.Nodes) {
			t.Errorf("%s: %v", tree.Device, err)
		}
	}
}

// TestCandidates: an implementation of each base is in the CUDA header as kernels read it.
func TestCandidates(t *testing.T) {
	at := dispatch.PerSM{BlocksPerSM: 1, Threads: 1024, Unroll: 4}
	tree := &dispatch.Tree{Device: "My GPU-1", Title: "toy", Nodes: []dispatch.Node{{Feature: 255}}}
	for name, want := range map[string]string{
		"naive":                        `{Base::global, Reduction::none, 1u, 0u, 0u,`,
		"match":                        `{Base::global, Reduction::match, 1u, 0u, 0u,`,
		"private:r=8,pad=1":            `{Base::copies, Reduction::none, 8u, 1u, 0u,`,
		"private+sr":                   `{Base::copies, Reduction::sr, 1u, 0u, 0u,`,
		"private:r=1,ranges=3":         `{Base::ranges, Reduction::none, 1u, 0u, 3u,`,
		"hot:s=1024,r=8,sample=2048":   `{Base::hot, Reduction::none, 8u, 1u, 1024u,`,
		"hot:s=4096,sample=2048+match": `{Base::hot, Reduction::match, 1u, 0u, 4096u,`,
		"threadprivate":                `{Base::threadprivate, Reduction::none, 1u, 0u, 0u,`,
		"partition:w=8192":             `{Base::partition, Reduction::none, 1u, 0u, 8192u,`,
	} {
		v, err := impl.Parse(name)
		tunertest.Must(t, err)
		tree.Candidates = []dispatch.Candidate{{Implementation: v, Launch: at}}
		text, err := source.Write("cuda", tree)
		if err != nil || !strings.Contains(string(text), want) ||
			!strings.Contains(string(text), `"`+name+`"`) ||
			!strings.Contains(string(text), "my_gpu_1_nodes") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// TestRefused: targets that there are not, and trees that a target cannot hold.
func TestRefused(t *testing.T) {
	one := trees(t)[0]
	for name, write := range map[string]func() ([]byte, error){
		"unknown":    func() ([]byte, error) { return source.Write("fortran", one) },
		"two in one": func() ([]byte, error) { return source.Write("json", trees(t)...) },
		"one twice":  func() ([]byte, error) { return source.Write("c", one, one) },
	} {
		if _, err := write(); !errors.Is(err, source.ErrTarget) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := source.Write("c", &dispatch.Tree{}); !errors.Is(err, dispatch.ErrTree) {
		t.Errorf("no nodes: %v", err)
	}
	for _, target := range source.Targets() {
		text, err := source.Write(target, one)
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// TestQuotes: a device whose name holds quotes ends no text.
func TestQuotes(t *testing.T) {
	tree := *trees(t)[0]
	tree.Device = `b""" c`
	if text, err := source.Write("python", &tree); err != nil || strings.Contains(string(text), tree.Device) {
		t.Errorf("a device named %q: %v", tree.Device, err)
	}
}
