package tensor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// safetensorsHeaderBytes is the longest header that is read, of some 300,000 arrays; the format allows 100 MB.
const safetensorsHeaderBytes = 32 << 20

// IsSafetensors recognizes a file by its first bytes: a length that is read, then an object.
func IsSafetensors(head []byte) bool {
	return len(head) > 9 && binary.LittleEndian.Uint64(head) <= safetensorsHeaderBytes &&
		(head[8] == '{' && (head[9] == '"' || head[9] == '}' || head[9] == ' '))
}

// safetensorsTypes are the types by the names of the format. What is not here holds no index.
var safetensorsTypes = map[string]Type{
	"I8": Int8, "I16": Int16, "I32": Int32, "I64": Int64,
	"U8": Uint8, "U16": Uint16, "U32": Uint32, "U64": Uint64,
	"F16": Float16, "F32": Float32, "F64": Float64, "BF16": BFloat16,
	"BOOL": Bool,
}

// ReadSafetensors reads a header: 8 bytes of length, little-endian, and as many of JSON. The
// arrays come in the order of their bytes, which follow the header in r; start is how many bytes
// were read.
//
// https://github.com/huggingface/safetensors#format
func ReadSafetensors(r io.Reader) (arrays []Array, start int64, err error) {
	raw, err := readHead(r, 8, "safetensors")
	if err != nil {
		return nil, 0, err
	}
	length := binary.LittleEndian.Uint64(raw)
	if length > safetensorsHeaderBytes {
		return nil, 0, Faultf(ErrUnsupported, "safetensors header of %d bytes, the most is %d", length,
			safetensorsHeaderBytes)
	}
	// The text grows with what there is, not with what the length promises.
	if raw, err = io.ReadAll(io.LimitReader(r, int64(length))); err != nil {
		return nil, 0, err
	}
	if uint64(len(raw)) < length {
		return nil, 0, Faultf(ErrTruncated, "ends within the safetensors header")
	}
	arrays, err = parseSafetensors(raw)
	return arrays, 8 + int64(length), err
}

func parseSafetensors(raw []byte) ([]Array, error) {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, Faultf(ErrMalformed, "safetensors header is not a JSON object: %v", err)
	}
	var arrays []Array
	for name, text := range entries {
		if name == "__metadata__" {
			continue
		}
		a, err := parseSafetensor(name, text)
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, a)
	}
	slices.SortFunc(arrays, func(a, b Array) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), strings.Compare(a.Name, b.Name))
	})
	return arrays, nil
}

// parseSafetensor reads the entry of one array and holds its bytes against its shape.
func parseSafetensor(name string, text json.RawMessage) (Array, error) {
	var entry struct {
		Type    string   `json:"dtype"`
		Shape   []uint64 `json:"shape"`
		Offsets []uint64 `json:"data_offsets"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&entry); err != nil {
		return Array{}, Faultf(ErrMalformed, "safetensors entry %s: %v", Shorten(name), err)
	}
	if entry.Type == "" || entry.Shape == nil || len(entry.Offsets) != 2 {
		return Array{}, Faultf(ErrMalformed,
			"safetensors entry %s lacks its dtype, shape or data_offsets", Shorten(name))
	}
	t, ok := safetensorsTypes[entry.Type]
	if !ok {
		t = Type{Name: "of the type " + Shorten(entry.Type), Size: 1}
	}
	a, err := New(name, t, entry.Shape, false)
	if err != nil {
		return Array{}, Faultf(ErrMalformed, "safetensors entry %s: %v", Shorten(name), err)
	}
	begin, end := entry.Offsets[0], entry.Offsets[1]
	a.Start = begin
	if end > mostBytes || begin > end || ok && end-begin != a.Count()*uint64(t.Size) {
		return Array{}, Faultf(ErrMalformed,
			"safetensors entry %s: bytes %d to %d do not hold the shape %s of %s", Shorten(name), begin,
			end, a.Dimensions(), t.Name)
	}
	return a, nil
}
