package datasets

import (
	"image/color"
	"image/jpeg"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// progressive is a progressive JPEG of one grey block of 8 x 8 pixels, in so many scans that say the
// same, behind a comment that holds what begins a scan.
func progressive(scans int) string {
	const (
		comment = "\xff\xfe\x00\x06\xff\xda\xff\xda"
		tables  = "\xff\xc4\x00\x14\x00\x01" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00"
		frame   = "\xff\xc2\x00\x0b\x08\x00\x08\x00\x08\x01\x01\x11\x00"
		scan    = "\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00\x7f"
	)
	ones := "\xff\xdb\x00\x43\x00" + strings.Repeat("\x01", 64)
	return "\xff\xd8" + strings.Repeat(comment, 200) + ones + frame + tables + strings.Repeat(scan, scans) + "\xff\xd9"
}

// TestJPEGScans: an image of many scans is read up to a number of them.
func TestJPEGScans(t *testing.T) {
	for _, n := range []int{1, mostScans, mostScans + 1} {
		for _, from := range []io.Reader{strings.NewReader(progressive(n)),
			iotest.OneByteReader(strings.NewReader(progressive(n)))} {
			img, err := jpeg.Decode(&scans{from: from})
			switch {
			case n > mostScans:
				if err == nil {
					t.Errorf("%d scans: %v", n, err)
				}
			case err != nil || img.At(3, 5) != color.Gray{Y: 128}:
				t.Errorf("%d scans: %v", n, err)
			}
		}
	}
}
