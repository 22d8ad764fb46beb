// Package datasets reads index streams: the targets of all updates of a kernel in lane order, so
// that update 32·w + i is performed by lane i of warp w. Updates are counted from 0, lines from
// 1.
//
// # Formats
//
//	npy    NumPy 1.0, 2.0, 3.0
//	npz    archives of npy arrays, stored or deflated
//	torch  files of torch.save: a tensor, or dictionaries, lists and tuples of
//	       tensors, whose names dots join; no pickle is executed
//	safetensors  named tensors
//	u32    raw little-endian unsigned 32-bit indices
//	u64    raw little-endian unsigned 64-bit indices, each below 2^32 unless Keys numbers them
//	text   one decimal index a line; blank lines and # or % comments are skipped
//	csv    one column of a file whose cells commas, semicolons, tabs or bars separate (RFC 4180 quoting)
//	mtx    Matrix Market coordinate matrices; each stored entry is one update,
//	       an off-diagonal entry of a symmetric kind is two
//	edges  edge lists: two node columns split by blanks or a comma, further columns
//	       ignored, though one of whole numbers needs Axis where the name does not say
//	       that these are edges; # or % comments are skipped, and a first line of names such as
//	       source,target, unless Keys makes names nodes
//	image  PNG, JPEG, PGM and TIFF: each pixel in row order is the index of its grey
//	       value or of its colour in the palette, never rescaled; that of a colour is
//	       its luminance (Rec. 601) unless Channel names a channel; alpha is left out,
//	       and several pages or frames are refused
//
// Options.Further adds formats of other packages: datasets/columnar reads columns of Parquet and
// Arrow.
//
// A decimal index of text, csv and edges may be a whole float below 2^53 (3.3e+01), have a plus sign, or be true
// (1) or false (0). Text is UTF-8, or UTF-16 behind a byte order mark.
//
// Every format may be compressed with gzip, in one member or several; the magic bytes tell, on
// standard input too. The format "auto" goes by the file's name (less .gz) and then by its
// content. Raw streams have no magic bytes and are taken by their name (.u32, .u64) or an
// explicit format only. Other formats that their first bytes tell, and 32-bit indices of which every second one
// is 0, are refused by name.
//
// # Arrays
//
// An array of npy, npz, torch or safetensors has elements of 1 to 8 bytes, integers or floats whose
// values are whole and less than 2^53 in magnitude, or booleans; the first other value is an error. Its elements
// are read in C order, the last index fastest, whatever their order and strides in the file: an
// image is one stream in row order. Options.Row, Column and Axis take a part of a two-dimensional
// array. One of the shape (2, E) or (E, 2) is refused without such a choice, since it holds both
// ends of edges. Options.Batch gives each row targets of its own, and CSR takes a stream from the pointers of a
// sparse matrix. A float of 32 bits is exact up to 2^24, one of 16 bits up to 2048: larger indices
// may have been rounded before they were saved.
//
// # Order
//
// Updates come in the order of the file. A mirrored entry of a symmetric matrix follows its own.
//
// Matrices, edge lists and csv files of two columns have a row and a column on each line, the first
// and the second number, and Order sorts their lines by either: OrderRow as a product with a sparse
// matrix in coordinates sorted by row sees them. Lines of one row stay in the order of the file.
// Axis says which of the two numbers is the target; the column of a csv file is chosen by Column.
// Where it is the one that lines are sorted by, the stream is grouped.
//
// # Memory
//
// A Reader holds less than 256 MiB, whatever the size of the file, with these additions: Keys keeps
// every distinct key once, about 70 bytes each beyond the length of a text and 50 of an integer, up to
// Options.MaxHeldBytes. Sorted by the targets
// themselves, the lines of each target are counted in 4 bytes, up to the same limit; sorted by the other
// number, runs of 4 Mi lines are sorted (64 MiB meanwhile) and merged from one temporary file of 8 bytes
// a line in os.TempDir. PNG, JPEG and TIFF images are decoded whole, and one that would need more than 192
// MiB is refused, as a JPEG image of more than 100 scans or a TIFF image of more than 2^19 strips; PGM is
// streamed. An array in Fortran order or with strides that go back is held in
// memory, up to 96 MiB; rows and columns of it are streamed. Archives (npz, torch) and tables of the
// further formats that are piped or compressed with gzip are copied to a temporary file first. A temporary
// file has at most Options.MaxCopiedBytes.
//
// # How to add a format
//
// A format is a file with its decoder and its row, and the name of the row in formats. Help, detection
// and the checks of options follow. Arrays of a new container give their elements through tensor.Array
// and newArray. A format that needs modules of its own is a Format of datasets/columnar. One with rows
// and columns gives pairs to take (order.go), which orders them. Only recordings ask for an order by
// themselves: labels with @row and @col stand for streams sorted by row.
package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// Reader reads one index stream in chunks, for one goroutine; another may call BytesRead.
type Reader struct {
	in     *input
	dec    decoder
	format *format
	bins   uint64
	order  string
	padded bool
	most   uint64 // updates that are taken
	given  uint64 // by Next
	cut    bool   // there are more
	any    bool   // an update has been read
	err    error  // returned by every further Next
}

// decoder reads the updates of one format. next gives some, and says whether more may follow; a
// full chunk says nothing of that. It panics with the errors of the input, after the updates
// before them.
type decoder interface {
	next(to *chunk) (more bool)
}

// chunk is a buffer that is filled from the front.
type chunk struct {
	buf []uint32
	n   int
}

func (c *chunk) free() bool { return c.n < len(c.buf) }

func (c *chunk) add(index uint32) {
	c.buf[c.n] = index
	c.n++
}

// Open opens the file, or opt.Stdin for the path "-", finds its format and reads its header. Errors
// wrap the sentinels of this package or the operating system's error.
func Open(path string, opt Options) (*Reader, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	in, err := openInput(path, opt)
	if err != nil {
		return nil, err
	}
	r := &Reader{in: in}
	if err := r.open(path, opt); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return r, nil
}

func (r *Reader) open(path string, opt Options) (err error) {
	defer catch(&err)
	r.in.peek(1)
	r.format = formatByName(r.in, path, opt)
	r.in.decompress(path, r.format != nil && r.format.unmarked)
	if r.format == nil {
		r.format = formatByContent(r.in, opt)
	} else if head := r.in.peek(peekBytes); r.format.begins != nil && !r.format.begins(head) && !isZip(head) {
		r.in.refuseForeign()
	}
	if err := r.format.accept(opt); err != nil {
		return fmt.Errorf("%s: %w", r.in.name, err)
	}
	of := opt
	if opt.CSR {
		of.Bins = 0 // pointers are not targets
	}
	r.dec, r.bins = r.format.open(r.in, of)
	r.order, r.padded = cmp.Or(opt.Order, OrderFile), opt.Ignore != ""
	r.most = cmp.Or(opt.MaxUpdates, math.MaxUint64)
	switch {
	case opt.Batch:
		r.dec, r.bins = newBatch(r.in, r.dec, opt)
		return nil
	case opt.CSR:
		r.dec, r.bins = newCSR(r.in, r.dec, opt)
	}
	if opt.Bins > 0 {
		r.bins = opt.Bins
	}
	return nil
}

// Next fills buf with the next updates of the stream and returns their number, which is less than
// len(buf) only where the stream ends or breaks. It returns either updates or an error, never both:
// io.EOF after the last update, ErrEmpty if there was none. With an Order that sorts, the first
// call reads the whole input.
func (r *Reader) Next(buf []uint32) (int, error) {
	to := chunk{buf: buf[:min(uint64(len(buf)), r.most-r.given)]}
	switch {
	case r.err != nil:
	case r.given == r.most:
		r.err, r.cut = io.EOF, r.goesOn()
	default:
		r.err = r.fill(&to)
		r.given += uint64(to.n)
		if bytes := 4 * r.given; r.err == nil && bytes > uint64(r.in.mostGap) &&
			bytes/mostExpansion > uint64(r.BytesRead()) {
			r.err = r.in.fail(ErrGap, "more than %d bytes of updates come from %d bytes", r.in.mostGap, r.BytesRead())
		}
	}
	r.any = r.any || to.n > 0 && (!r.padded || slices.ContainsFunc(buf[:to.n], isActive))
	if r.err == io.EOF && !r.any {
		r.err = r.in.fail(ErrEmpty, "the stream holds no update")
	}
	if to.n == 0 {
		return 0, r.err
	}
	return to.n, nil
}

// mostExpansion is more than what packers make of a single value: Zstandard about half as much.
const mostExpansion = 1 << 16

// goesOn reports whether anything follows, if only what is not an update.
func (r *Reader) goesOn() bool {
	next := chunk{buf: make([]uint32, 1)}
	return r.fill(&next) != io.EOF || next.n > 0
}

func (r *Reader) fill(to *chunk) (err error) {
	defer catch(&err)
	for to.free() {
		before := to.n
		if !r.dec.next(to) {
			return io.EOF
		}
		if to.n > before {
			r.in.gap = 0
		}
	}
	return nil
}

// Close releases the file and any temporary file. A second call does nothing.
func (r *Reader) Close() error {
	if r.dec == nil {
		return nil
	}
	r.dec, r.err = nil, os.ErrClosed
	return r.in.close()
}

// Name is the path that was opened, or "stdin".
func (r *Reader) Name() string { return r.in.name }

// Format is the format in use, never "auto".
func (r *Reader) Format() string { return r.format.name }

// Axes lists the values of Options.Axis that make a difference; one empty one where none does.
func (r *Reader) Axes() []string {
	if r.format.takes&(takesAxis|takesRow) == takesAxis {
		return []string{AxisRow, AxisCol}
	}
	return []string{""}
}

// Order is the order in which updates are taken: "file", "row" or "col".
func (r *Reader) Order() string { return r.order }

// Groups is the order by which equal targets would stand together, "row" or "col"; it is empty
// where the input has no rows and columns to sort by, or is sorted.
func (r *Reader) Groups() string {
	if r.order != OrderFile {
		return ""
	}
	return r.in.groups
}

// Targets says which of several numbers of a line, or which part of an array or table, is the target,
// in the words of the options: "axis row", "column dst"; empty where the input has but one.
func (r *Reader) Targets() string { return r.in.targets }

// Comments is the number of lines so far that were left out of text or edges since they are comments.
func (r *Reader) Comments() uint64 { return r.in.comments }

// Mirrored reports whether the input is a matrix whose entries off the diagonal are two updates.
func (r *Reader) Mirrored() bool { return r.in.mirrored }

// Bins is the number of targets: Options.Bins if it was set, else what the input declares (the
// rows or columns of a matrix, the levels of an image's pixels). 0 says that the format declares
// none, and that the number is one more than the largest index.
func (r *Reader) Bins() uint64 { return r.bins }

// Element is the type of the integers in the input that are its indices: elements of an array, a raw stream or a
// column, or pixels. It is tensor.Uint32 where the reader makes them: of text, floats or keys.
func (r *Reader) Element() tensor.Type {
	if typed, ok := r.dec.(interface{ element() tensor.Type }); ok {
		return typed.element()
	}
	return tensor.Uint32
}

// Cut reports, once all updates are read, whether Options.MaxUpdates left some out.
func (r *Reader) Cut() bool { return r.cut }

// BytesRead is the number of bytes taken from the file so far, compressed if it is.
func (r *Reader) BytesRead() int64 { return r.in.taken.Load() }

// Size is the size of the file in the measure of BytesRead, 0 for pipes and the like.
func (r *Reader) Size() int64 { return r.in.size }

// ReadAll reads a whole stream. bins is the Reader's, or one more than the largest index for 0.
func ReadAll(path string, opt Options) (indices []uint32, bins uint64, err error) {
	r, err := Open(path, opt)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var n int
	for chunk := make([]uint32, 1<<16); err == nil; indices = append(indices, chunk[:n]...) {
		n, err = r.Next(chunk)
	}
	if err != io.EOF {
		return nil, 0, err
	}
	if bins = r.Bins(); bins == 0 { // there is an update, else Next had failed
		highest, _ := opt.Highest(indices)
		bins = uint64(highest) + 1
	}
	return indices, bins, nil
}

// MaxBins is the largest number of targets: indices are 32 bits wide.
const MaxBins = 1 << 32

// The axes that Options take, besides the empty string.
const (
	AxisRow = "row"
	AxisCol = "col"
)

// The orders that Options take, besides the empty string.
const (
	OrderFile = "file"
	OrderRow  = AxisRow
	OrderCol  = AxisCol
)

// Options say how to read an input. The zero value reads a file whose format shows.
type Options struct {
	// Format is one of Formats; empty means "auto".
	Format string
	// Column chooses the column of a table. A text of digits only is a number counted from 0,
	// and the first row is skipped as a header if it holds no integer there (with Keys every row
	// is data). Any other text is a name, and the first row is the header. Empty takes the only
	// column of a file that has one. Columns of the further formats have names, and a number is
	// taken where no column has it for its name. Of a two-dimensional array it is a
	// number, counted from 0.
	Column string
	// Axis is "row" or "col". For mtx and edges, empty means "row". Of an array of shape (2, E) it
	// takes the first or the second row, of one of shape (E, 2) the first or the second column; an
	// array of shape (2, 2) counts as two rows.
	Axis string
	// Row is the row of a two-dimensional array, counted from 0; empty takes no single one.
	Row string
	// Batch gives each row of an array, which is its last axis, targets of its own: Bins are those of a row.
	Batch bool
	// CSR takes an array for the pointers to the rows of a sparse matrix, that of the name indptr unless Array
	// says another: targets are the rows of its entries.
	CSR bool
	// Array is the name of an array in a file of several; empty takes the only one.
	Array string
	// Further are formats of other packages, such as those of datasets/columnar.
	Further []Format
	// Order is "file", or "row" or "col" to sort mtx, edges and csv of two columns; empty means
	// "file".
	Order string
	// Bins is the number of targets; an index at or above it is an error. 0
	// takes it from the data.
	Bins uint64
	// Quantize scales the levels of an image to so many targets; 0 takes the values of pixels as they are.
	// With it the pixels of a palette are luminances, and not their indices into it.
	Quantize uint64
	// Channel is what of a colour is the index: r, g, b or a, as it is stored, or luminance. Empty means luminance,
	// and of a palette the indices into it. An image that lacks the channel is an error.
	Channel string
	// MaxUpdates takes the first so many updates, in their order, and leaves out the rest, whatever it
	// is; 0 takes all.
	MaxUpdates uint64
	// MaxHeldBytes is the memory that distinct keys, or counts of sorted targets, may take, as reckoned for
	// them; more is an error that wraps ErrLarge. 0 is not a limit.
	MaxHeldBytes uint64
	// MaxCopiedBytes is how many bytes a temporary file may have; more is an error that wraps ErrLarge. 0 is
	// 4 GiB.
	MaxCopiedBytes uint64
	// Keys lets any text be a key in text, csv and edges, and any integer in the binary formats:
	// distinct keys become 0, 1, 2, ... in order of first appearance. Both nodes of an edge share one
	// numbering. A comment is then a # or % alone or before a blank: #go is a key.
	Keys bool
	// Ignore is an index that is not an update, such as the "-1" with which arrays are padded: Inactive
	// stands for it in the stream, and Bins is at most 2^32 - 1. With Keys it is a key. Text is
	// ignored where it is the same text or the same integer. Among unsigned elements a negative
	// number means its bits, -1 all of them. IgnoreNull means nulls, NaN and empty cells. Empty ignores nothing.
	Ignore string
	// MaxGapBytes is how many bytes may be read, or unpacked, without an update: comments, blank lines, what
	// surrounds an array. Of an array it is at least the size of the file. It is also how many bytes of updates,
	// four each, may come from less than a 65,536th as many, as those of a tensor of stride 0 do. More is an error
	// that wraps ErrGap. 0 is 1 GiB.
	MaxGapBytes uint64
	// Stdin is read for the path "-"; nil means os.Stdin.
	Stdin io.Reader
	// Watch, unless it is nil, is told after each read how many bytes are read of an input of unknown length,
	// 0 for others, and how many are read or unpacked since the last update.
	Watch func(read, gap int64)
}

// Validate checks the options, against a named format too. Its errors wrap ErrOptions.
func (o Options) Validate() error {
	if o.Format != "" && !slices.Contains(o.Formats(), o.Format) {
		return fmt.Errorf("%w: format %q is not one of %s", ErrOptions, o.Format,
			strings.Join(o.Formats(), ", "))
	}
	if o.Axis != "" && o.Axis != AxisRow && o.Axis != AxisCol {
		return fmt.Errorf("%w: axis %q is neither row nor col", ErrOptions, o.Axis)
	}
	if !slices.Contains([]string{"", OrderFile, OrderRow, OrderCol}, o.Order) {
		return fmt.Errorf("%w: order %q is not one of file, row, col", ErrOptions, o.Order)
	}
	if o.Channel != "" && !slices.Contains(Channels(), o.Channel) {
		return fmt.Errorf("%w: channel %q is not one of %s", ErrOptions, o.Channel, strings.Join(Channels(), ", "))
	}
	if most := max(o.Bins, o.Quantize); most > MaxBins {
		return fmt.Errorf("%w: %d bins are more than 2^32", ErrOptions, most)
	}
	if _, ok := decimal([]byte(o.Row)); o.Row != "" && !ok {
		return fmt.Errorf("%w: row %q is not a number", ErrOptions, o.Row)
	}
	if err := cmp.Or(o.checkRows(), o.checkIgnore()); err != nil {
		return err
	}
	if o.Format == "" || o.Format == FormatAuto {
		return nil
	}
	return o.firstFormat(func(f format) bool { return f.name == o.Format }).accept(o)
}

func (o Options) sorts() bool { return o.Order != "" && o.Order != OrderFile }

func (o Options) limit() uint64 {
	if o.Ignore != "" {
		return cmp.Or(o.Bins, Inactive)
	}
	return cmp.Or(o.Bins, MaxBins)
}

// Highest returns the highest index of a chunk that is read with the options; ok is false where
// everything is ignored.
func (o Options) Highest(chunk []uint32) (highest uint32, ok bool) {
	for _, index := range chunk {
		if o.Ignore == "" || index != Inactive {
			highest, ok = max(highest, index), true
		}
	}
	return highest, ok
}
