package main

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/tiktoken-go/tokenizer"
)

// readings are calls that the adapter answers by reading a whole mailbox, since its provider refuses them.
var readings = []struct{ what, tool, arguments string }{
	{"a filter with 50 matches", queryTool, `{"stream":"%s","filter":{"is_marked":true},"fields":["subject"],"limit":50}`},
	{
		"a sum by sender and month", "aggregate",
		`{"stream":"%s","metric":"sum","field":"amount","group_by":"from_email","group_by_time":"received_at","granularity":"month"}`,
	},
	{"the ten largest", queryTool, `{"stream":"%s","sort":"-amount","fields":["subject","amount"],"limit":10}`},
}

// readingOn compares each reading with plain GETs of the same pages one after another, at a provider that answers at
// once and at a slower one, and a mailbox with one of a tenth of its size: memory must not grow with what is read.
func (s *suite) readingOn() error {
	for _, reading := range readings {
		var found [3]measuredReading
		for i, box := range []mailbox{{s.effort.records / 10, ""}, {s.effort.records, ""}, {s.effort.records, "slow_"}} {
			var err error
			if found[i], err = s.read(reading.tool, fmt.Sprintf(reading.arguments, box), box); err != nil {
				return fmt.Errorf("%s: %w", reading.what, err)
			}
		}
		few, many, slow := found[0], found[1], found[2]
		what := fmt.Sprintf("%s in %s records of 1 kB", reading.what, grouped(int64(s.effort.records)))
		s.report.add(
			atLeast(what+", rate ÷ plain GETs of its pages", 0.8, many.ratio, "×", many.times()),
			atLeast(fmt.Sprintf("the same, of a server that takes %v for a page", mailboxTakes), 0.8, slow.ratio, "×", slow.times()),
			atMost(what+", peak memory of the process", 40, many.peak/(1<<20), "MiB", fmt.Sprintf("of a tenth of them %.1f MiB", few.peak/(1<<20))),
			atMost(what+", larger channel", 2_000, float64(many.tokens), "tokens", "o200k"),
		)
	}
	return nil
}

// mailbox is a stream of the canned provider.
type mailbox struct {
	records int
	slow    string // slow_ for one that takes its time
}

func (m mailbox) String() string { return fmt.Sprint(m.slow, mailboxStream, m.records) }

// opaqueToken is random as those of servers are. Answers are searched for it, and a token of the letters of words takes
// longer.
const opaqueToken = "Zk3vQ0yH8sTn5rWb1XgLc7"

// measuredReading is the cost of one reading.
type measuredReading struct {
	ratio       float64 // median of the plain time by the time of the call next to it
	took, plain time.Duration
	peak        float64 // bytes of resident memory
	tokens      int     // of the larger channel
}

func (m measuredReading) times() string {
	return fmt.Sprintf("%.2f s, plain %.2f s", m.took.Seconds(), m.plain.Seconds())
}

// read makes a call several times, each paired with plain GETs, in a separate process.
func (s *suite) read(tool, arguments string, box mailbox) (measured measuredReading, err error) {
	session, err := s.startStdio(opaqueToken, "--read-on", strconv.Itoa(box.records))
	if err != nil {
		return measured, err
	}
	if _, err := session.greet(); err != nil {
		return measured, err
	}
	if _, err := s.readPlainly(mailbox{records: box.records}); err != nil { // the provider makes its pages
		return measured, err
	}
	var ratios []float64
	var times, plain []time.Duration
	for range s.effort.rounds {
		alone, err := s.readPlainly(box)
		if err != nil {
			return measured, err
		}
		if times, err = session.appendCall(times, tool, arguments); err != nil {
			return measured, err
		}
		plain = append(plain, alone)
		ratios = append(ratios, alone.Seconds()/times[len(times)-1].Seconds())
	}
	answer, err := session.call(tool, arguments)
	if err != nil {
		return measured, err
	}
	measured = measuredReading{ratio: median(ratios), took: median(times), plain: median(plain), peak: memory(session.command.Process, "VmHWM")}
	if measured.tokens, err = tokensOf(answer); err != nil {
		return measured, err
	}
	return measured, session.end()
}

// readPlainly reads a mailbox page by page and returns how long that took.
func (s *suite) readPlainly(box mailbox) (time.Duration, error) {
	started := time.Now()
	for page := range box.records / mailboxRows {
		address := fmt.Sprintf("%s/v1/streams/%s/records?limit=%d&cursor=%d", s.provider, box, mailboxRows, page)
		request, err := get(address, opaqueToken)(s.ctx, page)
		if err != nil {
			return 0, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err
		}
		if _, err := discard(response.Body); err != nil {
			return 0, err
		}
	}
	return time.Since(started), nil
}

// tokensOf counts the tokens of the larger channel of an answer.
func tokensOf(answer []byte) (int, error) {
	text, structured, err := channelTexts(answer)
	if err != nil {
		return 0, err
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return 0, err
	}
	most := 0
	for _, channel := range []string{text, structured} {
		count, err := codec.Count(channel)
		if err != nil {
			return 0, err
		}
		most = max(most, count)
	}
	return most, nil
}
