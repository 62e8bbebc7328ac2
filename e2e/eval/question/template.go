package question

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// functions are those of the templates in the files of questions. Lists are lines.
var functions = template.FuncMap{
	"first":    func(lines string) string { line, _, _ := strings.Cut(lines, "\n"); return line },
	"least":    func(lines string) string { return slices.Min(strings.Split(lines, "\n")) },
	"clock":    clock,
	"days":     days,
	"sum":      sum,
	"minus":    func(number string) string { return "-" + number },
	"quotient": quotient,
}

// fill fills a template.
func fill(text string, known map[string]string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	parsed, err := template.New("").Option("missingkey=error").Funcs(functions).Parse(text)
	if err != nil {
		return "", fmt.Errorf("read the template %q: %w", text, err)
	}
	var filled strings.Builder
	if err := parsed.Execute(&filled, known); err != nil {
		return "", fmt.Errorf("fill the template %q: %w", text, err)
	}
	return filled.String(), nil
}

// clock returns a UTC time, as in RFC 3339 or RFC 5545, by the clock of a zone: 2026-03-01 17:30.
func clock(zone, utc string) (string, error) {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return "", err
	}
	at, err := time.Parse(time.RFC3339, utc)
	if err != nil {
		at, err = time.Parse("20060102T150405Z", utc)
	}
	return at.In(place).Format("2006-01-02 15:04"), err
}

// days returns the number of days from one date to another.
func days(from, to string) (string, error) {
	first, err := time.Parse(time.DateOnly, isoDates(strings.ToLower(from)))
	if err != nil {
		return "", err
	}
	last, err := time.Parse(time.DateOnly, isoDates(strings.ToLower(to)))
	return strconv.Itoa(int(last.Sub(first).Hours() / 24)), err
}

// sum adds up the numbers in lists. A comma groups digits, and two minus signs cancel each other.
func sum(lists ...string) (string, error) {
	total := 0.0
	for _, line := range strings.Fields(strings.Join(lists, "\n")) {
		number, err := parseNumber(strings.TrimPrefix(line, "--"))
		if err != nil {
			return "", err
		}
		total += number
	}
	return rounded(total), nil
}

// quotient divides, to two decimals.
func quotient(of string, by float64) (string, error) {
	number, err := parseNumber(of)
	return rounded(number / by), err
}

func parseNumber(text string) (float64, error) {
	return strconv.ParseFloat(strings.NewReplacer(",", "", "−", "-").Replace(text), 64)
}

func rounded(number float64) string {
	return strconv.FormatFloat(math.Round(number*100)/100, 'f', -1, 64)
}
