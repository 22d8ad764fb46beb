package h200

import (
	"embed"
	"path"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
)

//go:embed blind/*.gz
var blind embed.FS

// blindFile returns a file of the blind set.
func blindFile(name string) ([]byte, error) { return blind.ReadFile(path.Join("blind", name)) }

// BlindCalls returns the recorded calls of the blind set: 120 streams that judge
// models once they are final. Nothing is fitted, trained or chosen with a look at them,
// whatever their part says.
func BlindCalls() ([]recordings.Call, error) {
	data, err := blindFile(recordings.CallsFile)
	if err != nil {
		return nil, err
	}
	_, calls, err := recordings.DecodeCalls("blind/"+recordings.CallsFile, data)
	return calls, err
}

// BlindStreams returns the exact collision statistics of the blind set's streams by
// label.
func BlindStreams() (map[string]collision.Stats, error) {
	data, err := blindFile(recordings.StreamsFile)
	if err != nil {
		return nil, err
	}
	return byLabel("blind/"+recordings.StreamsFile, data)
}
