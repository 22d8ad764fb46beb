package datasets

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

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
