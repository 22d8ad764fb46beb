package codec

import "encoding/binary"

// elements walks the elements of a block: literals, and copies of what stands a distance before.
// length is what the walked ones give. What is no element ends the walk.
type elements struct {
	block  []byte
	length int
}

// take returns the next n bytes as a number, and false where there are fewer.
func (e *elements) take(n int) (number int, ok bool) {
	var raw [8]byte
	if len(e.block) < n {
		return 0, false
	}
	copy(raw[:], e.block[:n])
	e.block = e.block[n:]
	return int(binary.LittleEndian.Uint64(raw[:])), true
}

// literal passes over n bytes that stand for themselves.
func (e *elements) literal(n int) bool {
	if n > len(e.block) {
		return false
	}
	e.block, e.length = e.block[n:], e.length+n
	return true
}

// copied adds n bytes that stand so far before the next one.
func (e *elements) copied(distance, n int) bool {
	if distance < 1 || distance > e.length {
		return false
	}
	e.length += n
	return true
}

// snappyLength is how many bytes a block of Snappy gives up to its first fault; -1 where that is not
// what it promises.
//
// https://github.com/google/snappy/blob/main/format_description.txt
func snappyLength(block []byte) int {
	promised, n := binary.Uvarint(block)
	e := elements{block: block[max(n, 0):]}
	for ok := n > 0; ok && len(e.block) > 0; {
		tag, _ := e.take(1)
		switch size, kind := tag>>2, tag&3; kind {
		case 0: // a literal, whose length less 1 follows where it is above 60
			if ok = true; size >= 60 {
				size, ok = e.take(size - 59)
			}
			ok = ok && e.literal(size+1)
		case 1:
			low, more := e.take(1)
			ok = more && e.copied(size>>3<<8|low, size&7+4)
		default:
			distance, more := e.take(2 * (kind - 1))
			ok = more && e.copied(distance, size+1)
		}
	}
	if uint64(e.length) != promised {
		return -1
	}
	return e.length
}

// lz4Length is how many bytes a block of LZ4 gives up to its first fault.
//
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
func lz4Length(block []byte) int {
	e := elements{block: block}
	// size continues a size of 4 bits.
	size := func(n int) int {
		if n == 15 {
			for more := 255; more == 255; n += more {
				more, _ = e.take(1)
			}
		}
		return n
	}
	for len(e.block) > 0 {
		token, _ := e.take(1)
		if !e.literal(size(token >> 4)) {
			break
		}
		distance, ok := e.take(2)
		if !ok || !e.copied(distance, size(token&15)+4) {
			break
		}
	}
	return e.length
}
