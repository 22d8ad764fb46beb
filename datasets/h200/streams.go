package h200

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/atomtune/atomtune/collision"
)

//go:embed streams.jsonl.gz
var streamsFile []byte

//go:embed heldout_streams.jsonl.gz
var heldOutStreamsFile []byte

// Streams returns the collision statistics of every stream by its label. Errors
// wrap ErrRecording.
func Streams() (map[string]collision.Stats, error) {
	return unpackStreams(streamsFile, "streams.jsonl.gz")
}

// HeldOutStreams returns the statistics of the streams of HeldOutCalls.
func HeldOutStreams() (map[string]collision.Stats, error) {
	return unpackStreams(heldOutStreamsFile, "heldout_streams.jsonl.gz")
}

func unpackStreams(packed []byte, name string) (map[string]collision.Stats, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrRecording, name, err)
	}
	return decodeStreams(unpacked, name)
}

func decodeStreams(r io.Reader, name string) (map[string]collision.Stats, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	all := map[string]collision.Stats{}
	for line := 1; ; line++ {
		var s struct {
			Label string           `json:"label"`
			Stats *collision.Stats `json:"stats"`
		}
		err := dec.Decode(&s)
		if errors.Is(err, io.EOF) && len(all) > 0 {
			return all, nil
		}
		if err == nil {
			switch _, twice := all[s.Label]; {
			case s.Label == "" || s.Stats == nil:
				err = fmt.Errorf("no label or no stats")
			case twice:
				err = fmt.Errorf("%s stands twice", s.Label)
			case s.Stats.Updates == 0 || s.Stats.Unique == 0 || s.Stats.Unique > s.Stats.Bins:
				err = fmt.Errorf("%s: %d updates, %d bins, %d unique", s.Label, s.Stats.Updates, s.Stats.Bins, s.Stats.Unique)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %v", ErrRecording, name, line, err)
		}
		all[s.Label] = *s.Stats
	}
}
