package tables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// JSON returns the document as JSON, one stream, cell or break-even point a
// line.
func (doc *Document) JSON() ([]byte, error) {
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	// A quotation mark inside a string is escaped, so that these begin objects.
	for _, key := range []string{"arrangement", "device", "column", "stream"} {
		for _, before := range []string{"[", ","} {
			begin := `{"` + key + `":`
			data = bytes.ReplaceAll(data, []byte(before+begin), []byte(before+"\n"+begin))
		}
	}
	return append(data, '\n'), nil
}

// Decode reads what JSON returns.
func Decode(data []byte) (*Document, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	doc := new(Document)
	if err := dec.Decode(doc); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("tables: data after the end of the document")
	}
	return doc, nil
}
