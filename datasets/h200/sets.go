package h200

import (
	"embed"
	"path"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
)

//go:embed second/*.gz misses/*.gz misses/specs.txt hotspots/*.gz hotspots/specs.txt drawn/*.gz
var sets embed.FS

// Set is the folder of recordings that stand apart from the others.
type Set string

// The sets. Second is the second validation set: nothing is fitted to its calls or trained on
// them, whatever their part says, but they were read while closed forms were changed. The
// others shaped the closed forms, and judge nothing.
const (
	Second   Set = "second"   // 120 streams drawn from all families
	Misses   Set = "misses"   // 81 streams, most of whose targets do not fit in L2
	Hotspots Set = "hotspots" // 72 streams with hot targets side by side
	Drawn    Set = "drawn"    // 320 streams drawn from all families
)

func (s Set) file(name string) ([]byte, error) { return sets.ReadFile(path.Join(string(s), name)) }

// Calls returns the recorded calls of the set.
func (s Set) Calls() ([]recordings.Call, error) {
	data, err := s.file(recordings.CallsFile)
	if err != nil {
		return nil, err
	}
	_, calls, err := recordings.DecodeCalls(path.Join(string(s), recordings.CallsFile), data)
	return calls, err
}

// Streams returns the exact collision statistics of the set's streams by label.
func (s Set) Streams() (map[string]collision.Stats, error) {
	data, err := s.file(recordings.StreamsFile)
	if err != nil {
		return nil, err
	}
	return byLabel(path.Join(string(s), recordings.StreamsFile), data)
}
