package sample

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// annex returns the text after the body of a long mail.
func (s story) annex(r *rand.Rand, name string, number int) string {
	switch name {
	case "terms":
		_, clauses, _ := strings.Cut(s.text("terms"), "\n")
		return clauses
	case "diary":
		return diary(r, s.annexLines("diary"))
	case "huts":
		return repeated(r, s.annexLines(name), 214)
	case "trails":
		if number%13 == 0 { // the two special issues
			return repeated(r, s.annexLines(name), 150)
		}
		return repeated(r, s.annexLines(name), 12)
	}
	panic("sample story: no annex is called " + name)
}

func (s story) annexLines(name string) []string {
	for _, p := range s.pieces("annex") {
		if p.head[0] == name {
			return strings.Split(p.text, "\n")
		}
	}
	panic("sample story: no annex is called " + name)
}

// repeated returns a list of varied lines, with their number for {number}.
func repeated(r *rand.Rand, lines []string, times int) string {
	made := make([]string, times)
	for n := range made {
		line := strings.ReplaceAll(pick(r, lines), "{number}", strconv.Itoa(n+1))
		made[n] = vary(r, line, n+1)
	}
	return strings.Join(made, "\n")
}

// diary has a line for each day of twenty years: date, wind, air pressure, a sentence. Some days are fixed.
func diary(r *rand.Rand, lines []string) string {
	fixed, ordinary := map[string]string{}, []string(nil)
	for _, line := range lines {
		if rest, isFixed := strings.CutPrefix(line, "on "); isFixed {
			day, sentence, _ := strings.Cut(rest, ": ")
			fixed[day] = sentence
		} else {
			ordinary = append(ordinary, line)
		}
	}
	var b strings.Builder
	pressure := 1008
	for day := time.Date(1979, time.January, 1, 0, 0, 0, 0, time.UTC); day.Year() < 1999; day = day.AddDate(0, 0, 1) {
		pressure = min(1041, max(971, pressure+r.IntN(15)-7))
		date := day.Format(time.DateOnly)
		sentence := fixed[date]
		if sentence == "" {
			sentence = vary(r, pick(r, ordinary), 0)
		}
		wind := pick(r, []string{"N", "NO", "O", "SO", "S", "SW", "W", "NW"})
		fmt.Fprintf(&b, "%s, Wind %s %d, Druck %d: %s\n", date, wind, 1+r.IntN(9), pressure, sentence)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
