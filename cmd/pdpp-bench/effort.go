package main

import "time"

// effort has the numbers of measurements.
type effort struct {
	starts   int           // of a process, for medians
	calls    int           // in sequence, for latencies
	mixed    int           // calls before memory is measured
	window   time.Duration // of one load
	rounds   int           // of alternating loads
	points   []int         // of the sweep over rows
	children []int
	fields   []int
	repeats  int // calls of one point of a sweep
	records  int // of a mailbox that is read on
}

var thorough = effort{
	starts: 20, calls: 2000, mixed: 10_000, window: 2 * time.Second, rounds: 9, repeats: 40, records: 100_000,
	points:   []int{1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100},
	children: []int{1, 5, 10, 15, 20, 25, 30, 35, 40},
	fields:   []int{1, 10, 20, 30, 40, 50, 60, 70, 80},
}

var brief = effort{
	starts: 2, calls: 20, mixed: 100, window: 100 * time.Millisecond, rounds: 1, repeats: 3, records: 10_000,
	points:   []int{1, 50, 100},
	children: []int{1, 10, 20},
	fields:   []int{1, 10, 20},
}
