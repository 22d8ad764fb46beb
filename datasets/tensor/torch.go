package tensor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// TorchHeaderBytes is the most that the data.pkl of a file of torch.save may have, of some 20,000
// tensors. In memory its values take up to 40 times as much.
const TorchHeaderBytes = 4 << 20

// torchTypes are the types of PyTorch's storages. What is not here holds no index.
var torchTypes = map[string]Type{
	"CharStorage": Int8, "ShortStorage": Int16, "IntStorage": Int32, "LongStorage": Int64,
	"ByteStorage": Uint8, "HalfStorage": Float16, "FloatStorage": Float32,
	"DoubleStorage": Float64, "BFloat16Storage": BFloat16,
	"BoolStorage":          Bool,
	"UntypedStorage":       {Name: "untyped", Size: 1},
	"ComplexFloatStorage":  {Name: "complex64", Size: 8},
	"ComplexDoubleStorage": {Name: "complex128", Size: 16},
}

// torchUntyped are the types of tensors of an untyped storage.
var torchUntyped = map[global]Type{
	{"torch", "uint16"}: Uint16, {"torch", "uint32"}: Uint32, {"torch", "uint64"}: Uint64,
}

var (
	rebuildTensor    = global{Module: "torch._utils", Name: "_rebuild_tensor_v2"}
	rebuildUntyped   = global{Module: "torch._utils", Name: "_rebuild_tensor_v3"}
	untypedStorage   = global{Module: "torch.storage", Name: "UntypedStorage"}
	rebuildParameter = global{Module: "torch._utils", Name: "_rebuild_parameter"}
)

// ParseTorch reads the data.pkl of a file that torch.save wrote: one tensor, or dictionaries, lists
// and tuples of tensors and plain values, which are passed over. Names are joined by dots; items of
// lists and tuples are numbered from 0. Nothing is executed. big says that the file's byteorder is
// "big". Array.Storage names the entry below data that holds the bytes.
func ParseTorch(raw []byte, big bool) ([]Array, error) {
	value, err := unpickle(raw, func(g global) bool {
		_, storage := torchTypes[g.Name]
		_, untyped := torchUntyped[g]
		return g == rebuildTensor || g == rebuildUntyped || g == untypedStorage || g == rebuildParameter || untyped ||
			g.Module == "torch" && storage
	})
	if errors.Is(err, ErrUnsupported) {
		err = Faultf(ErrUnsupported, "%v; save its tensors alone", err)
	}
	if err != nil {
		return nil, Faultf(errors.Unwrap(err), "data.pkl: %v", err)
	}
	c := &collector{big: big, left: mostValues, names: mostNames}
	if err := c.collect(nil, value); err != nil {
		return nil, err
	}
	return c.arrays, nil
}

const (
	// These bound the walk through a pickle, whose lists may hold each other, and one thing many times.
	mostValues  = 1 << 20
	mostNames   = 16 << 20
	mostNesting = 32
)

type collector struct {
	big    bool
	left   int // values that may yet be visited, those of shapes too
	names  int // bytes that names of further tensors may have
	arrays []Array
}

// collect goes through a value; path are the names that lead to it.
func (c *collector) collect(path []string, value any) error {
	if c.left--; c.left < 0 || c.names < 0 || len(path) > mostNesting {
		return Faultf(ErrUnsupported, "data.pkl: more than %d values, %d bytes of names or %d levels; save its "+
			"tensors alone", mostValues, mostNames, mostNesting)
	}
	switch v := value.(type) {
	case *call:
		if v.Function == rebuildParameter && len(v.Arguments) > 0 {
			if of, ok := v.Arguments[0].(*call); ok {
				v = of
			}
		}
		a, err := c.tensor(v)
		if err != nil {
			return Faultf(errors.Unwrap(err), "data.pkl: tensor %s: %v",
				Shorten(strings.Join(path, ".")), err)
		}
		a.Name = strings.Join(path, ".")
		c.left, c.names = c.left-2*len(a.Shape), c.names-len(a.Name)
		c.arrays = append(c.arrays, a)
	case sequence:
		return c.items(path, v, strconv.Itoa)
	case *list:
		return c.items(path, v.Items, strconv.Itoa)
	case *dictionary:
		return c.items(path, v.Values, func(i int) string { return keyName(v.Keys[i]) })
	}
	return nil
}

func (c *collector) items(path []string, items []any, name func(i int) string) error {
	for i, item := range items {
		if err := c.collect(append(path[:len(path):len(path)], name(i)), item); err != nil {
			return err
		}
	}
	return nil
}

func keyName(key any) string {
	switch key.(type) {
	case string, int64:
		return fmt.Sprint(key)
	}
	return "?"
}

// tensor reads the arguments of torch._utils._rebuild_tensor_v2: storage, offset, size, stride; and of
// _rebuild_tensor_v3, whose seventh is the type.
func (c *collector) tensor(call *call) (Array, error) {
	least := map[global]int{rebuildTensor: 4, rebuildUntyped: 7}[call.Function]
	if least == 0 || len(call.Arguments) < least {
		return Array{}, Faultf(ErrMalformed, "is a call of %v with %d arguments", call.Function,
			len(call.Arguments))
	}
	a, elements, err := c.storage(call.Arguments[0])
	if err != nil {
		return Array{}, err
	}
	if call.Function == rebuildUntyped {
		name, _ := call.Arguments[6].(global)
		t, known := torchUntyped[name]
		if !known {
			return Array{}, Faultf(ErrMalformed, "its type is not one that torch.save writes")
		}
		t.Big = c.big
		a.Type, elements = t, elements/uint64(t.Size)
	}
	start, ok := call.Arguments[1].(int64)
	shape, okShape := numbers(call.Arguments[2])
	strides, okStrides := numbers(call.Arguments[3])
	if !ok || start < 0 || start > mostBytes/64 || !okShape || !okStrides {
		return Array{}, Faultf(ErrMalformed, "its offset, size and stride are not whole numbers")
	}
	a.Start, a.Shape, a.Strides = uint64(start)*uint64(a.Type.Size), shape, strides
	if err := a.Check(); err != nil {
		return Array{}, err
	}
	if need := (a.Start + a.Span()) / uint64(a.Type.Size); need > elements {
		return Array{}, Faultf(ErrMalformed, "reaches to element %d of a storage of %d", need, elements)
	}
	return a, nil
}

// storage reads a persistent identifier: ("storage", type, entry, place, number of elements).
func (c *collector) storage(value any) (a Array, elements uint64, err error) {
	reference, ok := value.(*reference)
	if !ok {
		return a, 0, Faultf(ErrMalformed, "has no storage")
	}
	id, _ := reference.ID.(sequence)
	if len(id) != 5 || id[0] != "storage" {
		return a, 0, Faultf(ErrMalformed, "its storage is not one that torch.save writes")
	}
	class, isClass := id[1].(global)
	entry, isEntry := id[2].(string)
	count, isCount := id[4].(int64)
	t, known := torchTypes[class.Name]
	if !isClass || !known || !isEntry || !isCount || count < 0 {
		return a, 0, Faultf(ErrMalformed, "its storage is not one that torch.save writes")
	}
	t.Big = c.big
	return Array{Type: t, Storage: entry}, uint64(count), nil
}

func numbers(value any) ([]uint64, bool) {
	tuple, ok := value.(sequence)
	if len(tuple) > mostDimensions {
		return nil, false
	}
	list := make([]uint64, len(tuple))
	for i, item := range tuple {
		n, isNumber := item.(int64)
		ok = ok && isNumber && n >= 0
		list[i] = uint64(n)
	}
	return list, ok
}
