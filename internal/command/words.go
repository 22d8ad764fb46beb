package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// inWords returns the text of an error with the wording of Go's decoders, which
// speaks of Go's types, in plain English.
func inWords(err error) string {
	text := err.Error()
	if value := (*json.UnmarshalTypeError)(nil); errors.As(err, &value) {
		text = strings.Replace(text, value.Error(), valueWanted(value), 1)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text = strings.Replace(text, io.ErrUnexpectedEOF.Error(), "it ends too early", 1)
	}
	return strings.Replace(text, "json: unknown field", "unknown field", 1)
}

// valueWanted says what a JSON value should have been.
func valueWanted(err *json.UnmarshalTypeError) string {
	wanted := map[reflect.Kind]string{
		reflect.Struct: "an object", reflect.Map: "an object", reflect.Slice: "an array", reflect.Array: "an array",
		reflect.String: "a string", reflect.Bool: "true or false",
	}[err.Type.Kind()]
	if wanted == "" {
		wanted = "a number"
	}
	if err.Field == "" {
		return fmt.Sprintf("byte %d: found %s, want %s", err.Offset, err.Value, wanted)
	}
	return fmt.Sprintf("byte %d: %s: found %s, want %s", err.Offset, err.Field, err.Value, wanted)
}
