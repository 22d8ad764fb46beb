package h200

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
)

// rivalsFile holds calls of implementations that no choice ranks, to compare with,
// from starts of the machine of their own.
const rivalsFile = "calls_rivals.csv.gz"

// Calls returns the recorded calls on the streams of one part, in the order of
// their recording; the implementations that no choice ranks, vr:t=8, come last.
// What is fitted or trained sees recordings.Fit alone; recordings.HeldOut is for
// judging.
func Calls(part recordings.Part) ([]recordings.Call, error) {
	all, err := decoded(recordings.CallsFile, recordings.DecodeCalls)
	if err != nil {
		return nil, err
	}
	rivals, err := decoded(rivalsFile, recordings.DecodeCalls)
	if err != nil {
		return nil, err
	}
	all = append(all, rivals...)
	index, err := Index()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(c recordings.Call) bool { return index.Streams[c.Label] != part }), nil
}

// Streams returns the exact collision statistics of every stream by its label,
// warps of 32 and blocks of 256.
func Streams() (map[string]collision.Stats, error) {
	data, err := File(recordings.StreamsFile)
	if err != nil {
		return nil, err
	}
	return byLabel(recordings.StreamsFile, data)
}

// byLabel decodes a file of streams.
func byLabel(name string, data []byte) (map[string]collision.Stats, error) {
	list, err := recordings.DecodeStreams(name, data)
	if err != nil {
		return nil, err
	}
	all := make(map[string]collision.Stats, len(list))
	for _, s := range list {
		if _, twice := all[s.Label]; twice {
			return nil, fmt.Errorf("%w: %s: %s stands twice", recordings.ErrRecording, name,
				s.Label)
		}
		all[s.Label] = s.Stats
	}
	return all, nil
}
