// Package calibration corrects models of package model by times that were measured on the device.
//
// References:
//
//	[efron73] B. Efron, C. Morris. Stein's Estimation Rule and Its
//	          Competitors: An Empirical Bayes Approach. JASA 68(341), 1973.
//	[lei18]   J. Lei, M. G'Sell, A. Rinaldo, R. Tibshirani, L. Wasserman.
//	          Distribution-Free Predictive Inference for Regression.
//	          JASA 113(523), 2018.
package calibration
