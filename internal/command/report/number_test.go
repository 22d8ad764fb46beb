package report

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 123456: "123,456", 1 << 32: "4,294,967,296",
		18446744073709551615: "18,446,744,073,709,551,615",
	} {
		if got := Count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 32: "32", -3: "-3", 0.5: "0.5000", 0.0234567: "0.02346", 27.1649: "27.16",
		9999.96:  "10000",
		123456.7: "123457", 1e6: "1e+06", 2.5e-5: "2.5e-05", 4.8e12: "4.8e+12",
	} {
		if got := Number(x); got != want {
			t.Errorf("number(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestBytesPerSecond(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.0 B/s", 999: "999.0 B/s", 1500: "1.5 kB/s", 2.5e6: "2.5 MB/s", 3.2e9: "3.2 GB/s",
		5e15: "5000.0 TB/s",
	} {
		if got := BytesPerSecond(x); got != want {
			t.Errorf("bytesPerSecond(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 27.1649: "27.2", 99.96: "100", 4096: "4,096", 999999: "999,999", 1e6: "1e+06",
		0.0234567: "0.0235", -3: "-3",
	} {
		if got := Short(x); got != want {
			t.Errorf("short(%v) = %q, want %q", x, got, want)
		}
	}
}
