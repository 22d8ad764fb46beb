package arrow

import "encoding/binary"

// flat is a FlatBuffer. What lies outside of it reads as zero and sets broken, so that the caller
// checks once. Nothing is allocated by what a length promises.
//
// https://flatbuffers.dev/internals/
type flat struct {
	data   []byte
	broken bool
}

// bytes returns n bytes at a place, zeros where there are fewer.
func (f *flat) bytes(at, n uint64) []byte {
	if at > uint64(len(f.data)) || n > uint64(len(f.data))-at {
		f.broken = true
		return make([]byte, min(n, 8))
	}
	return f.data[at : at+n]
}

func (f *flat) uint16(at uint64) uint64 {
	return uint64(binary.LittleEndian.Uint16(f.bytes(at, 2)))
}

func (f *flat) uint32(at uint64) uint64 {
	return uint64(binary.LittleEndian.Uint32(f.bytes(at, 4)))
}

func (f *flat) int64(at uint64) int64 {
	return int64(binary.LittleEndian.Uint64(f.bytes(at, 8)))
}

// table is a table of a FlatBuffer; at 0 there is none, and its fields have their defaults.
type table struct {
	of *flat
	at uint64
}

func (f *flat) root() table { return table{f, f.uint32(0)} }

// place is where a field's value stands, 0 where the field has its default.
func (t table) place(field uint64) uint64 {
	if t.at == 0 {
		return 0
	}
	vtable := uint64(int64(t.at) - int64(int32(t.of.uint32(t.at))))
	if 4+2*field >= t.of.uint16(vtable) {
		return 0
	}
	offset := t.of.uint16(vtable + 4 + 2*field)
	if offset == 0 {
		return 0
	}
	return t.at + offset
}

func (t table) bits(field, n uint64) uint64 {
	at := t.place(field)
	if at == 0 {
		return 0
	}
	var raw [8]byte
	copy(raw[:], t.of.bytes(at, n))
	return binary.LittleEndian.Uint64(raw[:])
}

func (t table) byte(field uint64) byte   { return byte(t.bits(field, 1)) }
func (t table) int16(field uint64) int16 { return int16(t.bits(field, 2)) }
func (t table) int32(field uint64) int32 { return int32(t.bits(field, 4)) }
func (t table) int64(field uint64) int64 { return int64(t.bits(field, 8)) }

func (t table) table(field uint64) table {
	at := t.place(field)
	if at == 0 {
		return table{of: t.of}
	}
	return table{t.of, at + t.of.uint32(at)}
}

func (t table) text(field uint64) string {
	at, n := t.vector(field, 1)
	if n == 0 {
		return ""
	}
	return string(t.of.bytes(at, n))
}

func (t table) vector(field, size uint64) (at, n uint64) {
	if at = t.place(field); at == 0 {
		return 0, 0
	}
	at += t.of.uint32(at)
	n = t.of.uint32(at)
	t.of.bytes(at+4, n*size)
	if t.of.broken {
		return 0, 0
	}
	return at + 4, n
}

func (t table) tables(field uint64) func(i uint64) table {
	at, _ := t.vector(field, 4)
	return func(i uint64) table { return table{t.of, at + 4*i + t.of.uint32(at+4*i)} }
}
