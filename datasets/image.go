package datasets

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strconv"

	"golang.org/x/image/tiff"
)

// maxImageBytes bounds the estimated memory of decoding an image.
const maxImageBytes = 192 << 20

var imageFormat = format{
	name: "image", title: "image",
	extensions: []string{".png", ".jpg", ".jpeg", ".pgm", ".tif", ".tiff"},
	begins: func(head []byte) bool {
		_, known := codecOf(head)
		return known || isPGM(head)
	},
	open: func(in *input, opt Options) (decoder, uint64, error) {
		return newImage(in, opt, maxImageBytes)
	},
}

// codec is a decoder of whole images.
type codec struct {
	name   string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// codecOf tells the codec by the first bytes.
func codecOf(head []byte) (codec, bool) {
	for _, c := range []struct {
		magic string
		codec codec
	}{
		{"\x89PNG\r\n\x1a\n", codec{"PNG", png.DecodeConfig, png.Decode}},
		{"\xff\xd8\xff", codec{"JPEG", jpeg.DecodeConfig, jpeg.Decode}},
		{"II*\x00", codec{"TIFF", tiff.DecodeConfig, tiff.Decode}},
		{"MM\x00*", codec{"TIFF", tiff.DecodeConfig, tiff.Decode}},
	} {
		if bytes.HasPrefix(head, []byte(c.magic)) {
			return c.codec, true
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
	wide          bool // 16 bits
	bins          uint64
	x, y          int // the next pixel
}

// newImage reads the header of an image and refuses one whose decoding would
// take more than most bytes.
func newImage(in *input, opt Options, most int64) (decoder, uint64, error) {
	head, err := in.peek(8)
	if err != nil {
		return nil, 0, err
	}
	if isPGM(head) {
		p, err := newPGM(in, opt.Bins)
		if err != nil {
			return nil, 0, err
		}
		return p, p.bins, nil
	}
	c, ok := codecOf(head)
	if !ok {
		return nil, 0, in.fail(ErrFormat, "is no PNG, JPEG, PGM or TIFF image, it begins with %s",
			quote(head))
	}
	p := &pixels{in: in, codec: c, bins: opt.Bins}
	if err := p.header(most); err != nil {
		return nil, 0, err
	}
	return p, p.bins, nil
}

// header reads the size and depth and checks the memory that they call for.
func (p *pixels) header(most int64) error {
	config, head, err := p.config(most)
	if err != nil {
		return p.undecodable(err)
	}
	p.width, p.height = config.Width, config.Height
	if p.width <= 0 || p.height <= 0 {
		return p.in.fail(ErrFormat, "%s image of %d x %d pixels", p.codec.name, p.width, p.height)
	}
	need := float64(p.width) * float64(p.height) * float64(p.memory(config.ColorModel, head))
	if need+float64(len(head)) > float64(most) {
		return p.in.fail(ErrUnsupported, "%s image of %d x %d pixels would take more than %d MiB to decode; convert it to PGM, which is streamed",
			p.codec.name, p.width, p.height, most>>20)
	}
	switch config.ColorModel {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		p.wide = true
	}
	if p.bins == 0 {
		p.bins = p.levels()
	}
	return nil
}

// config decodes the header, returns the bytes it took and readies start. A
// TIFF decoder seeks, so that the whole file is read here.
func (p *pixels) config(most int64) (image.Config, []byte, error) {
	var seen bytes.Buffer
	limited := io.LimitReader(p.in.r, most)
	if p.codec.name == "TIFF" {
		if _, err := seen.ReadFrom(limited); err != nil {
			return image.Config{}, nil, err
		}
		p.start = bytes.NewReader(seen.Bytes())
		config, err := p.codec.config(bytes.NewReader(seen.Bytes()))
		return config, seen.Bytes(), err
	}
	config, err := p.codec.config(io.TeeReader(limited, &seen))
	p.start = io.MultiReader(bytes.NewReader(seen.Bytes()), p.in.r)
	return config, seen.Bytes(), err
}

func (p *pixels) levels() uint64 {
	if p.wide {
		return 1 << 16
	}
	return 1 << 8
}

// memory is the most bytes a pixel that decoding takes: the pixel itself, and
// what the decoder keeps beside it.
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

// isProgressive looks for the frame header of a progressive JPEG in the
// segments before the scan. Segments are FF, marker, length.
func isProgressive(head []byte) bool {
	const progressive = 0xc2
	for at := 2; at+4 <= len(head); {
		if head[at] != 0xff {
			return true // padded or odd: assume the worst
		}
		if head[at+1] == progressive {
			return true
		}
		at += 2 + int(head[at+2])<<8 + int(head[at+3])
	}
	return false
}

// undecodable says that the image is broken.
func (p *pixels) undecodable(err error) error {
	if own, ok := errors.AsType[*InputError](err); ok {
		return own
	}
	kind := ErrFormat
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		kind, err = ErrTruncated, io.ErrUnexpectedEOF
	}
	return &InputError{Name: p.in.name, Message: p.codec.name + " image does not decode",
		Kind: kind, Cause: err}
}

// decode reads the whole image.
func (p *pixels) decode() error {
	img, err := p.codec.decode(p.start)
	if err != nil {
		return p.undecodable(err)
	}
	p.start = nil
	size := img.Bounds().Size()
	if size.X != p.width || size.Y != p.height {
		return p.in.fail(ErrFormat, "%s image of %d x %d pixels decodes to %d x %d", p.codec.name,
			p.width, p.height, size.X, size.Y)
	}
	direct, ok := img.(image.RGBA64Image)
	if !ok {
		return p.in.fail(ErrUnsupported, "%s image of the colour type %T", p.codec.name, img)
	}
	p.img = direct
	return nil
}

func (p *pixels) next(buf []uint32) (int, error) {
	if p.img == nil {
		if err := p.decode(); err != nil {
			return 0, err
		}
	}
	origin := p.img.Bounds().Min
	for n := range buf {
		if p.y == p.height {
			return n, io.EOF
		}
		buf[n] = uint32(p.luminance(origin.X+p.x, origin.Y+p.y) * p.bins / p.levels())
		if p.x++; p.x == p.width {
			p.x, p.y = 0, p.y+1
		}
	}
	return len(buf), nil
}

// luminance weighs the colours as color.GrayModel and color.Gray16Model do.
func (p *pixels) luminance(x, y int) uint64 {
	c := p.img.RGBA64At(x, y)
	luminance := (19595*uint64(c.R) + 38470*uint64(c.G) + 7471*uint64(c.B) + 1<<15) >> 16
	if p.wide {
		return luminance
	}
	return luminance >> 8
}

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
