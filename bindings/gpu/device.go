package gpu

import (
	"context"
	"sync"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/bindings/gpu/libcuda"
	"github.com/atomtune/atomtune/device"
)

// Device is one GPU, ready for calls of any goroutine. They are performed one after the other.
type Device struct {
	gpu         *libcuda.GPU
	description driver.Description
	limits      device.Limits
	jobs        chan func()   // for the thread on which the driver knows the GPU
	closing     func()        // once
	leave       chan struct{} // is closed when the device is to be given back
	left        chan struct{} // is closed when it was, with err
	err         error

	// What choices need, on the device's thread alone.
	profiles map[string]*device.Profile // by Options.Profile; nil if there is none
	choosers map[asked]*chooser
}

// Open makes the GPU of that number ready, numbered from 0 as the driver does. It loads
// libcuda.so.1, or the library that the environment variable ATOMPROBE_LIBCUDA names. Errors wrap
// ErrNoDriver, ErrNoDevice or ErrOldDriver, or say what the driver refuses.
func Open(number int) (*Device, error) {
	d := &Device{jobs: make(chan func()), leave: make(chan struct{}), left: make(chan struct{}),
		profiles: map[string]*device.Profile{}, choosers: map[asked]*chooser{}}
	d.closing = sync.OnceFunc(func() { close(d.leave) })
	opened := make(chan error)
	go d.serve(number, opened)
	if err := <-opened; err != nil {
		return nil, err
	}
	return d, nil
}

// serve opens the GPU and performs jobs on its own thread, until the device is closed.
func (d *Device) serve(number int, opened chan<- error) {
	library, err := libcuda.Open()
	if err == nil {
		d.gpu, err = library.Open(number)
	}
	if err != nil {
		opened <- err
		return
	}
	d.description = d.gpu.Describe()
	d.limits = kernels.Limits(&d.description)
	opened <- nil
	defer close(d.left)
	for {
		select {
		case job := <-d.jobs:
			job()
		case <-d.leave:
			d.err = d.gpu.Close()
			return
		}
	}
}

// Close gives the GPU back, with all its buffers, after the calls that run.
func (d *Device) Close() error {
	d.closing()
	<-d.left
	return d.err
}

// Name is what the driver calls the GPU, such as "NVIDIA H200".
func (d *Device) Name() string { return d.description.Name }

// do has a job done on the device's thread and returns the error of its session. A job that has
// begun ends before do returns.
func (d *Device) do(ctx context.Context, job func(*driver.Session)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	select {
	case d.jobs <- func() {
		s := driver.NewSession(ctx, d.gpu)
		job(s)
		done <- s.Err()
	}:
		return <-done
	case <-ctx.Done():
		return ctx.Err()
	case <-d.left:
		return ErrClosed
	}
}

// perform runs a call whose arrays are on the device, and waits for it. What has begun is not cut
// short.
func (d *Device) perform(s *driver.Session, c *kernels.Call, choice *Choice) {
	defer s.Scope()()
	c.Implementation, c.Fixed = choice.Implementation, choice.Launch
	if choice.tags != nil {
		c.Tags = s.Upload(driver.Bytes(choice.tags))
	}
	_, steps := c.Prepare(s, d.limits)
	if s.OK() {
		steps.Enqueue(s)
		s.Wait()
	}
}

var theFirst struct {
	sync.Mutex
	device *Device
}

// first returns the first GPU, which stays open once a call needed it.
func first() (_ *Device, err error) {
	theFirst.Lock()
	defer theFirst.Unlock()
	if theFirst.device == nil {
		theFirst.device, err = Open(0)
	}
	return theFirst.device, err
}
