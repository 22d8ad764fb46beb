package datasets

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/tiff"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// maxImageBytes bounds the estimated memory of decoding an image.
const maxImageBytes = 192 << 20

var imageFormat = format{
	name:       "image",
	extensions: []string{".png", ".jpg", ".jpeg", ".pgm", ".tif", ".tiff"},
	begins: func(head []byte) bool {
		_, known := codecOf(head)
		return known || isPGM(head)
	},
	open: func(in *input, opt Options) (decoder, uint64) {
		return newImage(in, opt, maxImageBytes)
	},
}

type codec struct {
	name   string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var codecs = map[string]codec{
	"\x89PNG\r\n\x1a\n": {"PNG", png.DecodeConfig, png.Decode},
	"\xff\xd8\xff":      {"JPEG", jpeg.DecodeConfig, jpeg.Decode},
	"II*\x00":           {"TIFF", tiff.DecodeConfig, tiff.Decode},
	"MM\x00*":           {"TIFF", tiff.DecodeConfig, tiff.Decode},
}

func codecOf(head []byte) (codec, bool) {
	for magic, c := range codecs {
		if bytes.HasPrefix(head, []byte(magic)) {
			return c, true
		}
	}
	return codec{}, false
}

// pixels gives the luminance of each pixel in row order. The image is decoded
// when the first one is asked for.
//
// Luminance is that of color.Gray and color.Gray16 (Rec. 601):
//
//	Y = 0.299 R + 0.587 G + 0.114 B
//
// in 8 or 16 bits as the image has them, with colours premultiplied by alpha,
// that is over black. The bin is ⌊Y · bins / levels⌋ with 256 or 65536 levels.
type pixels struct {
	in            *input
	codec         codec
	start         io.Reader // the whole file
	img           image.RGBA64Image
	width, height int
	levels        uint64 // of luminance
	bins          uint64
	done          int // pixels given
}

// newImage reads the header and refuses an image whose decoding takes more than most bytes.
func newImage(in *input, opt Options, most int64) (decoder, uint64) {
	head := in.peek(8)
	if isPGM(head) {
		p := newPGM(in, opt.Bins)
		return p, p.bins
	}
	c, ok := codecOf(head)
	if !ok {
		panic(in.fail(ErrFormat, "is no PNG, JPEG, PGM or TIFF image, it begins with %s", quote(head)))
	}
	p := &pixels{in: in, codec: c, bins: opt.Bins}
	p.header(most)
	return p, p.bins
}

// header checks size, depth and the memory they call for. A TIFF decoder seeks: the whole file is read.
func (p *pixels) header(most int64) {
	var seen bytes.Buffer
	from := io.TeeReader(io.LimitReader(p.in.r, most), &seen)
	if p.codec.name == "TIFF" {
		_, err := io.Copy(io.Discard, from)
		p.decoded(err)
		from = bytes.NewReader(seen.Bytes())
	}
	config, err := p.codec.config(from)
	p.decoded(err)
	p.start = io.MultiReader(bytes.NewReader(seen.Bytes()), p.in.r)
	switch p.codec.name {
	case "TIFF":
		p.start = &strips{bytes.NewReader(seen.Bytes()), mostStrips}
	case "JPEG":
		p.start = &scans{from: p.start}
	}
	p.width, p.height = config.Width, config.Height
	if p.width <= 0 || p.height <= 0 {
		panic(p.in.fail(ErrFormat, "%s image of %d x %d pixels", p.codec.name, p.width, p.height))
	}
	need := float64(p.width) * float64(p.height) * float64(p.memory(config.ColorModel, seen.Bytes()))
	if float64(need)+float64(seen.Len()) > float64(most) {
		panic(p.in.fail(ErrUnsupported, "%s image of %d x %d pixels would take more than %d MiB "+
			"to decode; convert it to PGM, which is streamed", p.codec.name, p.width, p.height,
			most>>20))
	}
	p.levels = 1 << 8
	switch config.ColorModel {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		p.levels = 1 << 16
	}
	p.bins = cmp.Or(p.bins, p.levels)
}

// mostStrips bounds the strips and tiles of a TIFF image, each of which takes microseconds to open.
const mostStrips = 1 << 19

// strips counts what a decoder reads of a TIFF image: once a strip, and a large one in pieces.
type strips struct {
	*bytes.Reader
	left int
}

func (s *strips) ReadAt(p []byte, at int64) (int, error) {
	if s.left--; s.left < 0 {
		return 0, fmt.Errorf("more than %d strips", mostStrips)
	}
	return s.Reader.ReadAt(p, at)
}

// memory is the most bytes a pixel that decoding takes, what the decoder keeps included.
func (p *pixels) memory(model color.Model, head []byte) int {
	pixel := 4
	switch model {
	case color.GrayModel:
		pixel = 1
	case color.Gray16Model:
		pixel = 2
	case color.YCbCrModel:
		pixel = 3
	case color.RGBA64Model, color.NRGBA64Model:
		pixel = 8
	}
	switch p.codec.name {
	case "PNG":
		// A grey image with a transparent level is decoded with colour.
		if pixel < 4 {
			pixel *= 4
		}
		const interlace = 28 // the byte of the IHDR chunk
		if len(head) > interlace && head[interlace] != 0 {
			pixel *= 2 // the passes
		}
	case "JPEG":
		if pixel == 4 {
			pixel = 8 // RGB and CMYK stand in planes first
		}
		if isProgressive(head) {
			pixel *= 5 // 4 bytes for each coefficient
		}
	case "TIFF":
		pixel *= 2 // one strip, unpacked, may be the whole image
	}
	return pixel
}

// isProgressive looks for a progressive JPEG's frame header; segments are FF, marker, length.
func isProgressive(head []byte) bool {
	const progressive = 0xc2
	for at := 2; at+4 <= len(head); {
		if head[at] != 0xff || head[at+1] == progressive {
			return true // a segment that is padded or odd may hide one
		}
		at += 2 + int(head[at+2])<<8 + int(head[at+3])
	}
	return false
}

func (p *pixels) decoded(err error) {
	if err != nil {
		panic(p.in.undecodable(p.codec.name+" image does not decode", err))
	}
}

func (p *pixels) decode() {
	img, err := p.codec.decode(p.start)
	p.decoded(err)
	p.start = nil
	size := img.Bounds().Size()
	if size.X != p.width || size.Y != p.height {
		panic(p.in.fail(ErrFormat, "%s image of %d x %d pixels decodes to %d x %d", p.codec.name,
			p.width, p.height, size.X, size.Y))
	}
	var ok bool
	if p.img, ok = img.(image.RGBA64Image); !ok {
		panic(p.in.fail(ErrUnsupported, "%s image of the colour type %T", p.codec.name, img))
	}
}

func (p *pixels) next(to *chunk) bool {
	if p.img == nil {
		p.decode()
	}
	origin := p.img.Bounds().Min
	for ; p.done < p.width*p.height; p.done++ {
		if !to.free() {
			return true
		}
		y := p.luminance(origin.X+p.done%p.width, origin.Y+p.done/p.width)
		to.add(uint32(y * p.bins / p.levels))
	}
	return false
}

// luminance weighs the colours as color.GrayModel and color.Gray16Model do.
func (p *pixels) luminance(x, y int) uint64 {
	c := p.img.RGBA64At(x, y)
	luminance := (19595*uint64(c.R) + 38470*uint64(c.G) + 7471*uint64(c.B) + 1<<15) >> 16
	return luminance * p.levels >> 16
}

func (p *pixels) element() tensor.Type { return luminanceType(max(p.levels, p.bins)) }
func (p *pgm) element() tensor.Type    { return luminanceType(max(p.white+1, p.bins)) }

// luminanceType is the type of pixels of so many levels, or of so many bins where these are more.
func luminanceType(levels uint64) tensor.Type {
	switch {
	case levels <= 1<<8:
		return tensor.Uint8
	case levels <= 1<<16:
		return tensor.Uint16
	}
	return tensor.Uint32
}

// pgm reads a portable graymap, plain (P2) or raw (P5), sample by sample. Samples are scaled so
// that the file's maximum is 255, or 65535 where it is above 255.
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
func newPGM(in *input, bins uint64) *pgm {
	p := &pgm{in: in, plain: in.peek(2)[1] == '2'}
	_, _ = in.r.Discard(2) // cannot fail: the bytes are buffered
	width, height, maximum := p.number(), p.number(), p.number()
	if maximum == 0 || maximum > 65535 {
		panic(in.fail(ErrFormat, "PGM maximum %d is not within 1 and 65535", maximum))
	}
	if width == 0 || height == 0 || width > math.MaxUint32 || height > math.MaxUint32 {
		panic(in.fail(ErrFormat, "PGM image of %d x %d pixels", width, height))
	}
	p.maximum, p.white = maximum, 255
	if maximum > 255 {
		p.white = 65535
	}
	p.bins = cmp.Or(bins, p.white+1)
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
		panic(p.in.fail(ErrFormat, "%s in a PGM image, and no number of 64 bits", quote(digits)))
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
	return p.in.fail(ErrTruncated, "the PGM header promises %d pixels, the file holds %d", p.total,
		p.total-p.left)
}

func (p *pgm) next(to *chunk) bool {
	for ; p.left > 0; p.left-- {
		if !to.free() {
			return true
		}
		v := p.sample()
		if v > p.maximum {
			panic(p.in.fail(ErrFormat, "pixel %d is %d, above the PGM maximum of %d",
				p.total-p.left, v, p.maximum))
		}
		luminance := (v*p.white + p.maximum/2) / p.maximum
		to.add(uint32(luminance * p.bins / (p.white + 1)))
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
	for width := p.white; width > 0; width >>= 8 {
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
