package report

import "testing"

func TestNumbers(t *testing.T) {
	for _, c := range [][2]string{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(123456), "123,456"},
		{Count(uint64(18446744073709551615)), "18,446,744,073,709,551,615"},
		{Number(1), "1"}, {Number(-3), "-3"}, {Number(0.5), "0.5000"}, {Number(0.0234567), "0.02346"}, {Number(27.1649), "27.16"},
		{Number(9999.96), "10000"}, {Number(123456.7), "123457"}, {Number(1e6), "1e+06"}, {Number(2.5e-5), "2.5e-05"},
		{Short(27.1649), "27.2"}, {Short(99.96), "100"}, {Short(4096), "4,096"}, {Short(999999), "999,999"},
		{Short(1e6), "1e+06"}, {Short(0.0234567), "0.0235"},
		{BytesPerSecond(0), "0.0 B/s"}, {BytesPerSecond(999), "999.0 B/s"}, {BytesPerSecond(1500), "1.5 kB/s"},
		{BytesPerSecond(2.5e6), "2.5 MB/s"}, {BytesPerSecond(3.2e9), "3.2 GB/s"}, {BytesPerSecond(5e15), "5000.0 TB/s"},
		{Counted(0, "stream"), "0 streams"}, {Counted(1, "stream"), "1 stream"}, {Counted(1200, "stream"), "1,200 streams"},
		{Counted(1, "leaf"), "1 leaf"}, {Counted(2, "leaf"), "2 leaves"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
