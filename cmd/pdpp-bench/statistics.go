package main

import (
	"slices"
	"time"
)

// quantile returns the value at the nearest rank of a part from 0 to 1. It returns 0 for no values.
func quantile[T ~int64 | ~float64](values []T, part float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(part * float64(len(sorted)))
	return sorted[min(rank, len(sorted)-1)]
}

func median[T ~int64 | ~float64](values []T) T { return quantile(values, 0.5) }

func milliseconds(duration time.Duration) float64 {
	return float64(duration) / float64(time.Millisecond)
}

// line is a straight line through points. Determination is R², at most 1.
type line struct {
	Intercept     float64 `json:"intercept"`
	Slope         float64 `json:"slope"`
	Determination float64 `json:"r2"`
}

// fit returns the line of least squares.
func fit(xs, ys []float64) line {
	count := float64(len(xs))
	var sumX, sumY, sumXX, sumXY, sumYY float64
	for i := range xs {
		sumX += xs[i]
		sumY += ys[i]
		sumXX += xs[i] * xs[i]
		sumXY += xs[i] * ys[i]
		sumYY += ys[i] * ys[i]
	}
	varianceX, varianceY, covariance := count*sumXX-sumX*sumX, count*sumYY-sumY*sumY, count*sumXY-sumX*sumY
	if varianceX == 0 || varianceY == 0 {
		return line{Intercept: sumY / max(count, 1)}
	}
	slope := covariance / varianceX
	return line{Intercept: (sumY - slope*sumX) / count, Slope: slope, Determination: covariance * covariance / (varianceX * varianceY)}
}
