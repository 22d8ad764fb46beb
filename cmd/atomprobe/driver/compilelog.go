package driver

import (
	"strings"
	"unsafe"
)

// Options of the driver's compiler, CUjit_option of cuda.h.
const (
	errorLogBuffer      = 5
	errorLogBufferBytes = 6
)

const logBytes = 8192

// compileLog takes what the driver's compiler writes about errors. It is part of
// a GPU, which does not move, so that the driver can keep its address.
type compileLog struct {
	names  [2]uint32
	values [2]uintptr // of each option: a pointer, or a number in its place
	buffer [logBytes]byte
}

// reset empties the log and sets the options, whose number it returns.
func (c *compileLog) reset() (options uintptr) {
	clear(c.buffer[:])
	c.names = [2]uint32{errorLogBuffer, errorLogBufferBytes}
	c.values = [2]uintptr{uintptr(unsafe.Pointer(&c.buffer[0])), logBytes}
	return uintptr(len(c.names))
}

func (c *compileLog) text() string { return strings.TrimSpace(cString(c.buffer[:])) }

// quoted is the log as part of a sentence, on one line.
func (c *compileLog) quoted() string {
	words := strings.Join(strings.Fields(c.text()), " ")
	if words == "" {
		return ""
	}
	return ", whose compiler says: " + words
}
