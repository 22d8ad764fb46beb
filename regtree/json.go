package regtree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Name and version of the encoding.
const (
	formatName    = "regtree"
	formatVersion = 1
)

// encoded is the JSON form of a tree. Nodes stand in preorder, so that the
// shape needs no indices: Split holds the feature of each node, -1 in a leaf;
// Threshold one number per comparison; the other lists one per leaf. Statistics of
// inner nodes are merged from the leaves, and so not stored.
type encoded struct {
	Format    string    `json:"format"`
	Version   int       `json:"version"`
	Features  []string  `json:"features"`
	Split     []int     `json:"split"`
	Threshold []float64 `json:"threshold"`
	Value     []float64 `json:"value"`
	Count     []int     `json:"count"`
	StdDev    []float64 `json:"stddev"`
	Min       []float64 `json:"min"`
	Max       []float64 `json:"max"`
}

// MarshalJSON encodes the tree. Equal trees give equal bytes.
func (t *Tree) MarshalJSON() ([]byte, error) {
	if len(t.nodes) == 0 {
		return nil, fmt.Errorf("encode: no nodes: %w", ErrTree)
	}
	e := encoded{Format: formatName, Version: formatVersion, Features: t.features,
		Threshold: []float64{}}
	for _, n := range t.nodes {
		e.Split = append(e.Split, n.Feature)
		if n.Feature >= 0 {
			e.Threshold = append(e.Threshold, n.Threshold)
			continue
		}
		l := n.Leaf
		e.Value = append(e.Value, l.Value)
		e.Count = append(e.Count, l.Count)
		e.StdDev = append(e.StdDev, l.StdDev)
		e.Min = append(e.Min, l.Min)
		e.Max = append(e.Max, l.Max)
	}
	return json.Marshal(e)
}

// UnmarshalJSON reads a tree that is part of a document, which is to compare itself with
// its own encoding. It leaves t alone where there is an error.
func (t *Tree) UnmarshalJSON(data []byte) error {
	parsed, err := decode(data, func(encoded) error { return nil })
	if err == nil {
		*t = *parsed
	}
	return err
}

// Parse decodes what MarshalJSON encodes and nothing else. The error wraps
// ErrVersion for another format or version; ErrEncoding for bad syntax, a key that
// is missing, unknown, repeated or in the wrong case, a null, a number that is
// written differently or trailing data; and otherwise what New's would wrap.
func Parse(data []byte) (*Tree, error) {
	return decode(data, func(e encoded) error { return e.checkCanonical(data) })
}

func decode(data []byte, check func(encoded) error) (t *Tree, err error) {
	var e encoded
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, fmt.Errorf("decode: %w: %w", err, ErrEncoding)
	}
	if e.Format != formatName || e.Version != formatVersion {
		return nil, fmt.Errorf("decode: format %q version %d, want %q version %d: %w",
			e.Format, e.Version, formatName, formatVersion, ErrVersion)
	}
	if err = check(e); err == nil {
		t, err = e.tree()
	}
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return t, nil
}

func (e encoded) tree() (*Tree, error) {
	leaves, inner := len(e.Value), len(e.Threshold)
	if len(e.Split) != leaves+inner {
		return nil, fmt.Errorf("%d nodes, %d thresholds, %d leaves: %w", len(e.Split), inner, leaves,
			ErrTree)
	}
	names := []string{"count", "stddev", "min", "max"}
	for i, n := range []int{len(e.Count), len(e.StdDev), len(e.Min), len(e.Max)} {
		if n != leaves {
			return nil, fmt.Errorf("%d entries of value, %d of %s: %w", leaves, n, names[i], ErrShape)
		}
	}
	nodes := make([]Node, len(e.Split))
	leaf, threshold := 0, 0
	for i, f := range e.Split {
		nodes[i].Feature = f
		switch {
		case f < leafFeature, f >= 0 && threshold == inner, f < 0 && leaf == leaves:
			return nil, fmt.Errorf("node %d: feature %d: %w", i, f, ErrTree)
		case f >= 0:
			nodes[i].Threshold = e.Threshold[threshold]
			threshold++
		default:
			nodes[i].Leaf = Leaf{Value: e.Value[leaf], Count: e.Count[leaf], StdDev: e.StdDev[leaf],
				Min: e.Min[leaf], Max: e.Max[leaf]}
			leaf++
		}
	}
	return New(e.Features, nodes)
}

// checkCanonical compares data with the encoding of what was read from it, where
// whatever encoding/json lets pass shows.
func (e encoded) checkCanonical(data []byte) error {
	var compact bytes.Buffer
	err := json.Compact(&compact, data)
	want, err2 := json.Marshal(e)
	if err = errors.Join(err, err2); err != nil || !bytes.Equal(compact.Bytes(), want) {
		return fmt.Errorf("a key is missing, repeated, unknown, misspelt or out of order, a value is "+
			"null, or one is written differently: %w", ErrEncoding)
	}
	return nil
}
