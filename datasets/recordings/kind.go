package recordings

import (
	"bytes"
	"strings"
)

// Kind is what a file holds.
type Kind int

// The kinds.
const (
	Other        Kind = iota // none of the others, such as measured patterns
	Readings                 // EncodeReadings
	Calls                    // EncodeCalls
	Streams                  // EncodeStreams
	Spread                   // the second file of EncodeScratchpad
	Instructions             // which machine instructions stand in which kernel
	IndexKind                // Index.Encode
	Counters                 // readings of the hardware's counters alone
)

// String names what a file of that kind holds.
func (k Kind) String() string {
	return [...]string{"something else", "readings", "calls", "streams", "the spread of patterns",
		"machine instructions", "an index", "hardware counters"}[k]
}

// KindOf says what a file holds, by the first line that is no comment. data is
// not compressed.
func KindOf(data []byte) Kind {
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		text := strings.TrimSuffix(string(line), "\r")
		if strings.HasPrefix(text, "#") {
			continue
		}
		switch {
		case text == strings.Join(readingColumns, ","):
			if bytes.HasPrefix(data, []byte("counters,")) {
				return Counters
			}
			return Readings
		case text == strings.Join(callColumns, ","):
			return Calls
		case text == strings.Join(spreadColumns, ","):
			return Spread
		case text == strings.Join(instructionColumns, ","):
			return Instructions
		case strings.HasPrefix(text, `{"label":`):
			return Streams
		case text == "{":
			return IndexKind
		}
		return Other
	}
	return Other
}
