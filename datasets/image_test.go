package datasets

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/tiff"

	"github.com/atomtune/atomtune/internal/must"
)

// testImages are small images of every colour type, filled with a pattern.
func testImages() map[string]image.Image {
	box := image.Rect(0, 0, 7, 5)
	palette := color.Palette{color.Black, color.White, color.NRGBA{R: 200, A: 255},
		color.NRGBA{B: 90, A: 128}}
	images := map[string]interface {
		image.Image
		Set(x, y int, c color.Color)
	}{
		"gray": image.NewGray(box), "gray16": image.NewGray16(box), "rgba": image.NewRGBA(box),
		"nrgba":  image.NewNRGBA(box),
		"rgba64": image.NewRGBA64(box), "nrgba64": image.NewNRGBA64(box),
		"palette": image.NewPaletted(box, palette),
	}
	all := map[string]image.Image{}
	for name, img := range images {
		for y := range 5 {
			for x := range 7 {
				img.Set(x, y, color.NRGBA64{R: uint16(9001 * x), G: uint16(12345 * y),
					B: uint16(777 * x * y), A: uint16(65535 - 500*x)})
			}
		}
		all[name] = img
	}
	return all
}

func encode(t testing.TB, codec string, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch codec {
	case "png":
		err = png.Encode(&b, img)
	case "tiff":
		err = tiff.Encode(&b, img, &tiff.Options{Compression: tiff.Deflate})
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tiffOfStrips is an image of one pixel a strip, all of which are the first bytes of the file.
func tiffOfStrips(n uint32) string {
	le := binary.LittleEndian
	const entries = 8
	lists := uint32(8 + 2 + 12*entries + 4)
	b := le.AppendUint32([]byte("II*\x00"), 8)
	b = le.AppendUint16(b, entries)
	for _, e := range [entries][4]uint32{{256, 4, 1, 1}, {257, 4, 1, n}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
		{273, 4, n, lists}, {278, 4, 1, 1}, {279, 4, n, lists + 4*n}} { // tag, type, number, value
		b = le.AppendUint16(le.AppendUint16(b, uint16(e[0])), uint16(e[1]))
		b = le.AppendUint32(le.AppendUint32(b, e[2]), e[3])
	}
	b = le.AppendUint32(b, 0)
	b = append(b, make([]byte, 4*n)...)
	for range n {
		b = le.AppendUint32(b, 1)
	}
	return string(b)
}

// TestPixels: grey values and indices into a palette are the indices, colours give the luminance of color.Gray and
// color.Gray16 without alpha, and Quantize scales all of them.
func TestPixels(t *testing.T) {
	checked := 0
	for name, img := range testImages() {
		for _, codec := range []string{"png", "tiff", "jpeg"} {
			content := encode(t, codec, img)
			decoded, _, err := image.Decode(strings.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			for _, bins := range []uint64{0, 10, 1 << 20} {
				want, wantBins := pixelValues(decoded, bins, codec == "tiff")
				got, gotBins, err := ReadAll("-", Options{Stdin: strings.NewReader(content),
					Quantize: bins})
				if err != nil {
					t.Fatalf("%s %s: %v", codec, name, err)
				}
				if diff := cmp.Diff(want, got); diff != "" || gotBins != wantBins {
					t.Errorf("%s %s: %d bins, want %d; (-want +got):\n%s", codec, name, gotBins,
						wantBins, diff)
				}
				checked++
			}
		}
	}
	if checked != 7*3*3 {
		t.Errorf("checked %d images", checked)
	}
}

// TestChannels: a channel gives its values as they are stored, also where alpha or a palette is beside it.
func TestChannels(t *testing.T) {
	box := image.Rect(0, 0, 2, 1)
	palette := image.NewPaletted(box, color.Palette{color.NRGBA{10, 20, 30, 40}, color.NRGBA{50, 60, 70, 80}})
	palette.SetColorIndex(1, 0, 1)
	straight, wide := image.NewNRGBA(box), image.NewNRGBA64(box)
	for x := range 2 {
		straight.Set(x, 0, palette.At(x, 0))
		n := uint16(x)
		wide.SetNRGBA64(x, 0, color.NRGBA64{1000 + n, 2000 + n, 3000 + n, 4000 + n})
	}
	for name, img := range map[string]image.Image{"palette": palette, "straight": straight, "wide": wide} {
		for i, channel := range []string{"r", "g", "b", "a"} {
			at, bins := 10*(1+uint32(i)), uint64(256)
			want := []uint32{at, at + 40}
			if name == "wide" {
				want, bins = []uint32{100 * at, 100*at + 1}, 1<<16
			}
			r, err := Open("-", Options{Stdin: strings.NewReader(encode(t, "png", img)), Channel: channel})
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := ReadAll("-", Options{Stdin: strings.NewReader(encode(t, "png", img)), Channel: channel})
			if diff := cmp.Diff(want, got); err != nil || diff != "" || r.Bins() != bins ||
				r.Targets() != "channel "+channel {
				t.Errorf("%s, %s: %v, targets from %q, %d bins (-want +got):\n%s", name, channel, err, r.Targets(), r.Bins(), diff)
			}
			must.Do(t, r.Close())
		}
	}
}

// pixelValues is the plain way to say what the reader should give.
func pixelValues(img image.Image, quantize uint64, wholeBytes bool) ([]uint32, uint64) {
	levels := uint64(256)
	palette, indexed := img.(*image.Paletted)
	switch indexed = indexed && quantize == 0; img.ColorModel() {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		levels = 65536
	}
	if indexed && !wholeBytes {
		levels = 4 // a palette of 4 colours has 2 bits in a PNG file
	}
	var all []uint32
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			c := img.At(x, y)
			switch plain := c.(type) {
			case color.RGBA:
				c = color.RGBA{plain.R, plain.G, plain.B, 0xff}
			case color.NRGBA:
				c = color.RGBA{plain.R, plain.G, plain.B, 0xff}
			case color.RGBA64:
				c = color.RGBA64{plain.R, plain.G, plain.B, 0xffff}
			case color.NRGBA64:
				c = color.RGBA64{plain.R, plain.G, plain.B, 0xffff}
			}
			v := uint64(color.GrayModel.Convert(c).(color.Gray).Y)
			switch {
			case indexed:
				v = uint64(palette.ColorIndexAt(x, y))
			case levels == 65536:
				v = uint64(color.Gray16Model.Convert(c).(color.Gray16).Y)
			}
			if quantize > 0 {
				v = v * quantize / levels
			}
			all = append(all, uint32(v))
		}
	}
	if quantize > 0 {
		levels = quantize
	}
	return all, levels
}

// rawPNG is a PNG file of one row with samples of so many bits.
func rawPNG(t *testing.T, pixels int, bits, colours byte, row string, before ...string) string {
	t.Helper()
	chunk := func(name, data string) string {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(b, name+data...)
		return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	must.Get(z.Write([]byte("\x00" + row)))(t)
	must.Do(t, z.Close())
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(pixels)), 1)
	return "\x89PNG\r\n\x1a\n" + chunk("IHDR", string(size)+string([]byte{bits, colours, 0, 0, 0})) +
		strings.Join(before, "") + chunk("IDAT", packed.String()) + chunk("IEND", "")
}

// TestSmallDepths: grey values of less than 8 bits, of 12 in 16 and of TIFF where zero is white are as stored.
func TestSmallDepths(t *testing.T) {
	whiteIsZero := strings.Replace(tiffOfStrips(2), "\x06\x01\x03\x00\x01\x00\x00\x00\x01", "\x06\x01\x03\x00\x01\x00\x00\x00\x00", 1)
	for _, c := range []struct {
		content string
		want    []uint32
		bins    uint64
	}{
		{rawPNG(t, 8, 1, 0, "\x35"), []uint32{0, 0, 1, 1, 0, 1, 0, 1}, 2},
		{rawPNG(t, 4, 2, 0, "\x1b"), []uint32{0, 1, 2, 3}, 4},
		{rawPNG(t, 6, 4, 0, "\x01\x7e\xf8"), []uint32{0, 1, 7, 14, 15, 8}, 16},
		{rawPNG(t, 2, 16, 0, "\x0f\xff\x00\x12"), []uint32{4095, 18}, 65536},
		{rawPNG(t, 2, 8, 4, "\x12\x00\x13\x80"), []uint32{18, 19}, 256}, // with alpha
		{whiteIsZero, []uint32{'I', 'I'}, 256},
	} {
		got, bins, err := ReadAll("-", Options{Stdin: strings.NewReader(c.content)})
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" || bins != c.bins {
			t.Errorf("%d bins, want %d: %v %s", bins, c.bins, err, diff)
		}
	}
}

// TestNamedLuminance: only of colours the targets are said to come from luminance.
func TestNamedLuminance(t *testing.T) {
	for name, img := range testImages() {
		r := must.Get(Open("-", Options{Stdin: strings.NewReader(encode(t, "png", img))}))(t)
		plain := strings.HasPrefix(name, "gray") || name == "palette"
		if named := strings.Contains(r.Targets(), "Rec. 601"); named == plain {
			t.Errorf("%s: targets from %q", name, r.Targets())
		}
		must.Do(t, r.Close())
	}
}

// twoPages is a TIFF file of two pages, the second of which has a kind of its own.
func twoPages(subfile uint16) string {
	file := []byte(tiffOfStrips(2))
	next := 8 + 2 + 12*8
	page := append([]byte{}, file[8:next]...)
	binary.LittleEndian.PutUint32(file[next:], uint32(len(file)))
	binary.LittleEndian.PutUint16(page[2:], 254) // in place of the width
	binary.LittleEndian.PutUint16(page[2+8:], subfile)
	return string(append(append(file, page...), 0, 0, 0, 0))
}

// bomb is a PNG header that declares an image of the given size.
func bomb(width, height uint32) string {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	chunk = binary.BigEndian.AppendUint32(chunk, height)
	chunk = append(chunk, 8, 2, 0, 0, 0)
	raw := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return string(binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(chunk)))
}

func TestImageFaults(t *testing.T) {
	sound := encode(t, "png", testImages()["rgba"])
	damaged := []byte(sound)
	damaged[len(damaged)/2] ^= 0xff
	photo := encode(t, "jpeg", testImages()["rgba"])
	scan := photo[strings.Index(photo, "\xff\xda") : len(photo)-2]
	animated := rawPNG(t, 1, 8, 0, "\x00", "\x00\x00\x00\x08acTL\x00\x00\x00\x02\x00\x00\x00\x00\xf3\x8d\x93\x70")
	checkFaults(t, []fault{
		{"animated.png", animated, Options{}, ErrUnsupported, "2"},
		{"pages.tif", twoPages(2), Options{}, ErrUnsupported, ""},
		{"bins.png", rawPNG(t, 2, 8, 0, "\x05\xc8"), Options{Bins: 19}, ErrRange, "1 200 19"},
		{"bins.pgm", "P2 2 1 255 5 200", Options{Bins: 19}, ErrRange, "1 200 19"},
		{"bins.txt", "5\n", Options{Quantize: 19}, ErrOptions, "19"},
		{"channel.txt", "5\n", Options{Channel: "r"}, ErrOptions, "image"},
		{"grey.png", encode(t, "png", testImages()["gray"]), Options{Channel: "g"}, ErrFormat, "g"},
		{"grey.pgm", "P2 2 1 255 5 200", Options{Channel: "a"}, ErrFormat, "a"},
		{"opaque.jpg", photo, Options{Channel: "a"}, ErrFormat, "a"},
		{"a.png", sound[:20], Options{}, ErrTruncated, ""},
		{"b.png", sound[:len(sound)-20], Options{}, ErrFormat, ""},
		{"c.png", "no image at all", Options{}, ErrFormat, `"no image"`},
		{"d.png", bomb(65536, 4096), Options{}, ErrUnsupported, "65536 4096 192"},
		{"e.tif", "II*\x00\x08\x00\x00\x00", Options{}, ErrTruncated, ""},
		{"f.jpg", "\xff\xd8\xff\xe0", Options{}, ErrTruncated, ""},
		{"h.tif", tiffOfStrips(mostStrips + 1), Options{}, ErrFormat, "524288"},
		{"many.jpg", photo[:len(photo)-2] + strings.Repeat(scan, mostScans) + "\xff\xd9", Options{}, ErrFormat, "100"},
		{"damaged.png", string(damaged), Options{}, ErrFormat, ""},
		{"g.png.gz", zip(t, sound)[:60], Options{}, ErrTruncated, ""},
	})
	if list, _, err := ReadAll(write(t, "copy.tif", twoPages(1)), Options{}); err != nil || len(list) != 2 {
		t.Errorf("a smaller copy as the second page: %d pixels, %v", len(list), err)
	}
	if list, _, err := ReadAll(write(t, "i.tif", tiffOfStrips(1000)), Options{}); err != nil || len(list) != 1000 {
		t.Errorf("a thousand strips: %d pixels, %v", len(list), err)
	}
}

func TestPGMFaults(t *testing.T) {
	checkFaults(t, []fault{
		{"a.pgm", "P5 3", Options{}, ErrTruncated, ""},
		{"b.pgm", "P5 3 x", Options{}, ErrFormat, `"x"`},
		{"c.pgm", "P5 3x3 255\n", Options{}, ErrFormat, `"3x3"`},
		{"d.pgm", "P5 3 3 70000\n", Options{}, ErrFormat, "70000 65535"},
		{"e.pgm", "P5 0 3 255\n", Options{}, ErrFormat, "3"},
		{"f.pgm", "P5 2 2 255\nabc", Options{}, ErrTruncated, "4 3"},
		{"g.pgm", "P2 2 2 255\n1 2 3", Options{}, ErrTruncated, "4 3"},
		{"h.pgm", "P2 2 1 9\n1 10", Options{}, ErrFormat, "10 9"},
		{"i.pgm", "P5 1 1 255\nab", Options{}, ErrTruncated, ""},
		{"j.pgm", "P2 1 1 9\n1\n2", Options{}, ErrTruncated, ""},
		{"k.pgm", "P2 1 1 9\n" + strings.Repeat("9", 30), Options{}, ErrFormat, "99999999"},
	})
}

func TestProgressiveJPEG(t *testing.T) {
	segment := func(marker byte, length byte) string {
		return "\xff" + string([]byte{marker, 0, length}) + strings.Repeat("x", int(length)-2)
	}
	soi := "\xff\xd8"
	for head, want := range map[string]bool{
		soi + segment(0xe0, 16) + segment(0xc2, 17):  true,
		soi + segment(0xe0, 16) + segment(0xc0, 17):  false,
		soi + segment(0xe0, 16) + "\x00\x00\x00\x00": true,
	} {
		if got := isProgressive([]byte(head)); got != want {
			t.Errorf("isProgressive(%x) = %t", head, got)
		}
	}
}
