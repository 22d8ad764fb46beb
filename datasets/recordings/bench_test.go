package recordings

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkDecode reads the H200's calls and readings.
func BenchmarkDecode(b *testing.B) {
	for name, decode := range map[string]func(string, []byte) error{
		CallsFile: func(name string, data []byte) error {
			_, _,
				err := DecodeCalls(name, data)
			return err
		},
		ReadingsFile: func(name string, data []byte) error {
			_, _,
				err := DecodeReadings(name, data)
			return err
		},
	} {
		b.Run("file="+name, func(b *testing.B) {
			data, err := os.ReadFile(filepath.Join("../h200", name))
			if err != nil {
				b.Fatal(err)
			}
			if data, err = Plain(name, data); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := decode(name, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
