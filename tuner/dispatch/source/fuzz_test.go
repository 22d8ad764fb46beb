package source_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/source"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// planted grows a tree of what a fuzzer made: each inner node takes five bytes, a leaf one.
type planted struct {
	shape []byte
	nodes []dispatch.Node
}

func (p *planted) grow(depth, candidates int) {
	if len(p.shape) < 5 || depth == 12 || p.shape[0]%4 == 0 {
		candidate := 0
		if len(p.shape) > 0 {
			candidate, p.shape = int(p.shape[0]/4)%candidates, p.shape[1:]
		}
		p.nodes = append(p.nodes, dispatch.Node{Feature: dispatch.LeafFeature, Right: uint16(candidate)})
		return
	}
	b, at := p.shape, len(p.nodes)
	p.shape = p.shape[5:]
	threshold := uint32(b[1])<<24 | uint32(b[2])<<16 | uint32(b[3])<<8 | uint32(b[4])
	p.nodes = append(p.nodes, dispatch.Node{Feature: b[0] % uint8(dispatch.NumFeatures),
		Threshold: max(1, threshold)})
	p.grow(depth+1, candidates)
	p.nodes[at].Right = uint16(len(p.nodes))
	p.grow(depth+1, candidates)
}

// rows are the nodes of a source by its target.
var rows = map[string]*regexp.Regexp{
	"c":      regexp.MustCompile(`\{(\d+)u, (\d+), (\d+), 0\}`),
	"cuda":   regexp.MustCompile(`\{(\d+)u, (\d+), (\d+), 0\}`),
	"go":     regexp.MustCompile(`\{(\d+), (\d+), (\d+)\}`),
	"python": regexp.MustCompile(`\((\d+), (\d+), (\d+)\)`),
}

// exported reads the nodes of the one tree of a source.
func exported(t *testing.T, target string, text []byte) (nodes []dispatch.Node) {
	for _, cells := range rows[target].FindAllSubmatch(text, -1) {
		var n [3]uint64
		for i := range n {
			var err error
			if n[i], err = strconv.ParseUint(string(cells[1+i]), 10, 32); err != nil {
				t.Fatal(err)
			}
		}
		nodes = append(nodes, dispatch.Node{Feature: uint8(n[2]), Threshold: uint32(n[0]), Right: uint16(n[1])})
	}
	return nodes
}

// FuzzWrite: the tables of every source are the tree's, so that a walk gives the tree's leaf, and its
// names and title add no line of code.
func FuzzWrite(f *testing.F) {
	var candidates []dispatch.Candidate
	for _, name := range []string{"naive", "match", "private:r=8,pad=1"} {
		v, err := impl.Parse(name)
		tunertest.Must(f, err)
		candidates = append(candidates, dispatch.Candidate{Implementation: v,
			Launch: dispatch.PerSM{BlocksPerSM: 1, Threads: 1024, Unroll: 4}})
	}
	seed := []byte("\x01\x00\x00\x01\x00\x02\x00\x00\x00\x07\x00\x04\x08")
	for i := range 4 {
		f.Add(seed, "h200", "NVIDIA H200", uint32(256+i), uint32(1<<31))
		f.Add(seed, "h 200", "x\npackage y\n*/ #include \"z\"\n\\", uint32(252+i), uint32(0))
		f.Add([]byte{}, "x", "\u2028\"\"\"", uint32(i), uint32(1<<32-1))
	}
	f.Fuzz(func(t *testing.T, shape []byte, name, title string, low, high uint32) {
		p := planted{shape: shape[:min(len(shape), 2000)]}
		p.grow(0, len(candidates))
		tree := &dispatch.Tree{Device: name, Title: title, Nodes: p.nodes, Candidates: candidates}
		same := *tree
		same.Device, same.Title = "plain", "plain"
		if err := same.Check(); err != nil {
			t.Fatal(err)
		}
		if tree.Check() != nil {
			return // a name that holds more than a line of text
		}
		var features dispatch.Features
		for i := range features {
			features[i] = low + uint32(i)*(high-low)/uint32(len(features))
		}
		target := []string{"c", "cuda", "go", "python"}[low%4]
		var text []byte
		var err error
		// A row of a node takes some 20 bytes, and the templates are written piece by piece.
		allocation.BoundBeyond(t, len(shape), 1<<20+500*len(p.nodes), func() {
			text, err = source.Write(target, tree)
		})
		if err != nil {
			return // a name that is not an identifier
		}
		plain, err := source.Write(target, &same)
		tunertest.Must(t, err)
		if strings.Count(string(plain), "\n") != strings.Count(string(text), "\n") {
			t.Fatalf("%s: %q and %q add lines", target, name, title)
		}
		out := dispatch.Tree{Nodes: exported(t, target, text), Candidates: candidates}
		if !slices.Equal(out.Nodes, tree.Nodes) {
			t.Fatalf("%s: nodes %v, want %v", target, out.Nodes, tree.Nodes)
		}
		if got, want := out.Find(&features), tree.Find(&features); got != want {
			t.Fatalf("%s: leaf %d, want %d", target, got, want)
		}
	})
}
