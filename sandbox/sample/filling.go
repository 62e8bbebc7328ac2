package sample

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// series is a recurring event such as a newsletter. The seed chooses its words.
type series struct {
	piece
	name, kind string
	first      time.Time
	days       int // between two
	times      int
}

// seriesOf returns the series of the kinds. Those of a generated person begin later and end earlier.
func (s story) seriesOf(kinds ...string) []series {
	var found []series
	for _, p := range s.pieces("filling") {
		if !slices.Contains(kinds, p.head[1]) {
			continue
		}
		last := p.head[len(p.head)-3:]
		made := series{
			piece: p, name: p.head[0], kind: p.head[1],
			first: instant(last[0]), days: must(strconv.Atoi(last[1])), times: must(strconv.Atoi(last[2])),
		}
		if s.person != 0 {
			r := source(s.person, made.name)
			missed := r.IntN(made.times/3 + 1)
			made.first = made.first.In(berlin).AddDate(0, 0, made.days*r.IntN(missed+1))
			made.times -= missed
		}
		found = append(found, made)
	}
	return found
}

// at returns the nth time (from 0) of a series, at the same hour by the clock of Berlin.
func (s series) at(n int) time.Time {
	return s.first.In(berlin).AddDate(0, 0, n*s.days)
}

// lines returns the openings and the answers of a series.
func (s series) lines() (openings, answers []string) {
	for line := range strings.Lines(s.text) {
		line = strings.TrimSpace(line)
		if answer, isAnswer := strings.CutPrefix(line, "> "); isAnswer {
			answers = append(answers, answer)
		} else if line != "" {
			openings = append(openings, line)
		}
	}
	return openings, answers
}

var alternatives = regexp.MustCompile(`\{[^{}]*\}`)

// vary chooses one of each {a|b}, a number of each {3..9}, and puts number in the place of {n}; inner braces
// come before outer ones.
func vary(r *rand.Rand, text string, number int) string {
	for alternatives.MatchString(text) {
		text = alternatives.ReplaceAllStringFunc(text, func(match string) string {
			return choose(r, match[1:len(match)-1], number)
		})
	}
	return text
}

func choose(r *rand.Rand, from string, number int) string {
	if from == "n" {
		return strconv.Itoa(number)
	}
	if low, high, isRange := strings.Cut(from, ".."); isRange {
		return strconv.Itoa(between(r, must(strconv.Atoi(low)), must(strconv.Atoi(high))))
	}
	return pick(r, strings.Split(from, "|"))
}

func between(r *rand.Rand, low, high int) int { return low + r.IntN(high-low+1) }

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }
