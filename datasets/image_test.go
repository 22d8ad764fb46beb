package datasets

import (
	"bytes"
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

// The luminance is that of color.Gray and color.Gray16 for every colour type
// and codec, at the default and at other numbers of bins.
func TestLuminance(t *testing.T) {
	checked := 0
	for name, img := range testImages() {
		for _, codec := range []string{"png", "tiff", "jpeg"} {
			content := encode(t, codec, img)
			decoded, _, err := image.Decode(strings.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			for _, bins := range []uint64{0, 10, 1 << 20} {
				want, wantBins := luminances(decoded, bins)
				got, gotBins, err := ReadAll("-", Options{Stdin: strings.NewReader(content),
					Bins: bins})
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

// luminances is the plain way to say what the reader should give.
func luminances(img image.Image, bins uint64) ([]uint32, uint64) {
	levels := uint64(256)
	switch img.ColorModel() {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		levels = 65536
	}
	if bins == 0 {
		bins = levels
	}
	var all []uint32
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			v := uint64(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
			if levels == 65536 {
				v = uint64(color.Gray16Model.Convert(img.At(x, y)).(color.Gray16).Y)
			}
			all = append(all, uint32(v*bins/levels))
		}
	}
	return all, bins
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
	checkFaults(t, []fault{
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
