// Package calibration corrects models of package model by times that were measured on the device.
//
// The embedded models of the H100 and H200 learn from the half of the recorded calls that is for fitting.
// Tests alter the held-out half and demand the same models.
//
// References:
//
//	[efron73]   B. Efron, C. Morris. Stein's Estimation Rule and Its
//	            Competitors: An Empirical Bayes Approach. JASA 68(341), 1973.
//	[breiman96] L. Breiman. Bagging Predictors. Machine Learning 24, 1996.
package calibration
