package datasets

import (
	"io"
	"iter"
	"sync"
)

// chunkRead is how many updates Chunks reads at once.
const chunkRead = 1 << 20

const changedFault = "has changed while it was read"

// Chunks gives all updates that are left, in order. From a file it reads the next chunk while the caller has
// the one before; a file that has changed meanwhile is an error. Chunks are only lent. An error of the input is the
// last that it gives. Where the caller leaves the loop, the rest of the stream may be lost.
func (r *Reader) Chunks() iter.Seq2[[]uint32, error] {
	return func(yield func([]uint32, error) bool) {
		err := error(nil)
		if r.in.size > 0 {
			err = r.readAhead(yield)
		} else { // standard input may let a reader wait, and cannot be left then
			for buf, n := make([]uint32, chunkRead), 0; ; {
				if n, err = r.Next(buf); err != nil || !yield(buf[:n], nil) {
					break
				}
			}
		}
		if err == io.EOF && r.in.changed() {
			err = r.in.fail(ErrTruncated, changedFault)
		}
		if err != nil && err != io.EOF {
			yield(nil, err)
		}
	}
}

// readAhead reads in a goroutine of its own.
func (r *Reader) readAhead(yield func([]uint32, error) bool) error {
	type chunk struct {
		indices []uint32
		err     error
	}
	const chunks = 2
	free, full := make(chan []uint32, chunks), make(chan chunk)
	for range chunks {
		free <- make([]uint32, chunkRead)
	}
	var reading sync.WaitGroup
	stop := make(chan struct{})
	reading.Go(func() {
		for buf := range free {
			n, err := r.Next(buf)
			select {
			case full <- chunk{buf[:n], err}:
			case <-stop:
			}
		}
	})
	defer reading.Wait()
	defer close(free)
	defer close(stop)
	for {
		c := <-full
		if c.err != nil || !yield(c.indices, nil) {
			return c.err
		}
		free <- c.indices[:chunkRead]
	}
}
