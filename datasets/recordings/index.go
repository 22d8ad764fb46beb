package recordings

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Index says what a folder of recordings holds, and how its streams are split.
type Index struct {
	Files []IndexedFile `json:"files"` // by name
	// Streams gives the part of each stream of StreamsFile by its label: what
	// is fitted sees Fit alone.
	Streams map[string]Part `json:"streams"`
}

// IndexedFile is one file of a folder.
type IndexedFile struct {
	Name    string          `json:"name"`
	SHA256  string          `json:"sha256"`
	Rows    int             `json:"rows"`
	Columns []IndexedColumn `json:"columns"`
	Starts  int             `json:"starts,omitempty"` // of the machine; 0: the file does not say
	Dates   []string        `json:"dates,omitempty"`  // of the starts
}

// IndexedColumn is a column, or a field of each line of JSON. Unit is empty for
// text, and "unit" where the row names it.
type IndexedColumn struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
}

// DecodeIndex reads an index. Errors wrap ErrRecording.
func DecodeIndex(name string, data []byte) (Index, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var x Index
	if err := dec.Decode(&x); err != nil {
		return Index{}, fmt.Errorf("%w: %s: %v", ErrRecording, name, err)
	}
	return x, nil
}
