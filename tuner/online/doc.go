// Package online learns the fastest implementation from the times of launches that
// repeat. It starts from what package tuner predicts.
package online
