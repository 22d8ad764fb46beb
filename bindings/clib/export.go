package main

// #include "api.h"
import "C"

import (
	"errors"
	"strings"
	"unsafe"

	"github.com/atomtune/atomtune/bindings/clib/internal/request"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// statuses lists what errors wrap, with the number that stands for each in C.
var statuses = []struct {
	of     error
	status C.int
}{
	{request.ErrFile, C.ATOMTUNE_FILE},
	{request.ErrArgument, C.ATOMTUNE_ARGUMENT},
	{device.ErrUnknown, C.ATOMTUNE_DEVICE}, {device.ErrProfile, C.ATOMTUNE_DEVICE},
	{dispatch.ErrNoTree, C.ATOMTUNE_DEVICE},
	{collision.ErrRows, C.ATOMTUNE_STREAM},
	{device.ErrCall, C.ATOMTUNE_ARGUMENT},
	{collision.ErrIndex, C.ATOMTUNE_STREAM}, {collision.ErrEmpty, C.ATOMTUNE_STREAM},
	{tuner.ErrStats, C.ATOMTUNE_STREAM},
	{tuner.ErrNone, C.ATOMTUNE_NONE},
	{tuner.ErrOptions, C.ATOMTUNE_ARGUMENT}, {collision.ErrOptions, C.ATOMTUNE_ARGUMENT},
	{device.ErrType, C.ATOMTUNE_ARGUMENT}, {device.ErrLaunch, C.ATOMTUNE_ARGUMENT},
	{device.ErrCannot, C.ATOMTUNE_NONE},
	{model.ErrModel, C.ATOMTUNE_INTERNAL}, // an embedded one
}

// attempt runs f, and turns its error or panic into a status and a message.
func attempt(message *C.char, f func() (C.int, error)) (status C.int) {
	err := request.Attempt(func() (err error) {
		status, err = f()
		return err
	})
	if err == nil {
		return status
	}
	put(message, C.ATOMTUNE_MESSAGE, strings.ReplaceAll(err.Error(), "\n", "; "))
	for _, s := range statuses {
		if errors.Is(err, s.of) {
			return s.status
		}
	}
	return C.ATOMTUNE_INTERNAL
}

// put writes a text into an array of C, cut off where that is too small, with a zero behind it.
func put(to *C.char, size int, text string) {
	into := unsafe.Slice((*byte)(unsafe.Pointer(to)), size)
	n := copy(into[:size-1], text)
	into[n] = 0
}

// attemptOn is attempt with the request that a call of single values is, and its stream.
func attemptOn(c *C.struct_atomtune_call, index unsafe.Pointer, n C.uint64_t, message *C.char,
	f func(*request.Request, request.Stream) (C.int, error)) C.int {
	return attemptAs(single, c, index, n, message, f)
}

func attemptAs(ask func(*C.struct_atomtune_call) (*request.Request, error), c *C.struct_atomtune_call,
	index unsafe.Pointer, n C.uint64_t, message *C.char,
	f func(*request.Request, request.Stream) (C.int, error)) C.int {
	return attempt(message, func() (C.int, error) {
		r, err := ask(c)
		if err != nil {
			return 0, err
		}
		s, err := stream(c, index, n)
		if err != nil {
			return 0, err
		}
		return f(r, s)
	})
}

//export goDevices
func goDevices(names *C.char) {
	put(names, C.ATOMTUNE_MESSAGE, strings.Join(device.Names(), "\n"))
}

//export goChoose
func goChoose(c *C.struct_atomtune_call, index unsafe.Pointer, n C.uint64_t,
	to *C.struct_atomtune_choice, message *C.char) C.int {
	return attemptAs(asked, c, index, n, message, func(r *request.Request, s request.Stream) (C.int, error) {
		a, err := r.Choose(s)
		answer(to, &a)
		return C.ATOMTUNE_OK, err
	})
}

//export goMeasure
func goMeasure(c *C.struct_atomtune_call, index unsafe.Pointer, n C.uint64_t,
	to *C.struct_atomtune_statistics, message *C.char) C.int {
	return attemptOn(c, index, n, message, func(r *request.Request, s request.Stream) (C.int, error) {
		stats, err := r.Measure(s)
		give(to, &stats)
		return C.ATOMTUNE_OK, err
	})
}

//export goChooseStatistics
func goChooseStatistics(c *C.struct_atomtune_call, s *C.struct_atomtune_statistics,
	to *C.struct_atomtune_choice, message *C.char) C.int {
	return attempt(message, func() (C.int, error) {
		r, err := single(c)
		if err != nil {
			return 0, err
		}
		stats, err := take(s)
		if err != nil {
			return 0, err
		}
		a, err := r.ChooseStatistics(&stats)
		answer(to, &a)
		return C.ATOMTUNE_OK, err
	})
}

//export goFindPlan
func goFindPlan(path, gpu *C.char, c *C.struct_atomtune_call, index unsafe.Pointer, n C.uint64_t,
	to *C.struct_atomtune_choice, message *C.char) C.int {
	return attemptOn(c, index, n, message, func(r *request.Request, s request.Stream) (C.int, error) {
		a, found, err := r.FindPlan(text(path), text(gpu), s)
		if err != nil || !found {
			return C.ATOMTUNE_MISS, err
		}
		answer(to, &a)
		return C.ATOMTUNE_OK, nil
	})
}

//export goSavePlan
func goSavePlan(path, gpu *C.char, c *C.struct_atomtune_call, index unsafe.Pointer, n C.uint64_t,
	choice *C.struct_atomtune_choice, message *C.char) C.int {
	return attemptOn(c, index, n, message, func(r *request.Request, s request.Stream) (C.int, error) {
		// The array of the caller may hold no zero.
		name := string(unsafe.Slice((*byte)(unsafe.Pointer(&choice.implementation[0])),
			len(choice.implementation)))
		name, _, _ = strings.Cut(name, "\x00")
		return C.ATOMTUNE_OK, r.SavePlan(text(path), text(gpu), s, name, device.Launch{
			Blocks: uint64(choice.launch_blocks), Threads: int(choice.launch_threads),
			Unroll: int(choice.launch_unroll)})
	})
}

//export goFeatures
func goFeatures(c *C.struct_atomtune_call, index unsafe.Pointer, n C.uint64_t, to *C.uint32_t,
	message *C.char) C.int {
	return attemptOn(c, index, n, message, func(r *request.Request, s request.Stream) (C.int, error) {
		f, features := r.Features(s), unsafe.Slice(to, dispatch.NumFeatures)
		for i := range f {
			features[i] = C.uint32_t(f[i])
		}
		return C.ATOMTUNE_OK, nil
	})
}

//export goLeaf
func goLeaf(c *C.struct_atomtune_call, features, candidate *C.uint32_t, to *C.struct_atomtune_choice,
	message *C.char) C.int {
	return attempt(message, func() (C.int, error) {
		r, err := single(c)
		if err != nil {
			return 0, err
		}
		var f dispatch.Features
		for i, x := range unsafe.Slice(features, len(f)) {
			f[i] = uint32(x)
		}
		number, a, err := r.Leaf(f)
		*candidate = C.uint32_t(number)
		answer(to, &a)
		return C.ATOMTUNE_OK, err
	})
}
