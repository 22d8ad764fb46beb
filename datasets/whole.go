package datasets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/atomtune/atomtune/internal/visible"
)

// whole returns the content for reading at any place, and its length. It is the file itself or,
// for what is compressed or piped, a copy in a temporary file that goes with the reader.
func (in *input) whole() (io.ReaderAt, int64) {
	if file, ok := in.file.(*os.File); ok && in.content >= 0 {
		in.taken.Store(0)
		return &countedAt{file, in}, in.content
	}
	file, most := in.temporary(), in.mostGap
	in.mostGap = math.MaxInt64 // a copy has its own limit
	n, err := io.Copy(writerOnly{file}, io.LimitReader(in.r, int64(in.mostCopied)+1))
	if own, ok := errors.AsType[*InputError](err); ok {
		panic(own)
	}
	in.check(err)
	if uint64(n) > in.mostCopied {
		panic(in.fail(ErrLarge, "it has more than %d bytes and is compressed or a pipe: use an uncompressed file",
			in.mostCopied))
	}
	in.gap, in.mostGap = 0, most
	return file, n
}

// writerOnly hides that a file can read from others, so that reading goes through its buffer.
type writerOnly struct{ io.Writer }

// temporary returns the temporary file, nameless at once where the system allows: a killed process leaves none.
func (in *input) temporary() *os.File {
	if in.temp == nil {
		file, err := os.CreateTemp("", "atomtune-*.content")
		in.check(err)
		in.temp = file
		_ = os.Remove(file.Name()) // else close removes it
	}
	return in.temp
}

func (in *input) check(err error) {
	if err != nil {
		panic(fmt.Errorf("%s: its temporary file: %w", visible.Line(in.name), err))
	}
}

type countedAt struct {
	file *os.File
	in   *input
}

func (c *countedAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.file.ReadAt(p, at)
	if taken := c.in.taken.Add(int64(n)); taken > c.in.size {
		c.in.taken.Store(c.in.size)
	}
	return n, err
}

func (in *input) close() error {
	err := in.file.Close()
	if in.temp == nil {
		return err
	}
	err = errors.Join(err, in.temp.Close())
	if removed := os.Remove(in.temp.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}
