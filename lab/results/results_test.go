package results

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestEncode: what is encoded reads as the same, numbers to nine digits and text to the letter.
func TestEncode(t *testing.T) {
	type row struct {
		Name  string    `json:"name"`
		Count int       `json:"count"`
		Of    []float64 `json:"of"`
	}
	made := []row{{"1.23456789012 and : 2.3456789012345", 123456789012, []float64{math.Pi, 1e-300 / 3, -2, 1e21}}}
	text, err := Encode(made)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "results.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var read []row
	if err := Read(path, &read); err != nil {
		t.Fatal(err)
	}
	for i, v := range read[0].Of {
		if math.Abs(v/made[0].Of[i]-1) > 1e-8 {
			t.Errorf("%v, want %v", v, made[0].Of[i])
		}
	}
	if strings.Contains(text, "3.141592653589") {
		t.Errorf("more than nine digits:\n%s", text)
	}
	read[0].Of = made[0].Of
	if !reflect.DeepEqual(read, made) {
		t.Errorf("%+v, want %+v", read, made)
	}
}

// TestReadFaults: a file that is missing, and one with what nobody reads, are errors that name it.
func TestReadFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	var v struct{ A int }
	if err := Read(path, &v); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"A":1,"B":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Read(path, &v); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a field that nobody reads: %v", err)
	}
}
