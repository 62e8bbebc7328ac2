package main

import (
	"fmt"
	"time"
)

// sweep is the cost of a call as one parameter grows.
type sweep struct {
	Name   string    `json:"name"` // of its file, without extension
	Title  string    `json:"title"`
	Axis   string    `json:"axis"`
	Counts []float64 `json:"counts"`
	Costs  []float64 `json:"milliseconds"` // p50
	Fit    line      `json:"fit"`
}

func (s *suite) sweeps() error {
	for _, measure := range []func() (sweep, error){s.sweepRows, s.sweepChildren, s.sweepFields} {
		swept, err := measure()
		if err != nil {
			return err
		}
		swept.Fit = fit(swept.Counts, swept.Costs)
		s.report.Sweeps = append(s.report.Sweeps, swept)
	}
	return nil
}

// measured returns the points of a sweep. It cycles through the counts several times, so that a busy moment of the
// machine does not affect one count alone.
func measured(counts []int, repeats int, measure func(count, calls int) ([]time.Duration, error)) (xs, ys []float64, err error) {
	const turns = 4
	times := make([][]time.Duration, len(counts))
	for range turns {
		for i, count := range counts {
			took, err := measure(count, max(1, repeats/turns))
			if err != nil {
				return nil, nil, err
			}
			times[i] = append(times[i], took...)
		}
	}
	for i, count := range counts {
		xs = append(xs, float64(count))
		ys = append(ys, milliseconds(median(times[i])))
	}
	return xs, ys, nil
}

func (s *suite) sweepRows() (sweep, error) {
	swept := sweep{Name: "rows", Title: "query_records over stdio, rows of 300 bytes", Axis: "rows"}
	session, err := s.local(clientToken + "0")
	if err != nil {
		return swept, err
	}
	swept.Counts, swept.Costs, err = measured(s.effort.points, 10*s.effort.repeats, func(count, calls int) ([]time.Duration, error) {
		return session.timeCalls(calls, queryTool, fmt.Sprintf(`{"stream":"records_300","limit":%d}`, count))
	})
	if err != nil {
		return swept, err
	}
	return swept, session.end()
}

func (s *suite) sweepChildren() (sweep, error) {
	swept := sweep{Name: "children", Title: "hosted search over a package, children that answer at once", Axis: "children"}
	server, err := s.startHosted()
	if err != nil {
		return swept, err
	}
	swept.Counts, swept.Costs, err = measured(s.effort.children, s.effort.repeats, func(count, calls int) ([]time.Duration, error) {
		return searchTimes(s.ctx, server, fmt.Sprint(packageToken, swiftToken, count), calls)
	})
	if err != nil {
		return swept, err
	}
	return swept, server.process.Kill()
}

func (s *suite) sweepFields() (sweep, error) {
	swept := sweep{Name: "fields", Title: "schema over stdio, 100 streams in full view", Axis: "fields of each stream"}
	sessions := map[int]*session{}
	for _, count := range s.effort.fields {
		session, err := s.local(fmt.Sprintf("%s10-10-%d-sweep", largeToken, count))
		if err != nil {
			return swept, err
		}
		if _, err := session.call("schema", `{}`); err != nil {
			return swept, err
		}
		sessions[count] = session
	}
	var err error
	swept.Counts, swept.Costs, err = measured(s.effort.fields, s.effort.repeats, func(count, calls int) ([]time.Duration, error) {
		return sessions[count].timeCalls(calls, "schema", `{}`)
	})
	if err != nil {
		return swept, err
	}
	for _, session := range sessions {
		if err := session.end(); err != nil {
			return swept, err
		}
	}
	return swept, nil
}
