package main

import (
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// runCoordinator simulates a call of the implementation `coordinator`, whose
// workgroups are processes and no kernel programs.
func runCoordinator(config hwsim.Config, indices []uint32, bins uint64) (hwsim.Result, error) {
	r, err := coordinator.Call{Device: config.Device, Call: config.Call, Seed: config.Seed}.Run(indices, bins)
	if err != nil {
		return hwsim.Result{}, err
	}
	result := hwsim.Result{
		Cycles: r.Cycles, US: r.US, Updates: r.Updates, WarpInstructions: r.Instructions, Events: r.Events, Correct: r.Correct,
	}
	for _, l := range r.Launches {
		result.Kernels = append(result.Kernels, hwsim.KernelTime{Name: l.Name, Cycles: l.Cycles})
	}
	return result, nil
}
