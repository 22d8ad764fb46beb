package dispatch

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// Format and Version name the encoding.
const (
	Format  = "atomtune-dispatch"
	Version = 1
)

// encoded is the JSON implementation of a tree. The nodes stand as columns.
type encoded struct {
	Format      string                     `json:"format"`
	Version     int                        `json:"version"`
	Device      string                     `json:"device"`
	Title       string                     `json:"title"`
	Capability  [2]int                     `json:"compute_capability"`
	SMs         int                        `json:"sms"`
	ProfileHash string                     `json:"profile_hash"`
	Features    []string                   `json:"features"`
	Nodes       nodeColumns                `json:"nodes"`
	Candidates  strictjson.List[Candidate] `json:"actions"`
	Evaluation  Evaluation                 `json:"evaluation"`
}

type nodeColumns struct {
	Feature   []int    `json:"feature"`
	Threshold []uint32 `json:"threshold"`
	Right     []uint16 `json:"right"`
}

// Encode writes the tree as a line of JSON, the same bytes each time.
func (t *Tree) Encode() ([]byte, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	e := encoded{Format: Format, Version: Version, Device: t.Device, Title: t.Title,
		Capability: [2]int{t.Major, t.Minor}, SMs: t.SMs, ProfileHash: t.ProfileHash,
		Features: Names(), Candidates: t.Candidates, Evaluation: t.Evaluation}
	for _, n := range t.Nodes {
		e.Nodes.Feature = append(e.Nodes.Feature, int(n.Feature))
		e.Nodes.Threshold = append(e.Nodes.Threshold, n.Threshold)
		e.Nodes.Right = append(e.Nodes.Right, n.Right)
	}
	data, err := json.Marshal(e)
	return append(data, '\n'), err
}

// Is reports whether a file's content says that it is a dispatch tree, of whatever version.
func Is(data []byte) bool {
	var head struct {
		Format string `json:"format"`
	}
	return json.Unmarshal(data, &head) == nil && head.Format == Format
}

// MostBytes is how large the file of a tree may be.
const MostBytes = 16 << 20

// Load reads the tree in a file. Errors name the file and wrap ErrTree, or that of opening it.
func Load(path string) (*Tree, error) {
	data, err := wholefile.Read(path, MostBytes)
	if err != nil {
		return nil, err
	}
	t, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Decode reads what Encode writes, and nothing else. Errors wrap ErrTree.
func Decode(data []byte) (*Tree, error) {
	var e encoded
	if err := strictjson.DecodeFile(data, Format, Version, &e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTree, err)
	}
	if !slices.Equal(e.Features, Names()) {
		return nil, fmt.Errorf("%w: features %q, want %q", ErrTree, e.Features, Names())
	}
	c := e.Nodes
	if len(c.Threshold) != len(c.Feature) || len(c.Right) != len(c.Feature) {
		return nil, fmt.Errorf("%w: %d features, %d thresholds and %d right children of nodes",
			ErrTree, len(c.Feature), len(c.Threshold), len(c.Right))
	}
	t := &Tree{Device: e.Device, Title: e.Title, Major: e.Capability[0], Minor: e.Capability[1],
		SMs: e.SMs, ProfileHash: e.ProfileHash, Candidates: e.Candidates, Evaluation: e.Evaluation}
	for i, f := range c.Feature {
		if f < 0 || f > LeafFeature {
			return nil, fmt.Errorf("%w: node %d: feature %d", ErrTree, i, f)
		}
		t.Nodes = append(t.Nodes, Node{uint8(f), c.Threshold[i], c.Right[i]})
	}
	again, err := t.Encode()
	if err != nil {
		return nil, err
	}
	if err := strictjson.Canonical(data, again); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTree, err)
	}
	return t, nil
}
