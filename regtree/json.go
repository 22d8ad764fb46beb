package regtree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Name and version of the encoding.
const (
	formatName    = "regtree"
	formatVersion = 1
)

// encoded is the JSON form of a tree. Nodes stand in preorder, so that the
// shape needs no indices: Split holds the feature of each node, -1 in a leaf;
// Threshold one number per comparison; the other lists one per leaf. Weight is
// left out where every leaf weighs its count. Statistics of inner nodes are
// merged from the leaves, and so not stored.
type encoded struct {
	Format    string    `json:"format"`
	Version   int       `json:"version"`
	Features  []string  `json:"features"`
	Split     []int     `json:"split"`
	Threshold []float64 `json:"threshold"`
	Value     []float64 `json:"value"`
	Count     []int     `json:"count"`
	Weight    []float64 `json:"weight,omitempty"`
	StdDev    []float64 `json:"stddev"`
	Min       []float64 `json:"min"`
	Max       []float64 `json:"max"`
}

var encodedKeys = []string{
	"format", "version", "features", "split", "threshold",
	"value", "count", "weight", "stddev", "min", "max",
}

// MarshalJSON encodes the tree. Equal trees give equal bytes.
func (t *Tree) MarshalJSON() ([]byte, error) {
	if len(t.nodes) == 0 {
		return nil, fmt.Errorf("encode: no nodes: %w", ErrTree)
	}
	e := encoded{
		Format: formatName, Version: formatVersion, Features: t.features,
		Threshold: []float64{},
	}
	weighted := false
	for _, n := range t.nodes {
		e.Split = append(e.Split, n.Feature)
		if n.Feature >= 0 {
			e.Threshold = append(e.Threshold, n.Threshold)
			continue
		}
		l := n.Leaf
		e.Value = append(e.Value, l.Value)
		e.Count = append(e.Count, l.Count)
		e.Weight = append(e.Weight, l.Weight)
		e.StdDev = append(e.StdDev, l.StdDev)
		e.Min = append(e.Min, l.Min)
		e.Max = append(e.Max, l.Max)
		weighted = weighted || l.Weight != float64(l.Count)
	}
	if !weighted {
		e.Weight = nil
	}
	return json.Marshal(e)
}

// UnmarshalJSON is Parse. It leaves t alone where there is an error.
func (t *Tree) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*t = *parsed
	return nil
}

// Parse decodes what MarshalJSON encodes and nothing else. The error wraps
// ErrVersion for another format or version; ErrEncoding for bad syntax, a key
// that is unknown, repeated or in the wrong case, a null or trailing data; and
// otherwise what New's would wrap.
func Parse(data []byte) (*Tree, error) {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("decode: %w: %w", err, ErrEncoding)
	}
	if head.Format != formatName || head.Version != formatVersion {
		return nil, fmt.Errorf("decode: format %q version %d, want %q version %d: %w",
			head.Format, head.Version, formatName, formatVersion, ErrVersion)
	}
	if err := checkTokens(data); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	var e encoded
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return nil, fmt.Errorf("decode: %w: %w", err, ErrEncoding)
	}
	t, err := e.tree()
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
	if e.Weight == nil {
		for _, n := range e.Count {
			e.Weight = append(e.Weight, float64(n))
		}
	}
	for _, l := range []struct {
		name   string
		length int
	}{
		{"count", len(e.Count)}, {"weight", len(e.Weight)}, {"stddev", len(e.StdDev)},
		{"min", len(e.Min)}, {"max", len(e.Max)},
	} {
		if l.length != leaves {
			return nil, fmt.Errorf("%d entries of value, %d of %s: %w", leaves, l.length, l.name, ErrShape)
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
			nodes[i].Leaf = Leaf{
				Value: e.Value[leaf], Count: e.Count[leaf], Weight: e.Weight[leaf],
				StdDev: e.StdDev[leaf], Min: e.Min[leaf], Max: e.Max[leaf],
			}
			leaf++
		}
	}
	return New(e.Features, nodes)
}

// checkTokens holds a valid JSON object against the rules that encoding/json
// leaves open: UTF-8, each key known and given once in its exact case, and no
// null, which would decode as zero.
func checkTokens(data []byte) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("not UTF-8: %w", ErrEncoding)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil { // the opening brace
		return fmt.Errorf("%v: %w", err, ErrEncoding)
	}
	var seen []string
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("offset %d: %v: %w", d.InputOffset(), err, ErrEncoding)
		}
		key := fmt.Sprint(token)
		if !slices.Contains(encodedKeys, key) || slices.Contains(seen, key) {
			return fmt.Errorf("offset %d: key %q is unknown or repeated: %w",
				d.InputOffset(), key, ErrEncoding)
		}
		seen = append(seen, key)
		if err := checkValue(d); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	return nil
}

// checkValue reads one value and finds the nulls in it.
func checkValue(d *json.Decoder) error {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("offset %d: %v: %w", d.InputOffset(), err, ErrEncoding)
		}
		switch token {
		case nil:
			return fmt.Errorf("offset %d: null: %w", d.InputOffset(), ErrEncoding)
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
