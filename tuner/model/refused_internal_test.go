package model

import (
	"bytes"
	"errors"
	"testing"
)

// TestNullTree: a model without a tree is refused, and nothing else happens.
func TestNullTree(t *testing.T) {
	m, err := Embedded("gtx980")
	if err != nil {
		t.Fatal(err)
	}
	none := m.With(nil)
	none.Tree = nil
	data, err := none.Encode()
	if err != nil || !bytes.Contains(data, []byte(`"tree":null`)) {
		t.Fatalf("error %v", err)
	}
	if _, err := Decode(data); !errors.Is(err, ErrModel) {
		t.Errorf("error %v", err)
	}
}
