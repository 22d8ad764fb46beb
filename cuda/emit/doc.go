// Package emit writes a call of an implementation as CUDA code: as the lines that a program with
// the headers needs, and as a program of its own. The code of a program is that of the headers: the
// declarations that the call uses, and those that they use in turn, are copied from them.
package emit
