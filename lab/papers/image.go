package papers

import "fmt"

// ImageLevels is the number of levels of 12-bit pixels.
const ImageLevels = 1 << 12

// mostPixels bounds an image: it is simulated more than a hundred times.
const mostPixels = 1 << 26

// Image is the pixels of an image in the order in which threads take them.
type Image struct {
	Name   string
	Pixels []uint32
	// Levels is the number of values that a pixel can have; 0 means 4,096, those
	// of 12 bits.
	Levels uint32
}

// Validate reports an image without pixels, or with one that is too large.
// Errors wrap ErrOptions.
func (m Image) Validate() error {
	if len(m.Pixels) == 0 || len(m.Pixels) > mostPixels {
		return fmt.Errorf("%w: image %q has %d pixels, want 1 to %d", ErrOptions, m.Name, len(m.Pixels),
			mostPixels)
	}
	for i, p := range m.Pixels {
		if p >= m.levels() {
			return fmt.Errorf("%w: image %q: pixel %d is %d, want less than %d", ErrOptions, m.Name, i, p,
				m.levels())
		}
	}
	return nil
}

func (m Image) levels() uint32 {
	if m.Levels == 0 {
		return ImageLevels
	}
	return m.Levels
}

// Bins returns the histogram bin of each pixel: the levels are dealt to the
// bins in equal stretches.
func (m Image) Bins(count int) []uint32 {
	all := make([]uint32, len(m.Pixels))
	for i, p := range m.Pixels {
		all[i] = uint32(uint64(p) * uint64(count) / uint64(m.levels()))
	}
	return all
}
