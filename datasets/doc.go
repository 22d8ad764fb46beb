// Package datasets reads index streams: the targets of all updates of a
// kernel in lane order, so that update 32·w + i is performed by lane i of
// warp w. Updates are counted from 0, lines from 1.
//
// # Formats
//
//	npy    NumPy 1.0, 2.0, 3.0; one- or two-dimensional integer arrays in C order
//	u32    raw little-endian unsigned 32-bit indices
//	u64    raw little-endian unsigned 64-bit indices, each below 2^32
//	text   one decimal index a line; blank lines and # or % comments are skipped
//	csv    one column of a comma-separated file (RFC 4180 quoting)
//	mtx    Matrix Market coordinate matrices; each stored entry is one update,
//	       an off-diagonal entry of a symmetric kind is two
//	edges  edge lists: two node columns split by blanks or a comma, further
//	       columns ignored; # or % comments are skipped
//	image  PNG, JPEG, PGM and TIFF: each pixel in row order updates the bin of
//	       its luminance
//
// Every format may be compressed with gzip, in one member or several; the
// magic bytes tell, on standard input too. The format "auto" goes by the
// file's name (less .gz) and then by its content. Raw streams have no magic
// bytes and are taken by their name (.u32, .u64) or an explicit format only.
//
// # Order of matrices and edges
//
// Matrices and edge lists are read as a sparse matrix-vector product over a
// coordinate list sorted by row sees them: the entries are ordered by row
// (the first node of an edge), those of one row stay in file order, and a
// mirrored entry follows its original. Axis "row" takes the row of each entry,
// a grouped stream; axis "col" takes the column of each entry in that same
// order, a scattered one.
//
// # Memory
//
// A Reader holds less than 256 MiB, whatever the size of the file, with these
// additions: axis "row" counts the entries of each row in 4 bytes; Keys keeps
// every distinct key once, about 70 bytes each beyond its own length. Axis
// "col" sorts runs of 4 Mi entries (64 MiB while sorting) and merges them
// from one temporary file of 8 bytes an entry in os.TempDir. PNG, JPEG and
// TIFF images are decoded whole, and one that would need more than 192 MiB is
// refused; PGM is streamed.
package datasets
