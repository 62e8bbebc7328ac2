package report

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// Summary summarizes attempts. Rates are between 0 and 1.
type Summary struct {
	Run, Channel, Tag string

	Questions, Attempts, Failed int
	Right                       int
	Pass1                       Interval
	PassK                       float64
	K                           int     // attempts at each question with one person
	Confident                   float64 // wrong and not "none"
	Calls, Tokens, Seconds      float64 // medians of one attempt
	Dollars                     float64 // sum
	Reactions                   map[string]int
}

// Interval is an estimate with its 95 % confidence interval.
type Interval struct{ Value, Low, High float64 }

// summarize sums up attempts. Failed attempts count as failed and in no rate.
func summarize(run, channel, tag string, attempts []transcript.Attempt) Summary {
	s := Summary{Run: run, Channel: channel, Tag: tag, Reactions: map[string]int{}}
	questions := map[string]bool{}
	wrong := 0
	var calls, tokens, seconds []float64
	for _, each := range attempts {
		s.Dollars += each.Usage.Dollars
		if each.Failure != "" {
			s.Failed++
			continue
		}
		s.Attempts++
		questions[each.Question] = true
		switch each.Verdict {
		case string(question.Right):
			s.Right++
		case string(question.Wrong):
			wrong++
		}
		if each.Reaction != "" {
			s.Reactions[each.Reaction]++
		}
		calls = append(calls, float64(len(each.Calls)))
		tokens = append(tokens, float64(each.Tokens()))
		seconds = append(seconds, float64(each.Millis)/1000)
	}
	s.Questions = len(questions)
	if s.Attempts > 0 {
		s.Pass1 = wilson(float64(s.Right)/float64(s.Attempts), float64(s.Questions))
		s.Confident = float64(wrong) / float64(s.Attempts)
	}
	s.PassK, s.K = passK(attempts)
	s.Calls, s.Tokens, s.Seconds = median(calls), median(tokens), median(seconds)
	return s
}

// wilson returns Wilson's interval of a rate over n questions. Attempts at one question are not independent, so that a
// question counts once, however often it is asked.
func wilson(rate, n float64) Interval {
	const z = 1.96
	centre := (rate + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(rate*(1-rate)/n+z*z/(4*n*n))
	return Interval{rate, max(0, min(rate, centre-half)), min(1, max(rate, centre+half))}
}

// passK returns the chance that k attempts at a question are all right, where k is the smallest number of attempts at
// any.
func passK(attempts []transcript.Attempt) (chance float64, k int) {
	total, right := map[transcript.Key]int{}, map[transcript.Key]int{}
	for _, each := range attempts {
		if each.Failure != "" {
			continue
		}
		key := each.Key
		key.Number = 0
		total[key]++
		if each.Verdict == string(question.Right) {
			right[key]++
		}
	}
	for _, n := range total {
		if k == 0 || n < k {
			k = n
		}
	}
	for key, n := range total {
		all := 1.0
		for i := range k {
			all *= max(0, float64(right[key]-i)) / float64(n-i)
		}
		chance += all / float64(len(total))
	}
	return chance, k
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// Difference is the first run minus the second, over the questions of both.
type Difference struct {
	Tag                  string
	Questions            int
	Pass1, Calls, Tokens Interval
}

// compare pairs the attempts of two runs by question, person and channel.
func compare(tag string, first, second []transcript.Attempt) Difference {
	before := means(second)
	var pairs [][3]float64 // by question
	sums := map[string][]([3]float64){}
	for key, now := range means(first) {
		if was, paired := before[key]; paired {
			sums[key.Question] = append(sums[key.Question], [3]float64{now[0] - was[0], now[1] - was[1], now[2] - was[2]})
		}
	}
	var names []string
	for name := range sums {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		pairs = append(pairs, mean(sums[name]))
	}
	intervals := bootstrap(pairs)
	return Difference{tag, len(pairs), intervals[0], intervals[1], intervals[2]}
}

// means returns, for each question, person and channel, the mean of right answers, calls and tokens.
func means(attempts []transcript.Attempt) map[transcript.Key][3]float64 {
	each := map[transcript.Key][]([3]float64){}
	for _, attempt := range attempts {
		if attempt.Failure != "" {
			continue
		}
		key := attempt.Key
		key.Number = 0
		right := 0.0
		if attempt.Verdict == string(question.Right) {
			right = 1
		}
		each[key] = append(each[key], [3]float64{right, float64(len(attempt.Calls)), float64(attempt.Tokens())})
	}
	result := map[transcript.Key][3]float64{}
	for key, values := range each {
		result[key] = mean(values)
	}
	return result
}

func mean(values [][3]float64) (m [3]float64) {
	for _, value := range values {
		for i := range m {
			m[i] += value[i] / float64(len(values))
		}
	}
	return m
}

// resamples is the number of draws of the bootstrap.
const resamples = 2000

// bootstrap returns the means of values per question, with the intervals of 95 % of resamples. The draws are the same
// every time.
func bootstrap(values [][3]float64) (intervals [3]Interval) {
	if len(values) == 0 {
		return intervals
	}
	random := rand.New(rand.NewPCG(1, 1))
	drawn := make([][3]float64, len(values))
	var means [3][]float64
	for range resamples {
		for i := range drawn {
			drawn[i] = values[random.IntN(len(values))]
		}
		for i, m := range mean(drawn) {
			means[i] = append(means[i], m)
		}
	}
	for i, m := range mean(values) {
		slices.SortFunc(means[i], cmp.Compare[float64])
		intervals[i] = Interval{m, means[i][resamples*25/1000], means[i][resamples*975/1000]}
	}
	return intervals
}
