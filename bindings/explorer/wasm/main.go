//go:build js && wasm

// The program wasm hands the questions of the explorer's page to package explorer. It sets the
// global object atomtune, whose functions take a question as JSON and return the answer as JSON, or
// {"error": "..."}.
package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/atomtune/atomtune/bindings/explorer"
	"github.com/atomtune/atomtune/internal/strictjson"
)

func main() {
	var x explorer.Explorer
	js.Global().Set("atomtune", map[string]any{
		"menus": function(func(struct{}) (explorer.Menus, error) { return explorer.MenusOf() }),
		"prepare": function(func(device string) (bool, error) {
			return true, explorer.Prepare(device)
		}),
		"warp":  function(explorer.Warp),
		"call":  function(x.Call),
		"ahead": function(x.Ahead),
		"curve": function(x.Curve),
	})
	select {} // answers come from the functions
}

// function makes an answer callable from the page.
func function[Q, A any](answer func(Q) (A, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		var q Q
		err := strictjson.Decode([]byte(args[0].String()), &q)
		if err != nil {
			return failure(err)
		}
		a, err := answer(q)
		if err != nil {
			return failure(err)
		}
		text, err := json.Marshal(a)
		if err != nil {
			return failure(err)
		}
		return string(text)
	})
}

func failure(err error) string {
	text, _ := json.Marshal(map[string]string{"error": err.Error()}) // of strings: nothing can fail
	return string(text)
}
