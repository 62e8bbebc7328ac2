package main

import (
	"fmt"
	"strconv"
)

// measurement is one line of the table: a figure and its bar, if it has one.
type measurement struct {
	What    string  `json:"what"`
	Unit    string  `json:"unit"`
	Bar     float64 `json:"bar"`
	AtLeast bool    `json:"at_least,omitempty"` // the bar is a minimum, not a maximum
	Figure  float64 `json:"figure"`
	Met     bool    `json:"met"`
	Related string  `json:"related,omitempty"` // other figures of the same run
}

func atMost(what string, bar, figure float64, unit, related string) measurement {
	return measurement{What: what, Unit: unit, Bar: bar, Figure: figure, Met: figure <= bar, Related: related}
}

func atLeast(what string, bar, figure float64, unit, related string) measurement {
	return measurement{What: what, Unit: unit, Bar: bar, AtLeast: true, Figure: figure, Met: figure >= bar, Related: related}
}

// figure has no bar: it says how things are.
func figure(what string, figure float64, unit, related string) measurement {
	return measurement{What: what, Unit: unit, Figure: figure, Met: true, Related: related}
}

func (m measurement) bar() string {
	if m.Bar == 0 {
		return ""
	}
	if m.AtLeast {
		return "≥ " + amount(m.Bar, m.Unit)
	}
	return "≤ " + amount(m.Bar, m.Unit)
}

func (m measurement) verdict() string {
	if m.Bar == 0 {
		return ""
	}
	if m.Met {
		return "met"
	}
	return "NOT MET"
}

// amount formats large numbers in groups of three digits, and others with a few significant digits.
func amount(value float64, unit string) string {
	var digits string
	switch {
	case value >= 1000 || value == float64(int64(value)):
		digits = grouped(int64(value + 0.5))
	case value >= 100:
		digits = strconv.FormatFloat(value, 'f', 0, 64)
	case value >= 10:
		digits = strconv.FormatFloat(value, 'f', 1, 64)
	default:
		digits = strconv.FormatFloat(value, 'f', 2, 64)
	}
	if unit == "×" {
		return digits + " ×"
	}
	return digits + " " + unit
}

func grouped(number int64) string {
	if number < 0 {
		return "-" + grouped(-number)
	}
	if number < 1000 {
		return strconv.FormatInt(number, 10)
	}
	return grouped(number/1000) + fmt.Sprintf(",%03d", number%1000)
}
