package h200

import (
	"embed"
	"path"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
)

//go:embed blind/*.gz misses/*.gz misses/specs.txt hotspots/*.gz hotspots/specs.txt drawn/*.gz
var sets embed.FS

// set is the folder of recordings that stand apart from the others.
type set string

const (
	blindSet  set = "blind"
	missesSet set = "misses"
	hotSet    set = "hotspots"
	drawnSet  set = "drawn"
)

func (s set) file(name string) ([]byte, error) { return sets.ReadFile(path.Join(string(s), name)) }

func (s set) calls() ([]recordings.Call, error) {
	data, err := s.file(recordings.CallsFile)
	if err != nil {
		return nil, err
	}
	_, calls, err := recordings.DecodeCalls(path.Join(string(s), recordings.CallsFile), data)
	return calls, err
}

func (s set) streams() (map[string]collision.Stats, error) {
	data, err := s.file(recordings.StreamsFile)
	if err != nil {
		return nil, err
	}
	return byLabel(path.Join(string(s), recordings.StreamsFile), data)
}

// BlindCalls returns the recorded calls of the blind set: 120 streams that judge
// models once they are final. Nothing is fitted, trained or chosen with a look at them,
// whatever their part says.
func BlindCalls() ([]recordings.Call, error) { return blindSet.calls() }

// BlindStreams returns the exact collision statistics of the blind set's streams by
// label.
func BlindStreams() (map[string]collision.Stats, error) { return blindSet.streams() }

// MissCalls returns the recorded calls on 81 streams most of whose target arrays do not fit in
// L2. Like HotCalls and DrawnCalls they shaped the closed forms, and judge nothing.
func MissCalls() ([]recordings.Call, error) { return missesSet.calls() }

// MissStreams returns the exact collision statistics of the streams of MissCalls by
// label.
func MissStreams() (map[string]collision.Stats, error) { return missesSet.streams() }

// HotCalls returns the recorded calls on 72 streams with hot targets side by side.
func HotCalls() ([]recordings.Call, error) { return hotSet.calls() }

// HotStreams returns the exact collision statistics of the streams of HotCalls by label.
func HotStreams() (map[string]collision.Stats, error) { return hotSet.streams() }

// DrawnCalls returns the recorded calls on 320 streams that were drawn from all families.
func DrawnCalls() ([]recordings.Call, error) { return drawnSet.calls() }

// DrawnStreams returns the exact collision statistics of the streams of DrawnCalls by
// label.
func DrawnStreams() (map[string]collision.Stats, error) { return drawnSet.streams() }
