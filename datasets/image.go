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
	"slices"

	"golang.org/x/image/tiff"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// maxImageBytes bounds the estimated memory of decoding an image.
const maxImageBytes = 192 << 20

var imageFormat = format{
	name:       "image",
	extensions: []string{".png", ".jpg", ".jpeg", ".pgm", ".tif", ".tiff"},
	takes:      takesPixels,
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

// pixels gives the value of each pixel in row order, as the image holds it. The image is decoded
// when the first one is asked for.
//
// The value of a colour is that of Options.Channel, or its luminance as color.Gray and color.Gray16 have it
// (Rec. 601),
//
//	Y = 0.299 R + 0.587 G + 0.114 B
//
// in 8 or 16 bits as the image has them. Alpha counts for nothing else.
type pixels struct {
	values
	channel       string
	codec         codec
	start         io.Reader // the whole file
	img           image.RGBA64Image
	width, height int
	whiteIsZero   bool
	done          int // pixels given
}

// values makes indices of pixels: their values or, with Options.Quantize,
// ⌊value · quantize / levels⌋.
type values struct {
	in              *input
	levels          uint64 // that a pixel can have
	quantize, limit uint64
}

func newValues(in *input, levels uint64, opt Options) values {
	return values{in, levels, opt.Quantize, opt.limit()}
}

func (v *values) bins() uint64 { return cmp.Or(v.quantize, v.levels) }

func (v *values) index(value, pixel uint64) uint32 {
	if v.quantize > 0 {
		value = value * v.quantize / v.levels
	}
	if value >= v.limit {
		panic(v.in.fail(ErrRange, "pixel %d is %d, outside of the %d bins (--quantize %[3]d scales %d levels to them)",
			pixel, value, v.limit, v.levels))
	}
	return uint32(value)
}

// element is the type of pixels of so many levels, or of so many bins where these are more.
func (v *values) element() tensor.Type {
	switch most := max(v.levels, v.quantize); {
	case most <= 1<<8:
		return tensor.Uint8
	case most <= 1<<16:
		return tensor.Uint16
	}
	return tensor.Uint32
}

// newImage reads the header and refuses an image whose decoding takes more than most bytes.
func newImage(in *input, opt Options, most int64) (decoder, uint64) {
	head := in.peek(8)
	if isPGM(head) {
		in.greyHas(opt.Channel, "")
		p := newPGM(in, opt)
		return p, p.bins()
	}
	c, ok := codecOf(head)
	if !ok {
		panic(in.fail(ErrFormat, "is not a PNG, JPEG, PGM or TIFF image: it begins with %s", quote(head)))
	}
	p := &pixels{values: newValues(in, 1<<8, opt), channel: opt.Channel, codec: c}
	p.header(most)
	return p, p.bins()
}

const luminance = "luminance"

// Channels lists what Options.Channel can be.
func Channels() []string { return []string{"r", "g", "b", "a", luminance} }

// greyHas refuses a channel that a grey image lacks, which may have one beside its grey values.
func (in *input) greyHas(channel, beside string) {
	if !slices.Contains([]string{"", luminance, beside}, channel) {
		panic(in.fail(ErrFormat, "is grey and has no channel %s", channel))
	}
}

// header checks size, depth and the memory they call for. A TIFF decoder seeks: the whole file is read.
func (p *pixels) header(most int64) {
	if p.codec.name == "PNG" {
		p.oneFrame(p.in.peek(peekBytes))
	}
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
	if need+float64(seen.Len()) > float64(most) {
		panic(p.in.fail(ErrUnsupported, "%s image of %d x %d pixels would take more than %d MiB "+
			"to decode; convert it to PGM, which is streamed", p.codec.name, p.width, p.height,
			most>>20))
	}
	p.depth(config.ColorModel, seen.Bytes())
}

// depth finds the levels of a pixel, and says where they are luminance.
func (p *pixels) depth(model color.Model, head []byte) {
	_, indexed := model.(color.Palette)
	grey := model == color.GrayModel || model == color.Gray16Model || indexed && p.byIndex()
	switch model {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		p.levels = 1 << 16
	}
	switch p.codec.name {
	case "PNG":
		const greyAlpha = 4
		bits, colours := head[pngBits], head[pngBits+1]
		grey = grey || colours == greyAlpha
		if grey {
			p.levels = 1 << bits
		}
	case "TIFF":
		var bilevel bool
		if bilevel, p.whiteIsZero = p.onePage(head); bilevel && !indexed {
			p.levels = 2
		}
	}
	if grey {
		p.in.greyHas(p.channel, "a")
	}
	switch {
	case p.channel != "" && p.channel != luminance:
		p.in.targets = "channel " + p.channel
	case !grey:
		p.in.targets = "luminance, Rec. 601"
	}
}

// byIndex reports whether pixels of a palette are their indices into it.
func (p *pixels) byIndex() bool { return p.quantize == 0 && p.channel == "" }

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
		panic(p.in.undecodable(p.codec.name+" image does not decode (its array can be saved as npy)", err))
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
	if p.channel != "a" {
		makeOpaque(img)
	} else if img, ok := img.(interface{ Opaque() bool }); ok && img.Opaque() {
		panic(p.in.fail(ErrFormat, "has no channel a, or each of its pixels is opaque"))
	}
}

// makeOpaque sets alpha to its most, so that colours count as they are stored.
func makeOpaque(img image.Image) {
	fill := func(pix []byte, pixel, alpha int) {
		for i := range pix {
			if i%pixel >= pixel-alpha {
				pix[i] = 0xff
			}
		}
	}
	switch img := img.(type) {
	case *image.RGBA:
		fill(img.Pix, 4, 1)
	case *image.NRGBA:
		fill(img.Pix, 4, 1)
	case *image.RGBA64:
		fill(img.Pix, 8, 2)
	case *image.NRGBA64:
		fill(img.Pix, 8, 2)
	case *image.Paletted:
		for i, c := range img.Palette {
			if c, ok := c.(color.NRGBA); ok {
				c.A = 0xff
				img.Palette[i] = c
			}
		}
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
		to.add(p.index(p.value(origin.X+p.done%p.width, origin.Y+p.done/p.width), uint64(p.done)))
	}
	return false
}

// value is the index into a palette, and else weighs colours as color.GrayModel and color.Gray16Model do.
// That undoes how decoders spread grey values of less than 8 bits.
func (p *pixels) value(x, y int) uint64 {
	if img, ok := p.img.(*image.Paletted); ok && p.byIndex() {
		return uint64(img.ColorIndexAt(x, y))
	}
	c, of := p.img.RGBA64At(x, y), uint64(0)
	switch p.channel {
	case "r":
		of = uint64(c.R)
	case "g":
		of = uint64(c.G)
	case "b":
		of = uint64(c.B)
	case "a":
		of = uint64(c.A)
	default:
		of = (19595*uint64(c.R) + 38470*uint64(c.G) + 7471*uint64(c.B) + 1<<15) >> 16
	}
	value := of * p.levels >> 16
	if p.whiteIsZero {
		value = p.levels - 1 - value
	}
	return value
}
