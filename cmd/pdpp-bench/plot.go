package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Sizes of a plot, in pixels.
const (
	plotWidth, plotHeight   = 640, 320
	plotLeft, plotTop       = 64, 40
	plotRight, plotBottom   = 24, 48
	plotTicks               = 5
	pointColour, lineColour = "#2563eb", "#f97316"
)

// plot draws the points of a sweep and the straight line through them as SVG.
func (s sweep) plot() string {
	axes := axes{max: [2]float64{slices.Max(s.Counts), slices.Max(s.Costs) * 1.1}}
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&svg, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&svg, `<text x="%d" y="20" font-size="14">%s, ms (p50)</text>`+"\n", plotLeft, html.EscapeString(s.Title))
	for tick := range plotTicks + 1 {
		part := float64(tick) / plotTicks
		x, y := axes.place(part*axes.max[0], part*axes.max[1])
		fmt.Fprintf(&svg, `<path d="M%d %.1fH%d" stroke="#e5e7eb"/>`+"\n", plotLeft, y, plotWidth-plotRight)
		fmt.Fprintf(&svg, `<text x="%d" y="%.1f" text-anchor="end">%.3g</text>`+"\n", plotLeft-8, y+4, part*axes.max[1])
		fmt.Fprintf(&svg, `<text x="%.1f" y="%d" text-anchor="middle">%.3g</text>`+"\n", x, plotHeight-plotBottom+18, part*axes.max[0])
	}
	fmt.Fprintf(&svg, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (plotLeft+plotWidth-plotRight)/2, plotHeight-10, html.EscapeString(s.Axis))
	x1, y1 := axes.place(0, s.Fit.Intercept)
	x2, y2 := axes.place(axes.max[0], s.Fit.Intercept+s.Fit.Slope*axes.max[0])
	fmt.Fprintf(&svg, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-width="2"/>`+"\n", x1, y1, x2, y2, lineColour)
	for i := range s.Counts {
		x, y := axes.place(s.Counts[i], s.Costs[i])
		fmt.Fprintf(&svg, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x, y, pointColour)
	}
	fmt.Fprintf(&svg, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", plotLeft+12, plotTop+14, lineColour, s.Fit)
	svg.WriteString("</svg>\n")
	return svg.String()
}

// String returns the line as a formula.
func (l line) String() string {
	return fmt.Sprintf("%.3f ms + %.4f ms × n, R² = %.3f", l.Intercept, l.Slope, l.Determination)
}

// axes begin at zero and end at max.
type axes struct{ max [2]float64 }

func (a axes) place(x, y float64) (float64, float64) {
	across := x / max(a.max[0], 1e-9) * (plotWidth - plotLeft - plotRight)
	up := y / max(a.max[1], 1e-9) * (plotHeight - plotTop - plotBottom)
	return plotLeft + across, plotHeight - plotBottom - up
}
