package input

import "testing"

func TestByteSize(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "4096": 4096, "64KiB": 65536, "1.5GB": 1500000000, "2GiB": 2 << 30, "3kB": 3000, "7B": 7,
		"0.5KiB": 512, "3MiB": 3 << 20, "5GB": 5000000000, "1TB": 1000000000000, "1TiB": 1 << 40, "2MB": 2000000,
	} {
		var s ByteSize
		if err := s.Set(text); err != nil || uint64(s) != want {
			t.Errorf("%q: %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5", "0.3B", "many", "1e300", "NaN", "4 MiB",
		"4mib"} {
		var s ByteSize
		if err := s.Set(text); err == nil || s != 0 {
			t.Errorf("%q: %d, no error", text, s)
		}
	}
}

// TestSyntheticBytes: the updates of a synthetic stream take its size together.
func TestSyntheticBytes(t *testing.T) {
	e, _ := testEnv(nil)
	s, err := Open(e, "synth:uniform:n=3,k=4", streamFlags(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Random(); s.UpdateBytes()*uint64(a.Len()) != uint64(s.size) || s.Bins() != 4 {
		t.Errorf("%d updates of %d bytes and %d targets, %d bytes in all", a.Len(), s.UpdateBytes(), s.Bins(), s.size)
	}
}
