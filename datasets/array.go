package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/tensor"
)

type array struct {
	numbers
	whole   tensor.Array
	counted *countedReader // the storage
	left    uint64         // elements yet to come
	header  string         // what promises them
	part    tensor.Array   // of the whole
	begin   int64          // where the storage begins in the file; 0: it does not lie there as it is
	looked  bool           // for rows of one index each
	repeats bool
}

// newArray chooses the part of an array that the options name. The storage holds the whole array.
func newArray(in *input, whole tensor.Array, header string, storage io.Reader, opt Options) *array {
	if whole.Type.Kind == tensor.Other {
		panic(in.fail(ErrUnsupported, "%s elements are %s, but indices must be integers or whole floats",
			strings.TrimSuffix(header, " header"), whole.Type.Name))
	}
	part := choosePart(in, whole, opt)
	d := &array{whole: whole, counted: &countedReader{r: storage}, left: part.Count(), header: header,
		part: part}
	in.mostGap = max(in.mostGap, in.size) // other parts lie before this one and behind it
	elements, err := part.Elements(d.counted)
	in.described(err)
	d.numbers = newNumbers(in, in.yielding(elements), whole.Type, opt)
	return d
}

func choosePart(in *input, a tensor.Array, opt Options) tensor.Array {
	if len(a.Shape) == 0 {
		panic(in.fail(ErrUnsupported, "an array of 0 dimensions; a stream needs 1 or more"))
	}
	for _, by := range [][2]string{{"row ", opt.Row}, {"column ", opt.Column}, {"axis ", opt.Axis}} {
		switch {
		case by[1] == "":
		case in.targets != "":
			panic(in.fail(ErrOptions, "row, column and axis of an array exclude each other"))
		default:
			in.targets = by[0] + by[1]
		}
	}
	pairs := slices.Index(a.Shape, 2) // the axis of both ends of edges
	axes := [2]string{"row", "column"}
	twoD := len(a.Shape) == 2
	var axis int
	var number uint64
	switch {
	case opt.Row != "":
		number = arrayNumber(in, "row", opt.Row)
	case opt.Column != "":
		axis, number = 1, arrayNumber(in, "column", opt.Column)
	case opt.Axis != "" && (!twoD || pairs < 0):
		panic(in.fail(ErrOptions, "has the shape %s; --axis needs the shape (2, E) or (E, 2)",
			a.Dimensions()))
	case opt.Axis != "":
		axis, number = pairs, uint64(slices.Index([]string{AxisRow, AxisCol}, opt.Axis))
	case twoD && pairs >= 0 && !opt.Batch:
		panic(in.fail(ErrOptions, "has the shape %s, which is two streams: --axis row takes the first %s, "+
			"--axis col the second (for one stream of all, save it with one dimension)",
			a.Dimensions(), axes[pairs]))
	default:
		return a
	}
	switch {
	case !twoD:
		panic(in.fail(ErrOptions, "has the shape %s; a %s needs two dimensions", a.Dimensions(), axes[axis]))
	case number >= a.Shape[axis]:
		panic(in.fail(ErrOptions, "has the shape %s, which has no %s %d (counted from "+
			"0)", a.Dimensions(), axes[axis], number))
	}
	return a.Part(axis, number)
}

func arrayNumber(in *input, noun, text string) uint64 {
	n, ok := decimal([]byte(text))
	if !ok {
		panic(in.fail(ErrOptions, "%s %q is not a number; those of an array are counted from 0", noun,
			text))
	}
	return n
}

func (d *array) location() (of *numbers, start, count uint64, ok bool) {
	return &d.numbers, uint64(d.begin) + d.part.Start, d.part.Count(), d.begin > 0 && d.part.Contiguous()
}

func (d *array) next(to *chunk) bool {
	if d.left == 0 {
		d.drain()
		return false
	}
	n := min(uint64(len(to.buf)-to.n), d.left)
	before, from := d.done, to.n
	_, end := d.read(to, int(n))
	if !d.looked && len(d.part.Shape) == 2 && d.part.Shape[1] > 1 {
		d.looked = true
		d.compare(to.buf[from:min(to.n, from+mostCompared)])
	}
	if d.left -= d.done - before; end && d.left > 0 {
		panic(d.short())
	}
	return true
}

// drain reads what no update was taken of, so that a file that is cut off or broken there is told.
func (d *array) drain() {
	if _, err := io.Copy(io.Discard, d.counted); err != nil {
		panic(d.in.broken(err))
	}
	if d.counted.n < d.whole.Start+d.whole.Span() {
		panic(d.short())
	}
}

func (d *array) short() error {
	size := uint64(d.kind.Size)
	return d.in.fail(ErrTruncated, "the %s promises %d elements, but the file has %d", d.header,
		d.whole.Count(), (d.counted.n-min(d.counted.n, d.whole.Start))/size)
}

type countedReader struct {
	r io.Reader
	n uint64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += uint64(n)
	return n, err
}

func chooseArray(in *input, arrays []tensor.Array, opt Options) tensor.Array {
	if opt.CSR {
		opt.Array = cmp.Or(opt.Array, csrPointers)
	} else if opt.Array == "" && isCSR(arrays) {
		panic(in.fail(ErrOptions, "holds a sparse matrix: --array indices takes the column of each entry, --csr its row "+
			"(of CSC the row and the column)"))
	}
	a := arrays[in.choose(0, "array", opt.Array, len(arrays), func(i int) string { return arrays[i].Name },
		func(i int) string { return shown(arrays[i].String(), longestName) })]
	if len(arrays) > 1 {
		in.entry = fmt.Sprintf("array %s: ", shown(a.Name, longestName))
	}
	return a
}

func (in *input) described(err error) {
	if _, own := errors.AsType[*InputError](err); err != nil && !own {
		for _, kind := range []error{ErrFormat, ErrUnsupported, ErrTruncated} {
			if errors.Is(err, kind) {
				panic(in.fail(kind, "%v", err))
			}
		}
	}
	if err != nil {
		panic(in.broken(err))
	}
}
