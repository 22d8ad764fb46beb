package device_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestWhatDevicesDo: what each device can run and launch, in which shapes, and what its atomics cost for
// each kind of call are what testdata/devices.txt holds.
func TestWhatDevicesDo(t *testing.T) {
	var lines []string
	for _, name := range golden.Devices {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range impl.Candidates() {
			var sum golden.Digest
			shapes(&sum, d, v)
			for _, less := range []func(p *device.Profile){
				func(p *device.Profile) { p.Shared.BytesPerBlock.Value = 600 },
				func(p *device.Profile) { p.Shared.BytesPerBlock.Value = 16 << 10 },
				func(p *device.Profile) { p.Core.MaxThreadsPerBlock.Value = 128 },
			} {
				p := *d
				less(&p)
				shapes(&sum, &p, v)
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s", name, v, &sum))
		}
		for _, typ := range device.Types() {
			var sum golden.Digest
			for _, op := range device.Ops() {
				for _, operand := range []device.Operand{device.Loaded, device.One} {
					c := device.Call{Type: typ, Op: op, Operand: operand}
					if c.Validate() == nil {
						sum.JSON(t, []any{d.SharedUpdate(c), d.GlobalUpdate(c), d.LikeAdd(c), c.StreamBytes(),
							c.OrderFree()})
					}
				}
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s", name, typ, &sum))
		}
		var sum golden.Digest
		l := d.Limits()
		sum.JSON(t, []any{l, l.Launches(), l.Searched(), d.Origin(), len(d.Doubts())})
		d.Facts(func(f device.Fact) {
			if sum.Text(f.Place); f.Quantity != nil {
				sum.Add(f.Quantity.Value)
			} else {
				sum.Text(fmt.Sprint(f.Capability.Value))
			}
		})
		lines = append(lines, fmt.Sprintf("%s: %s", name, &sum))
	}
	for _, name := range []string{"h200", "gtx680", "b200"} {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s altered: %s", name, golden.Altered(text, 200, func(altered []byte) error {
			if _, err := device.Decode(altered); !errors.Is(err, device.ErrProfile) {
				return err
			}
			return device.ErrProfile
		})))
	}
	golden.Compare(t, "testdata/devices.txt", lines)
}

// shapes adds what the device says of an implementation for many numbers of targets and updates.
func shapes(sum *golden.Digest, d *device.Profile, v impl.Spec) {
	l := d.Limits()
	say := func(err error) {
		sum.Text(fmt.Sprint(errors.Is(err, device.ErrCannot), errors.Is(err, device.ErrLaunch)))
	}
	for _, typ := range []device.Type{device.U32, device.F64} {
		for bins := uint64(1); bins < 1<<24; bins = 11*bins + 3 {
			say(d.CanRun(v, typ, bins))
			for k, fixed := range []device.Launch{{}, {Threads: 128}, {Blocks: 7, Threads: 512, Unroll: 2}} {
				say(d.CanLaunch(v, typ, bins, fixed))
				if d.CanRun(v, typ, bins) != nil || d.CanLaunch(v, typ, bins, fixed) != nil {
					continue
				}
				for _, updates := range []uint64{1, 1000, 1 << 20, 1<<33 + 5} {
					s := l.Shape(v, device.Call{Type: typ}, bins, updates, fixed)
					sum.Add(float64(s.Blocks))
					sum.Text(fmt.Sprint(s, s.Blocks*uint64((s.Threads+l.WarpLanes-1)/l.WarpLanes)))
					if v.Algorithm == impl.Partition && k == 0 {
						sum.Text(fmt.Sprint(l.PartShapes(v, typ, bins, updates)))
					}
				}
			}
		}
	}
	if v.Algorithm == impl.Hot {
		sum.Text(fmt.Sprint(l.SampleShape(v)))
	}
	if v.Algorithm == impl.Partition {
		sum.Text(fmt.Sprint(l.MostParted(v, device.F32)))
	}
}
