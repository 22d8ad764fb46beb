package datasets

import (
	"io"
	"math"
	"sync"
)

const (
	eachRead = 1 << 20 // updates that Each reads at once
	eachSeen = 1 << 23 // that it shows at once where they are in memory
)

// Each hands all updates that are left to each, in order and in chunks. From a file it reads the next
// chunk while each has the one before; indices that are in a file as they are it hands over where the
// file is in memory; that such a file has changed meanwhile is an error. Chunks are only lent. It ends
// without an error at the end of the stream, or where each returns io.EOF, after which the rest of the
// stream may be lost; else with the first error of the input or of each.
func (r *Reader) Each(each func(indices []uint32) error) (err error) {
	if mapped := r.direct(); mapped != nil {
		err = r.eachOf(mapped, each)
	} else {
		err = r.eachNext(each)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// direct returns updates that are each their own index in a file in memory, if none is read yet; else nil.
func (r *Reader) direct() *Random {
	dec, known := r.dec.(located)
	if !known || r.any || r.err != nil {
		return nil
	}
	if like, _, _, ok := dec.location(); !ok || like.limit <= math.MaxUint32 {
		return nil
	}
	if of := r.Random(); of != nil && of.indices != nil {
		return of
	}
	return nil
}

func (r *Reader) eachOf(of *Random, each func([]uint32) error) (err error) {
	size, head := of.Bytes(), r.in.size-int64(cap(of.bytes)) // what stands before the updates
	r.any, r.err = true, io.EOF                              // nothing is left, however it ends
	for at := 0; at < of.Len() && err == nil; {
		n := min(eachSeen, of.Len()-at)
		var failed error
		err = of.View(at, n, func(indices []uint32) { failed = each(indices) })
		if err == nil {
			err = failed
		}
		at += n
		r.in.taken.Store(head + int64(at*size))
	}
	if (err == nil || err == io.EOF) && r.in.changed() {
		return r.in.fail(ErrTruncated, changedFault)
	}
	return err
}

func (r *Reader) eachNext(each func([]uint32) error) error {
	if r.in.size == 0 { // of standard input, which may let a reader wait and cannot be left then
		for buf := make([]uint32, eachRead); ; {
			n, err := r.Next(buf)
			if err == nil {
				err = each(buf[:n])
			}
			if err != nil {
				return err
			}
		}
	}
	type chunk struct {
		indices []uint32
		err     error
	}
	const chunks = 2
	free, full := make(chan []uint32, chunks), make(chan chunk)
	for range chunks {
		free <- make([]uint32, eachRead)
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
		if c.err == nil {
			c.err = each(c.indices)
		}
		if c.err != nil {
			return c.err
		}
		free <- c.indices[:eachRead]
	}
}
