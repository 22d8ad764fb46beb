// Package must ends tests whose preparations fail.
package must

// T is a test, a benchmark or a property.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Get returns a value in a test, which an error ends:
//
//	data := must.Get(os.ReadFile(path))(t)
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Do ends a test where there is an error.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
