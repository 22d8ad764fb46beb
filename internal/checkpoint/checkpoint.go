// Package checkpoint keeps the finished parts of long work in a file: a head that says of what they are,
// then a line each. An interruption leaves at most one line without its end, which is cut off. A head
// alone keeps nothing, so that whoever opens it starts over.
package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// Checkpoint is one that this process alone writes, until it is closed, or removed once its parts have come to
// where they are kept.
type File struct{ *wholefile.File }

// Open opens or makes the checkpoint at path. read is given its whole lines, the head among them, and
// returns how many parts they hold; without one the checkpoint starts over with the head. What is
// compressed, and half a line that the head does not begin with up to its first comma, is refused by an
// error of a kind, unless that is nil, and so is what read refuses: it stays as it is. The error wraps
// wholefile.ErrBusy where another process has the checkpoint.
func Open(path string, head []byte, kind error, read func(lines []byte) (parts int, err error)) (*File, error) {
	file, err := wholefile.Alone(path)
	if err != nil {
		return nil, err
	}
	data, err := wholefile.ReadFrom(file, path, wholefile.Most)
	switch {
	case err != nil:
	case gzipped.Is(data):
		err = fmt.Errorf("%s: %w", path, of(kind, errors.New("it is compressed: decompress it to resume")))
	case !likeHead(data, head):
		err = fmt.Errorf("%s:1: %w", path, of(kind, errors.New("it is not a checkpoint")))
	default:
		err = begin(file, data, head, read)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &File{file}, nil
}

// of makes an error one of a kind, unless it is or there is none.
func of(kind, err error) error {
	if err == nil || kind == nil || errors.Is(err, kind) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// likeHead reports whether data has a whole line, which is read, or may be half of a head of that kind.
func likeHead(data, head []byte) bool {
	kind, _, _ := bytes.Cut(head, []byte(","))
	n := min(len(kind), len(data))
	return bytes.IndexByte(data, '\n') >= 0 || bytes.Equal(kind[:n], data[:n])
}

// begin reads the existing parts, and prepares the file for further ones.
func begin(file *wholefile.File, data, head []byte, read func([]byte) (int, error)) error {
	lines, _ := strictjson.Whole(data)
	parts, err := read(lines)
	if err != nil {
		return err
	}
	if parts > 0 {
		return file.Truncate(int64(len(lines)))
	}
	if err = file.Truncate(0); err == nil {
		_, err = file.Write(head)
	}
	return err
}

// Forget empties the checkpoint at path, whatever it holds, unless another process has it.
func Forget(path string) error {
	file, err := wholefile.Alone(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Truncate(0), file.Close())
}

// Append writes a part as one line of JSON, by one call; where there is no checkpoint it keeps nothing.
func (j *File) Append(part any) error {
	if j == nil {
		return nil
	}
	return strictjson.Append(j.File, part)
}

// Kind says what checkpoints with heads and parts in JSON hold.
type Kind[H comparable, P any] struct {
	Err    error                       // what errors wrap; nil: nothing of their own
	Most   int                         // bytes of a part's line; 0: of any length
	Head   func(head H) error          // refuses what begins no such checkpoint; nil: nothing
	Part   func(head H, part *P) error // refuses what is not a part of it; nil: nothing
	Refuse func(found, asked H) error  // says why parts of one head do not fit another
}

// Decode returns the head and the parts of a checkpoint, compressed by gzip or not: no head where there
// is not a whole line. A last line without its end is passed over. Errors give name and line.
func (k *Kind[H, P]) Decode(name string, data []byte) (head H, parts []P, err error) {
	if data, _, err = gzipped.Unpack(data, wholefile.Most); err != nil {
		return head, nil, fmt.Errorf("%s: %w", name, of(k.Err, err))
	}
	lines, _ := strictjson.Whole(data)
	number := 0
	for line := range bytes.Lines(lines) {
		switch number++; {
		case number == 1:
			if err = strictjson.Decode(line, &head); err == nil && k.Head != nil {
				err = k.Head(head)
			}
		case k.Most > 0 && len(line) > k.Most:
			err = fmt.Errorf("a row of more than %d bytes", k.Most)
		default:
			var part P
			if err = strictjson.Decode(line, &part); err == nil && k.Part != nil {
				err = k.Part(head, &part)
			}
			parts = append(parts, part)
		}
		if err != nil {
			return head, nil, fmt.Errorf("%s:%d: %w", name, number, of(k.Err, err))
		}
	}
	return head, parts, nil
}

// Encode returns what Decode reads.
func (k *Kind[H, P]) Encode(head H, parts []P) ([]byte, error) {
	var out bytes.Buffer
	err := strictjson.Append(&out, head)
	for _, p := range parts {
		err = cmp.Or(err, strictjson.Append(&out, p))
	}
	return out.Bytes(), of(k.Err, err)
}

// Open opens or makes the checkpoint of a head, as the function Open does, and returns the head that it
// has and its parts. The parts of another head are refused.
func (k *Kind[H, P]) Open(path string, asked H) (j *File, head H, parts []P, err error) {
	line, err := json.Marshal(asked)
	if err == nil {
		j, err = Open(path, append(line, '\n'), k.Err, func(lines []byte) (int, error) {
			if head, parts, err = k.Decode(path, lines); err != nil || len(parts) == 0 {
				head = asked
				return 0, err
			}
			if err := k.Refuse(head, asked); err != nil {
				return 0, fmt.Errorf("%s:1: %w", path, of(k.Err, err))
			}
			return len(parts), nil
		})
	}
	return j, head, parts, of(k.Err, err)
}

// Named refuses a head of another format or version.
func Named(format string, version int, want string, last int) error {
	if format != want || version != last {
		return fmt.Errorf("format %q version %d, want %q version %d", format, version, want, last)
	}
	return nil
}

// Difference names the first field in which two structures differ as JSON names it, "" for none.
func Difference[T any](a, b T) string { return difference(reflect.ValueOf(a), reflect.ValueOf(b)) }

func difference(a, b reflect.Value) string {
	for i := range a.NumField() {
		switch x, y := a.Field(i), b.Field(i); {
		case x.Equal(y):
		case x.Kind() == reflect.Struct:
			return difference(x, y)
		default:
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			if x.Kind() == reflect.String {
				return fmt.Sprintf("%s %q, want %q", name, x, y)
			}
			return fmt.Sprintf("%s %v, want %v", name, x, y)
		}
	}
	return ""
}
