package tensor

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/allocation"
)

// storages allows one global.
func storages(g global) bool { return g == global{"torch", "LongStorage"} }

func TestUnpickle(t *testing.T) {
	for text, want := range map[string]any{
		"\x80\x02N.":                                 nil,
		"\x80\x02\x88.":                              true,
		"\x80\x02J\xfe\xff\xff\xff.":                 int64(-2),
		"\x80\x02M\x01\x02.":                         int64(513),
		"\x80\x02\x8a\x02\x00\x80.":                  int64(-32768),
		"\x80\x02\x8a\x00.":                          int64(0),
		"\x80\x02G\x3f\xe0\x00\x00\x00\x00\x00\x00.": 0.5,
		"\x80\x02X\x02\x00\x00\x00\xc3\xa9.":         "é",
		"\x80\x02K\x01K\x02K\x03\x87.":               sequence{int64(1), int64(2), int64(3)},
		"\x80\x02(K\x01K\x02t\x85.":                  sequence{sequence{int64(1), int64(2)}},
		"\x80\x02]K\x07a(K\x08K\x09e.":               &list{[]any{int64(7), int64(8), int64(9)}},
		"\x80\x02Nq\x00h\x00Nr\x01\x00\x00\x00\x87.": sequence{nil, nil, nil},
		"\x80\x02}K\x01Ns(K\x02NK\x03Nu.": &dictionary{[]any{int64(1), int64(2), int64(3)},
			[]any{nil, nil, nil}},
		"\x80\x02ccollections\nOrderedDict\n)R}b.": &dictionary{},
		"\x80\x02ctorch\nLongStorage\n)RQ.": &reference{&call{global{"torch", "LongStorage"},
			sequence{}}},
		"\x80\x02K\x05q\x01h\x01r\x00\x01\x00\x00j\x00\x01\x00\x00\x87.": sequence{int64(5), int64(5),
			int64(5)},
	} {
		got, err := unpickle([]byte(text), storages)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
	cyclic, err := unpickle([]byte("\x80\x02]q\x00h\x00a."), storages)
	if l, ok := cyclic.(*list); err != nil || !ok || l.Items[0] != cyclic {
		t.Errorf("a list that holds itself: %v, %v", cyclic, err)
	}
}

// What is not plain data is refused by its name, and nothing is executed.
func TestPickleFaults(t *testing.T) {
	for text, want := range map[string]error{
		"\x80\x02c" + strings.Repeat("a", 300) + "\nb\n.":   ErrMalformed,
		"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00ls\x85R.": ErrUnsupported,
		"\x80\x02ctorch\nload\n.":                           ErrUnsupported,
		"\x80\x04.":                                         ErrUnsupported,
		"\x80\x02\x93.":                                     ErrUnsupported,
		"\x80\x02\xff.":                                     ErrUnsupported,
		"\x80\x02\x8a\x09123456789.":                        ErrUnsupported,
		"\x80\x02X\xff\xff\xff\xff.":                        ErrMalformed,
		"\x80\x02":                                          ErrMalformed,
		"\x80\x02.":                                         ErrMalformed,
		"\x80\x02(.":                                        ErrMalformed,
		"\x80\x02NN.":                                       ErrMalformed,
		"\x80\x02N.N":                                       ErrMalformed,
		"\x80\x02t.":                                        ErrMalformed,
		"\x80\x02h\x07.":                                    ErrMalformed,
		"\x80\x02}(K\x01u.":                                 ErrMalformed,
		"\x80\x02NNR.":                                      ErrMalformed,
		"\x80\x02N}b.":                                      ErrMalformed,
		"\x80\x02X\x01\x00\x00\x00\xff.":                    ErrMalformed,
	} {
		if _, err := unpickle([]byte(text), storages); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := unpickle([]byte("\x80\x02ctorch\nload\n."), storages); !strings.Contains(err.Error(), `"torch.load"`) {
		t.Errorf("a function is not named: %v", err)
	}
}

func FuzzUnpickle(f *testing.F) {
	f.Add([]byte("\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01K\x02\x86h\x00]K\x03au."))
	f.Add([]byte("\x80\x02ctorch\nLongStorage\n(K\x01G01234567tR)Q."))
	f.Fuzz(func(t *testing.T, data []byte) {
		var err error
		allocation.Bound(t, len(data), func() { _, err = unpickle(data, storages) })
		if err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v wraps no sentinel", err)
		}
	})
}
