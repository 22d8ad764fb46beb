package archive

import (
	"bytes"
	"io/fs"
	"sync"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// kept holds what was decoded of files. A file whose bytes changed is decoded again.
type kept[T any] struct {
	lock  sync.Mutex
	files map[string]keptFile[T] // by path
}

type keptFile[T any] struct {
	data       []byte // of which it was decoded
	provenance recordings.Provenance
	content    T
}

// callsIn returns the calls of a file, which nobody changes.
func (a *Archive) callsIn(name string) (recordings.Provenance, []recordings.Call, error) {
	data, err := fs.ReadFile(a.files, name)
	if err != nil {
		return decoded(a, name, recordings.DecodeCalls) // to say what is wrong
	}
	return a.calls.decoded(name, data, recordings.DecodeCalls)
}

func (k *kept[T]) decoded(name string, data []byte,
	decode func(string, []byte) (recordings.Provenance, T, error),
) (recordings.Provenance, T, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	f, known := k.files[name]
	if known && bytes.Equal(f.data, data) {
		return f.provenance, f.content, nil
	}
	p, content, err := decode(name, data)
	if err != nil {
		return p, content, err
	}
	if k.files == nil {
		k.files = map[string]keptFile[T]{}
	}
	k.files[name] = keptFile[T]{data, p, content}
	return p, content, nil
}
