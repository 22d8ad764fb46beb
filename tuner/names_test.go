package tuner_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/tuner"
)

// TestNames: fields of decisions and statistics have the words of their JSON keys.
func TestNames(t *testing.T) {
	checked := map[reflect.Type]bool{}
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			check(of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if checked[of] {
			return
		}
		checked[of] = true
		for f := range of.Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key != "" && key != "-" && !strings.EqualFold(strings.ReplaceAll(key, "_", ""), f.Name) {
				t.Errorf("%s.%s is %s in JSON", of, f.Name, key)
			}
			if key != "-" {
				check(f.Type)
			}
		}
	}
	check(reflect.TypeFor[tuner.Decision]())
	if len(checked) < 10 {
		t.Errorf("%d types", len(checked))
	}
}
