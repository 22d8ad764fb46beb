package datasets

import (
	"io"
	"math"
	"strconv"
)

// pgm reads a portable graymap, plain (P2) or raw (P5), sample by sample.
// Samples are scaled so that the file's maximum is 255, or 65535 where it is
// above 255.
type pgm struct {
	in      *input
	plain   bool
	maximum uint64 // the largest sample, white
	white   uint64 // what it is scaled to: 255 or 65535
	bins    uint64
	left    uint64 // samples yet to come
	total   uint64
}

// newPGM reads the header. Bins of 0 asks for one bin per luminance level.
func newPGM(in *input, bins uint64) (*pgm, error) {
	magic := make([]byte, 2)
	if _, err := io.ReadFull(in.r, magic); err != nil {
		return nil, in.broken(err)
	}
	p := &pgm{in: in, plain: magic[1] == '2'}
	var size [3]uint64 // width, height, maximum
	for i := range size {
		value, err := p.number()
		if err != nil {
			return nil, err
		}
		size[i] = value
	}
	width, height, maximum := size[0], size[1], size[2]
	if maximum == 0 || maximum > 65535 {
		return nil, in.fail(ErrFormat, "PGM maximum %d is not within 1 and 65535", maximum)
	}
	if width == 0 || height == 0 || width > math.MaxUint32 || height > math.MaxUint32 {
		return nil, in.fail(ErrFormat, "PGM image of %d x %d pixels", width, height)
	}
	p.maximum, p.white, p.bins = maximum, 255, bins
	if maximum > 255 {
		p.white = 65535
	}
	if bins == 0 {
		p.bins = p.white + 1
	}
	p.left, p.total = width*height, width*height
	return p, nil
}

// number reads a decimal word of the header or of a plain image, the blanks
// and comments before it and the one byte behind it.
func (p *pgm) number() (uint64, error) {
	c, err := p.skip()
	var digits []byte
	for err == nil && c >= '0' && c <= '9' && len(digits) < longest {
		digits = append(digits, c)
		c, err = p.in.r.ReadByte()
	}
	if err != nil && err != io.EOF {
		return 0, p.in.broken(err)
	}
	if len(digits) == 0 {
		if err == io.EOF {
			return 0, p.short()
		}
		return 0, p.in.fail(ErrFormat, "%q in a PGM image where a number should stand",
			string(rune(c)))
	}
	if err == nil && !isSpace(c) {
		return 0, p.in.fail(ErrFormat, "%q in a PGM image after the number %s", string(rune(c)),
			digits)
	}
	v, parseErr := strconv.ParseUint(string(digits), 10, 64)
	if parseErr != nil {
		return 0, p.in.fail(ErrFormat, "number %s in a PGM image is too large", digits)
	}
	return v, nil
}

// skip returns the first byte that is neither blank nor within a comment.
func (p *pgm) skip() (byte, error) {
	for {
		c, err := p.in.r.ReadByte()
		for err == nil && c == '#' {
			for err == nil && c != '\n' && c != '\r' {
				c, err = p.in.r.ReadByte()
			}
		}
		if err != nil || !isSpace(c) {
			return c, err
		}
	}
}

func isSpace(c byte) bool { return isBlank(c) || c >= '\n' && c <= '\r' }

func (p *pgm) short() error {
	if p.total == 0 {
		return p.in.fail(ErrTruncated, "ends within the PGM header")
	}
	return p.in.fail(ErrTruncated, "the PGM header promises %d pixels, the file holds %d", p.total,
		p.total-p.left)
}

func (p *pgm) next(buf []uint32) (int, error) {
	for n := range buf {
		if p.left == 0 {
			return n, p.atEnd()
		}
		v, err := p.sample()
		if err != nil {
			return n, err
		}
		if v > p.maximum {
			return n, p.in.fail(ErrFormat, "pixel %d is %d, above the PGM maximum of %d",
				p.total-p.left, v, p.maximum)
		}
		p.left--
		luminance := (v*p.white + p.maximum/2) / p.maximum
		buf[n] = uint32(luminance * p.bins / (p.white + 1))
	}
	return len(buf), nil
}

// sample reads one pixel.
func (p *pgm) sample() (uint64, error) {
	if p.plain {
		return p.number()
	}
	var v uint64
	for width := p.white; width > 0; width >>= 8 {
		c, err := p.in.r.ReadByte()
		if err == io.EOF {
			return 0, p.short()
		}
		if err != nil {
			return 0, p.in.broken(err)
		}
		v = v<<8 | uint64(c)
	}
	return v, nil
}

// atEnd refuses what follows the last pixel, save blanks after a plain image.
func (p *pgm) atEnd() error {
	_, err := p.in.r.Peek(1)
	if p.plain && err == nil {
		_, err = p.skip()
	}
	switch err {
	case io.EOF:
		return io.EOF
	case nil:
		return p.in.fail(ErrTruncated, "more bytes after the %d pixels that the PGM header promises", p.total)
	}
	return p.in.broken(err)
}

// isPGM looks for P2 or P5 and a blank.
func isPGM(head []byte) bool {
	return len(head) > 2 && head[0] == 'P' && (head[1] == '2' || head[1] == '5') &&
		(isBlank(head[2]) || head[2] == '\n' || head[2] == '\r')
}
