package recordings

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// Stream is an index stream of calls: its label, the part of the split to which
// it belongs, and its exact statistics over warps of 32 and blocks of 256.
type Stream struct {
	Label string          `json:"label"`
	Half  Part            `json:"half"`
	Stats collision.Stats `json:"stats"`
}

func (s Stream) validate() error {
	switch {
	case s.Label == "":
		return fmt.Errorf("a stream without a label")
	case s.Half != Half(s.Label):
		return fmt.Errorf("%s: half %q, but the label's hash says %q", s.Label, s.Half, Half(s.Label))
	case s.Stats.Sampled != nil:
		return fmt.Errorf("%s: sampled statistics", s.Label)
	case s.Stats.Updates == 0 || s.Stats.Unique == 0 || s.Stats.Unique > s.Stats.Bins:
		return fmt.Errorf("%s: %d updates, %d bins, %d unique", s.Label, s.Stats.Updates,
			s.Stats.Bins, s.Stats.Unique)
	}
	return nil
}

func (s Stream) key() string   { return s.Label }
func (s Stream) title() string { return s.Label }
func (s Stream) how() any      { return s.Stats }

// EncodeStreams returns the streams as lines of JSON. Errors wrap ErrRecording.
func EncodeStreams(all []Stream) ([]byte, error) {
	if err := checkEntries(all); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, s := range all {
		if err := enc.Encode(s); err != nil {
			return nil, fmt.Errorf("%w: %s: %v", ErrRecording, s.Label, err)
		}
	}
	return b.Bytes(), nil
}

// DecodeStreams reads what EncodeStreams wrote, through gzip where data is so packed. name
// appears in errors, which give the line and wrap ErrRecording.
func DecodeStreams(name string, data []byte) ([]Stream, error) {
	data, err := Plain(name, data)
	if err != nil {
		return nil, err
	}
	var all []Stream
	seen := unique[string, Stream]{}
	for line := range bytes.Lines(data) {
		var s Stream
		err := strictjson.Decode(line, &s)
		if err == nil {
			err = seen.add(len(all)+1, s)
		}
		if err != nil {
			return nil, broken(name, len(all)+1, "%v", err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, broken(name, 1, "the file holds no stream")
	}
	return all, nil
}
