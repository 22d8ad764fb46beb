package datasets

import (
	"bytes"
	"fmt"
	"io"
)

// mostScans is the number of scans of a JPEG image that are read; files that people look at have some ten.
// Each goes over all pixels of a progressive image, however few bytes it has.
const mostScans = 100

// scans reads a JPEG file, and fails where a scan begins beyond the most.
type scans struct {
	from io.Reader
	skip int    // bytes that are left of a segment
	head []byte // of a segment: its marker and length, as far as they were read
	n    int    // scans so far
}

func (s *scans) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		switch {
		case s.skip > 0:
			over := min(s.skip, len(rest))
			s.skip, rest = s.skip-over, rest[over:]
		case len(s.head) > 0:
			s.add(rest[0])
			rest = rest[1:]
		default: // between segments, and in a scan, where no byte FF stands before another but 0
			at := bytes.IndexByte(rest, 0xff)
			if at < 0 {
				return n, err
			}
			s.head, rest = append(s.head, 0xff), rest[at+1:]
		}
		if s.n > mostScans {
			return 0, fmt.Errorf("more than %d scans", mostScans)
		}
	}
	return n, err
}

// add takes the next byte of a marker and its length: FF, the marker, two bytes of length.
func (s *scans) add(b byte) {
	const scan = 0xda
	if len(s.head) == 1 {
		switch {
		case b == 0xff: // one may stand before another
			return
		case b < 0xc0 || b >= 0xd0 && b <= 0xd9: // no marker, or one without a segment
			s.head = s.head[:0]
			return
		case b == scan:
			s.n++
		}
	}
	if s.head = append(s.head, b); len(s.head) == 4 {
		s.skip = max(0, int(s.head[2])<<8+int(s.head[3])-2)
		s.head = s.head[:0]
	}
}
