package datasets

import (
	"bytes"
	"io"
	"math"
)

// pgm reads a portable graymap, plain (P2) or raw (P5), sample by sample.
type pgm struct {
	values
	plain bool
	left  uint64 // samples yet to come
	total uint64
}

func newPGM(in *input, opt Options) *pgm {
	p := &pgm{values: values{in: in}, plain: in.peek(2)[1] == '2'}
	_, _ = in.r.Discard(2) // cannot fail: the bytes are buffered
	width, height, maximum := p.number(), p.number(), p.number()
	if maximum == 0 || maximum > 65535 {
		panic(in.fail(ErrFormat, "PGM maximum %d is not within 1 and 65535", maximum))
	}
	if width == 0 || height == 0 || width > math.MaxUint32 || height > math.MaxUint32 {
		panic(in.fail(ErrFormat, "PGM image of %d x %d pixels", width, height))
	}
	p.values = newValues(in, maximum+1, opt)
	p.left, p.total = width*height, width*height
	return p
}

// number reads a decimal word, the blanks and comments before it and the one byte behind it.
func (p *pgm) number() uint64 {
	c, end := p.skip()
	var digits []byte
	for ; !end && !isSpace(c) && len(digits) < longest; c, end = p.byte() {
		digits = append(digits, c)
	}
	if len(digits) == 0 {
		panic(p.short())
	}
	v, ok := decimal(digits)
	if !ok || len(digits) == longest {
		panic(p.in.fail(ErrFormat, "%s in a PGM image is not a 64-bit number", quote(digits)))
	}
	return v
}

// byte reads one byte, or says that there is none.
func (p *pgm) byte() (c byte, end bool) {
	c, err := p.in.r.ReadByte()
	if err != nil && err != io.EOF {
		panic(p.in.broken(err))
	}
	return c, err != nil
}

// skip returns the first byte that is neither blank nor within a comment.
func (p *pgm) skip() (c byte, end bool) {
	for {
		c, end = p.byte()
		for comment := c == '#'; !end && comment; comment = c != '\n' && c != '\r' {
			c, end = p.byte()
		}
		if end || !isSpace(c) {
			return c, end
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func (p *pgm) short() error {
	if p.total == 0 {
		return p.in.fail(ErrTruncated, "ends within the PGM header")
	}
	return p.in.fail(ErrTruncated, "the PGM header promises %d pixels, but the file has %d", p.total,
		p.total-p.left)
}

func (p *pgm) next(to *chunk) bool {
	for ; p.left > 0; p.left-- {
		if !to.free() {
			return true
		}
		v := p.sample()
		if v >= p.levels {
			panic(p.in.fail(ErrFormat, "pixel %d is %d, above the PGM maximum of %d",
				p.total-p.left, v, p.levels-1))
		}
		to.add(p.index(v, p.total-p.left))
	}
	if p.plain { // blanks may follow
		if _, end := p.skip(); !end {
			_ = p.in.r.UnreadByte() // cannot fail after a read
		}
	}
	p.in.atEnd("%d pixels that the PGM header promises", p.total)
	return false
}

func (p *pgm) sample() (v uint64) {
	if p.plain {
		return p.number()
	}
	for most := p.levels - 1; most > 0; most >>= 8 {
		c, end := p.byte()
		if end {
			panic(p.short())
		}
		v = v<<8 | uint64(c)
	}
	return v
}

func isPGM(head []byte) bool {
	return len(head) > 2 && head[0] == 'P' && (head[1] == '2' || head[1] == '5') &&
		bytes.IndexByte([]byte(" \t\n\r"), head[2]) >= 0
}
