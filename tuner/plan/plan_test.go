package plan

import (
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// text is a line as every program writes it.
const text = "device=NVIDIA_H200 version=0.1 op=add type=f32 value=loaded index=i64 returns=0 " +
	"updates=1000000 bins=4096 sample=00000000deadbeef implementation=hot:s=1024,r=8,sample=2048 " +
	"launch=132x1024x4"

var example = Plan{
	Key: Key{Device: "NVIDIA H200", Version: "0.1", Type: device.F32, Index: device.I64, Updates: 1e6,
		Bins: 4096, Sample: 0xdeadbeef},
	Implementation: impl.Spec{Algorithm: impl.Hot, Slots: 1024, Replicas: 8, Sample: 2048},
	Launch:         device.Launch{Blocks: 132, Threads: 1024, Unroll: 4},
}

func TestLine(t *testing.T) {
	if got := example.String(); got != text {
		t.Errorf("%s, want %s", got, text)
	}
	got, err := Parse(text)
	tunertest.Must(t, err)
	if diff := cmp.Diff(example, got); diff != "" {
		t.Error(diff)
	}
	ruled := strings.Replace(text, "launch=132x1024x4", "launch=rule", 1)
	if p, err := Parse(ruled); err != nil || p.Launch != (device.Launch{}) || p.String() != ruled {
		t.Errorf("%v, %v", p, err)
	}
}

// TestNames: plans of devices with different names stay apart, and their lines read back.
func TestNames(t *testing.T) {
	var text []byte
	names := []string{"a b", "a_b", "a%5Fb", "a\tb", "a%b", "a\u00a0b", "a=b", "%", "a\nb", "_", " "}
	for i, name := range names {
		p := example
		p.Device, p.Launch.Blocks = name, uint64(i+1)
		var err error
		text, err = Put(text, p)
		tunertest.Must(t, err)
	}
	if got := escape("a_b\t%"); got != "a%5Fb%09%25" {
		t.Errorf("%q, and the CUDA headers write it otherwise", got)
	}
	for i, name := range names {
		key := example.Key
		key.Device = name
		if p, ok := Find(text, key); !ok || p.Launch.Blocks != uint64(i+1) {
			t.Errorf("%q: %v, %t", name, p, ok)
		}
	}
}

// TestBadLines: each line differs from a plan in one field, which the error names.
func TestBadLines(t *testing.T) {
	for _, c := range []struct{ old, now string }{
		{"device=NVIDIA_H200", "device="}, {"device=NVIDIA_H200", "device=NVIDIA%5fH200"},
		{"device=NVIDIA_H200", "device=NVIDIA%41"}, {"device=NVIDIA_H200", "device=a%zz"}, {"device=NVIDIA_H200", "device=a%5"},
		{"version=0.1", "versions=0.1"}, {"op=add", "op=sub"},
		{"type=f32", "type=f16"}, {"value=loaded", "value=two"}, {"index=i64", "index=i16"},
		{"returns=0", "returns=no"}, {"updates=1000000", "updates=01000000"},
		{"updates=1000000", "updates=-1"}, {"bins=4096", "bins=18446744073709551616"},
		{"sample=00000000deadbeef", "sample=deadbeef"},
		{"sample=00000000deadbeef", "sample=00000000DEADBEEF"},
		{"implementation=hot:s=1024,r=8,sample=2048", "implementation=future:q=1"},
		{"launch=132x1024x4", "launch=132x1024x3"}, {"launch=132x1024x4", "launch=1-4x256"},
		{" launch=132x1024x4", ""}, {"launch=132x1024x4", "launch=rule more=1"},
		{"op=add type=f32", "type=f32 op=add"}, {"op=add", " op=add"},
	} {
		line := strings.Replace(text, c.old, c.now, 1)
		if line == text {
			t.Fatalf("%q is not in the line", c.old)
		}
		if p, err := Parse(line); !errors.Is(err, ErrPlan) {
			t.Errorf("%s: %v, %v", c.now, p, err)
		}
	}
}

// TestAltered: which plans of which one field is another are refused is what testdata/altered.txt holds.
func TestAltered(t *testing.T) {
	golden.Compare(t, "testdata/altered.txt", []string{golden.Altered([]byte(text), 1000, func(altered []byte) error {
		_, err := Parse(string(altered))
		return tunertest.Refused(err)
	}).String()})
}

// TestFind: the last plan of a key counts; what is not a plan, or of another version, is a miss.
func TestFind(t *testing.T) {
	other := strings.Replace(text, "132x1024x4", "rule", 1)
	old := strings.Replace(text, "version=0.1", "version=0.0", 1)
	stale := example.Key
	stale.Version = "0.0"
	for _, c := range []struct {
		name, text string
		key        Key
		launch     string // "": a miss
	}{
		{"one", header + "\n" + text + "\n", example.Key, "132x1024x4"},
		{"carriage returns", header + "\r\n" + text + "\r\n", example.Key, "132x1024x4"},
		{"the last", header + "\n" + text + "\n" + other, example.Key, "0x0"},
		{"among others", header + "\n# note\n\n" + text + "\nfuture plan=1\n", example.Key, "132x1024x4"},
		{"of a version before", header + "\n" + old, example.Key, ""},
		{"as that version", header + "\n" + old, stale, "132x1024x4"},
		{"another format", "atomtune-plan 2\n" + text, example.Key, ""},
		{"no header", text, example.Key, ""},
		{"nothing", "", example.Key, ""},
	} {
		p, ok := Find([]byte(c.text), c.key)
		if ok != (c.launch != "") || ok && p.Launch.String() != c.launch {
			t.Errorf("%s: %v, %t", c.name, p, ok)
		}
	}
	for i, change := range []func(*Key){
		func(k *Key) { k.Device = "x" }, func(k *Key) { k.Op = device.Max },
		func(k *Key) { k.Type = device.U32 }, func(k *Key) { k.Operand = device.One },
		func(k *Key) { k.Index = device.U32 }, func(k *Key) { k.Returns = true },
		func(k *Key) { k.Updates++ }, func(k *Key) { k.Bins++ }, func(k *Key) { k.Sample++ },
	} {
		k := example.Key
		change(&k)
		if p, ok := Find([]byte(header+"\n"+text), k); ok {
			t.Errorf("change %d: %v", i, p)
		}
	}
}

// TestSave: a plan replaces that of its key and keeps all other lines.
func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plans")
	if _, ok := Load(path, example.Key); ok {
		t.Error("a plan in no file")
	}
	spaced := example
	spaced.Op = device.Max
	again := example
	again.Launch = device.Launch{}
	for _, p := range []Plan{example, spaced} {
		if err := Save(path, p); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	tunertest.Must(t, err)
	data = append(data, "version 9 of something\n"...)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Save(path, again); err != nil {
		t.Fatal(err)
	}
	want := header + "\n" + strings.Replace(text, "op=add", "op=max", 1) +
		"\nversion 9 of something\n" + strings.Replace(text, "132x1024x4", "rule", 1) + "\n"
	if data, err = os.ReadFile(path); err != nil || string(data) != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, string(data)))
	}
	if p, ok := Load(path, again.Key); !ok || p != again {
		t.Errorf("%v, %t", p, ok)
	}
	foreign := filepath.Join(t.TempDir(), "foreign")
	if err := os.WriteFile(foreign, []byte("not ours\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Save(foreign, example); !errors.Is(err, ErrPlan) ||
		!strings.Contains(err.Error(), foreign) {
		t.Errorf("written over a foreign file: %v", err)
	}
	if err := Save(path, Plan{}); !errors.Is(err, ErrPlan) {
		t.Errorf("a plan of no device: %v", err)
	}
}

// TestPut: lines of others stay as they are to the byte, whatever saves follow, and lines end as the first does.
func TestPut(t *testing.T) {
	again := strings.Replace(text, "132x1024x4", "rule", 1)
	future := strings.Replace(text, "launch=", "future=1 launch=", 1) // of the same call
	for _, c := range []struct{ before, after string }{
		{"", header + "\n" + text + "\n"},
		{header, header + "\n" + text + "\n"},
		{header + "\n" + again + "\n\nx\r\n" + future, header + "\n\nx\r\n" + future + "\n" + text + "\n"},
		{header + "\r\n" + again + "\r\n# note\r\n", header + "\r\n# note\r\n" + text + "\r\n"},
		{header + "\r\n" + future + "\r\n" + text + "\r\nend", header + "\r\n" + future + "\r\nend\r\n" + text + "\r\n"},
	} {
		once, err := Put([]byte(c.before), example)
		tunertest.Must(t, err)
		if diff := cmp.Diff(c.after, string(once)); diff != "" {
			t.Error(diff)
		}
		if twice, err := Put(once, example); err != nil || string(twice) != string(once) {
			t.Errorf("%q, then %q, %v", once, twice, err)
		}
	}
}

// TestSample: the hash is that of all whole warps of a short stream, and of 64 warps of a long one.
func TestSample(t *testing.T) {
	for _, n := range []uint64{0, 1, 2047, 2048, 2049, 1e6, 1 << 40} {
		h, read := fnv.New64a(), uint64(0)
		got := Sample(n, func(i uint64) uint32 {
			if n < 65*32 && i != read || i >= n || i < read/32*(n/32)/64*32 {
				t.Errorf("of %d updates number %d is read as the one in place %d", n, i, read)
			}
			v := uint32(i * 0x01010105)
			h.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
			read++
			return v
		})
		if got != h.Sum64() || read != min(n/32*32, 2048) {
			t.Errorf("%d updates: hash %x of %d, want %x", n, got, read, h.Sum64())
		}
	}
}

// FuzzParse: what parses is written as it was read.
func FuzzParse(f *testing.F) {
	f.Add(text)
	f.Add(strings.Replace(text, "132x1024x4", "rule", 1))
	f.Add("device= version=\n")
	f.Fuzz(func(t *testing.T, line string) {
		var p Plan
		var err error
		allocation.Bound(t, len(line), func() { p, err = Parse(line) })
		if err != nil {
			if !errors.Is(err, ErrPlan) {
				t.Fatalf("%q: %v", line, err)
			}
			return
		}
		if again, err := Parse(p.String()); err != nil || again != p {
			t.Fatalf("%q: %v, %v", line, again, err)
		}
	})
}

// FuzzFind: any text is a file of plans or none, a plan that is put in is found, and what was there
// stays.
func FuzzFind(f *testing.F) {
	f.Add(header+"\n"+text+"\n", text)
	f.Add(header+"\r\nnoise\n"+text+"\r\n"+text, text)
	f.Add("", text)
	f.Fuzz(func(t *testing.T, content, line string) {
		p, err := Parse(line)
		if err != nil {
			return
		}
		allocation.Bound(t, len(content), func() { Find([]byte(content), p.Key) })
		file, err := Put([]byte(content), p)
		if err != nil {
			if !errors.Is(err, ErrPlan) {
				t.Fatal(err)
			}
			return
		}
		if found, ok := Find(file, p.Key); !ok || found != p {
			t.Fatalf("%q: %v, %t", file, found, ok)
		}
		twice, err := Put(file, p)
		if err != nil || string(twice) != string(file) {
			t.Fatalf("put twice: %q, then %q, %v", file, twice, err)
		}
	})
}
