package driver

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// counted is a GPU of which a session uses the memory and the launches.
type counted struct {
	GPU
	pieces, launches, failAt int
	uploaded                 []byte
}

func (g *counted) Upload(_ Memory, from []byte) error {
	g.uploaded = append(g.uploaded, from...)
	return nil
}

func (g *counted) Alloc(bytes uint64) (Memory, error) {
	g.pieces++
	return Memory{Address: 1, Bytes: bytes}, nil
}

func (g *counted) Free(Memory) { g.pieces-- }

func (g *counted) Launch(Kernel, device.Shape, ...any) error {
	if g.launches++; g.launches == g.failAt {
		return fmt.Errorf("launch %d: %w", g.launches, ErrLaunch)
	}
	return nil
}

// TestSession: the first error stays, nothing is done after it, and memory is freed
// by scopes.
func TestSession(t *testing.T) {
	g := &counted{failAt: 2}
	s := NewSession(t.Context(), g)
	end := s.Scope()
	s.Alloc(1)
	inner := s.Scope()
	if m := s.Upload(nil); m.Bytes != 16 || g.pieces != 2 {
		t.Errorf("%+v, %d pieces", m, g.pieces)
	}
	if s.Upload([]byte{7}); string(g.uploaded) != "\a" || g.pieces != 3 {
		t.Errorf("%v is uploaded, %d pieces", g.uploaded, g.pieces)
	}
	if inner(); g.pieces != 1 {
		t.Errorf("%d pieces after the inner scope", g.pieces)
	}
	values := s.Repeat(5, func(int) float64 { s.Launch(nil, device.Shape{}); return 1 })
	s.Fail(ErrTimeout)
	s.Launch(nil, device.Shape{})
	if !errors.Is(s.Err(), ErrLaunch) || values != nil || g.launches != 2 || s.OK() {
		t.Errorf("%v, %v after %d launches", s.Err(), values, g.launches)
	}
	if m, err := s.TryAlloc(1); !errors.Is(err, ErrLaunch) || m != (Memory{}) {
		t.Errorf("%+v, %v", m, err)
	}
	if end(); g.pieces != 0 {
		t.Errorf("%d pieces are left", g.pieces)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s := NewSession(ctx, g); s.OK() || !errors.Is(s.Err(), context.Canceled) {
		t.Errorf("%v", s.Err())
	}
}

// TestAttempt: a forgiven error is not one of the session's, any other is.
func TestAttempt(t *testing.T) {
	s := NewSession(t.Context(), &counted{failAt: 1})
	err := s.Attempt(func() { s.Launch(nil, device.Shape{}) }, ErrMemory, ErrLaunch)
	if !errors.Is(err, ErrLaunch) || s.Err() != nil {
		t.Errorf("%v, the session's %v", err, s.Err())
	}
	if err := s.Attempt(func() { s.Fail(ErrTimeout) }, ErrMemory); !errors.Is(err, ErrTimeout) ||
		!errors.Is(s.Err(), ErrTimeout) {
		t.Errorf("%v, the session's %v", err, s.Err())
	}
	if err := s.Attempt(func() { t.Error("a step after the session's error") }); !errors.Is(err, ErrTimeout) {
		t.Errorf("%v", err)
	}
}
