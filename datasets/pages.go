package datasets

import (
	"bytes"
	"encoding/binary"
)

// pngBits is the byte of a PNG file with the bits of a sample; the next one is its colour type.
const pngBits = 24

// oneFrame refuses an animated PNG, whose chunk acTL stands before the pixels.
func (p *pixels) oneFrame(head []byte) {
	const signature, around = 8, 12 // a chunk is its length, its name, its data and a checksum
	for at := uint64(signature); at+around <= uint64(len(head)); {
		length, name := binary.BigEndian.Uint32(head[at:]), string(head[at+4:at+8])
		if frames := binary.BigEndian.Uint32(head[at+8:]); name == "acTL" && frames > 1 {
			panic(p.in.fail(ErrUnsupported, "animated PNG of %d frames; save each as an image", frames))
		}
		if name == "IDAT" {
			return
		}
		at += uint64(length) + around
	}
}

// The tags of TIFF that count here, and a value of one.
const (
	tiffSubfile     = 254
	tiffBits        = 258
	tiffPhotometric = 262
	tiffReduced     = 1 // of tiffSubfile: a smaller copy of another page
	tiffMask        = 4 // of tiffSubfile: where another page is transparent
)

// onePage says of the first page whether its samples have one bit, and whether zero is white. It refuses a
// further page that is neither a smaller copy nor a mask.
func (p *pixels) onePage(file []byte) (bilevel, whiteIsZero bool) {
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(file, []byte("MM")) {
		order = binary.BigEndian
	}
	const mostPages = 1 << 12
	at := uint64(order.Uint32(file[4:]))
	for page := 0; at > 0 && page < mostPages; page++ {
		tags, next := tiffPage(file, order, at)
		switch {
		case page == 0:
			bilevel, whiteIsZero = max(tags[tiffBits], 1) == 1, tags[tiffPhotometric] == 0
		case tags[tiffSubfile]&(tiffReduced|tiffMask) == 0:
			panic(p.in.fail(ErrUnsupported, "TIFF image of several pages; save each as an image"))
		}
		at = next
	}
	return bilevel, whiteIsZero
}

// tiffPage returns the first value of each tag that is a number of 16 or 32 bits, and where the next page begins.
func tiffPage(file []byte, order binary.ByteOrder, at uint64) (tags map[uint16]uint32, next uint64) {
	const head, entry, short = 2, 12, 3
	if at+head > uint64(len(file)) {
		return nil, 0
	}
	tags = map[uint16]uint32{}
	end := at + head + entry*uint64(order.Uint16(file[at:]))
	for at += head; at < end && at+entry <= uint64(len(file)); at += entry {
		e := file[at:]
		if tags[order.Uint16(e)] = order.Uint32(e[8:]); order.Uint16(e[2:]) == short {
			tags[order.Uint16(e)] = uint32(order.Uint16(e[8:]))
		}
	}
	if end+4 > uint64(len(file)) {
		return tags, 0
	}
	return tags, uint64(order.Uint32(file[end:]))
}
