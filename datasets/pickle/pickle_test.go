package pickle

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/allocation"
)

// storages allows one global.
func storages(g Global) bool { return g == Global{"torch", "LongStorage"} }

func TestDecode(t *testing.T) {
	list := &List{}
	list.Items = append(list.Items, list)
	for text, want := range map[string]any{
		"\x80\x02N.":                                 nil,
		"\x80\x02\x88.":                              true,
		"\x80\x02J\xfe\xff\xff\xff.":                 int64(-2),
		"\x80\x02M\x01\x02.":                         int64(513),
		"\x80\x02\x8a\x02\x00\x80.":                  int64(-32768),
		"\x80\x02\x8a\x00.":                          int64(0),
		"\x80\x02G\x3f\xe0\x00\x00\x00\x00\x00\x00.": 0.5,
		"\x80\x02X\x02\x00\x00\x00\xc3\xa9.":         "é",
		"\x80\x02K\x01K\x02K\x03\x87.":               Tuple{int64(1), int64(2), int64(3)},
		"\x80\x02(K\x01K\x02t\x85.":                  Tuple{Tuple{int64(1), int64(2)}},
		"\x80\x02]K\x07a(K\x08K\x09e.":               &List{[]any{int64(7), int64(8), int64(9)}},
		"\x80\x02Nq\x00h\x00Nr\x01\x00\x00\x00\x87.": Tuple{nil, nil, nil},
		"\x80\x02}K\x01Ns(K\x02NK\x03Nu.": &Dict{[]any{int64(1), int64(2), int64(3)},
			[]any{nil, nil, nil}},
		"\x80\x02ccollections\nOrderedDict\n)R}b.": &Dict{},
		"\x80\x02ctorch\nLongStorage\n)RQ.": &Reference{&Call{Global{"torch", "LongStorage"},
			Tuple{}}},
		"\x80\x02K\x05q\x01h\x01r\x00\x01\x00\x00j\x00\x01\x00\x00\x87.": Tuple{int64(5), int64(5),
			int64(5)},
	} {
		got, err := Decode([]byte(text), storages)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
	cyclic, err := Decode([]byte("\x80\x02]q\x00h\x00a."), storages)
	if l, ok := cyclic.(*List); err != nil || !ok || l.Items[0] != cyclic {
		t.Errorf("a list that holds itself: %v, %v", cyclic, err)
	}
}

// What is no plain data is refused by its name, and nothing is executed.
func TestFaults(t *testing.T) {
	for text, want := range map[string]error{
		"\x80\x02c" + strings.Repeat("a", 300) + "\nb\n.":   ErrPickle,
		"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00ls\x85R.": ErrRefused,
		"\x80\x02ctorch\nload\n.":                           ErrRefused,
		"\x80\x04.":                                         ErrRefused,
		"\x80\x02\x93.":                                     ErrRefused,
		"\x80\x02\xff.":                                     ErrRefused,
		"\x80\x02\x8a\x09123456789.":                        ErrRefused,
		"\x80\x02X\xff\xff\xff\xff.":                        ErrPickle,
		"\x80\x02":                                          ErrPickle,
		"\x80\x02.":                                         ErrPickle,
		"\x80\x02(.":                                        ErrPickle,
		"\x80\x02NN.":                                       ErrPickle,
		"\x80\x02N.N":                                       ErrPickle,
		"\x80\x02t.":                                        ErrPickle,
		"\x80\x02h\x07.":                                    ErrPickle,
		"\x80\x02}(K\x01u.":                                 ErrPickle,
		"\x80\x02NNR.":                                      ErrPickle,
		"\x80\x02N}b.":                                      ErrPickle,
		"\x80\x02X\x01\x00\x00\x00\xff.":                    ErrPickle,
	} {
		if _, err := Decode([]byte(text), storages); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := Decode([]byte("\x80\x02ctorch\nload\n."), storages); !strings.Contains(err.Error(), `"torch.load"`) {
		t.Errorf("a function is not named: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01K\x02\x86h\x00]K\x03au."))
	f.Add([]byte("\x80\x02ctorch\nLongStorage\n(K\x01G01234567tR)Q."))
	f.Fuzz(func(t *testing.T, data []byte) {
		var err error
		allocation.Bound(t, len(data), func() { _, err = Decode(data, storages) })
		if err != nil && !errors.Is(err, ErrPickle) && !errors.Is(err, ErrRefused) {
			t.Errorf("%v wraps no sentinel", err)
		}
	})
}
