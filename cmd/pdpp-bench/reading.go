package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/tiktoken-go/tokenizer"
)

// readings are calls that the adapter answers by reading a whole mailbox, since its provider refuses them.
var readings = []struct{ what, tool, arguments string }{
	{"a filter with 50 matches", queryTool, `{"stream":"mailbox_%d","filter":{"is_marked":true},"fields":["subject","received_at"],"limit":50}`},
	{
		"a sum by sender and month", "aggregate",
		`{"stream":"mailbox_%d","metric":"sum","field":"amount","group_by":"from_email","group_by_time":"received_at","granularity":"month"}`,
	},
	{"the ten largest", queryTool, `{"stream":"mailbox_%d","sort":"-amount","fields":["subject","amount"],"limit":10}`},
}

// readingOn compares each reading with plain GETs of the same pages one after another, and a mailbox with one of a tenth of
// its size: memory must not grow with what is read.
func (s *suite) readingOn() error {
	for _, reading := range readings {
		var peaks []float64
		for _, records := range []int{s.effort.records / 10, s.effort.records} {
			measured, err := s.read(reading.tool, fmt.Sprintf(reading.arguments, records), records)
			if err != nil {
				return fmt.Errorf("%s: %w", reading.what, err)
			}
			if peaks = append(peaks, measured.peak); records < s.effort.records {
				continue
			}
			what := fmt.Sprintf("%s in %s records of 1 kB", reading.what, grouped(int64(records)))
			s.report.add(
				atLeast(what+", rate ÷ plain GETs of its pages", 0.8, measured.ratio, "×", fmt.Sprintf("%.2f s, plain %.2f s", measured.took.Seconds(), measured.plain.Seconds())),
				atMost(what+", peak memory of the process", 40, measured.peak/(1<<20), "MiB", fmt.Sprintf("of a tenth of them %.1f MiB", peaks[0]/(1<<20))),
				atMost(what+", larger channel", 2_000, float64(measured.tokens), "tokens", "o200k"),
			)
		}
	}
	return nil
}

// opaqueToken is random as those of servers are. Answers are searched for it, and a token of the letters of words takes longer.
const opaqueToken = "Zk3vQ0yH8sTn5rWb1XgLc7"

// measuredReading is what one reading cost.
type measuredReading struct {
	ratio       float64 // median of the plain time by the time of the call next to it
	took, plain time.Duration
	peak        float64 // bytes of resident memory
	tokens      int     // of the larger channel
}

// read makes a call some times, each beside plain GETs, in a process of its own.
func (s *suite) read(tool, arguments string, records int) (measured measuredReading, err error) {
	command := exec.CommandContext(s.ctx, s.binary, "stdio", "--provider-url", s.provider, "--read-on", strconv.Itoa(records))
	command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN="+opaqueToken)
	session, err := s.talkTo(command)
	if err != nil {
		return measured, err
	}
	if _, err := session.greet(); err != nil {
		return measured, err
	}
	if _, err := s.readPlainly(records); err != nil { // the provider makes its pages
		return measured, err
	}
	var ratios []float64
	var times, plain []time.Duration
	for range s.effort.rounds {
		alone, err := s.readPlainly(records)
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
func (s *suite) readPlainly(records int) (time.Duration, error) {
	started := time.Now()
	for page := range records / mailboxRows {
		address := fmt.Sprintf("%s/v1/streams/mailbox_%d/records?limit=%d&cursor=%d", s.provider, records, mailboxRows, page)
		request, err := get(address, clientToken+"0")(s.ctx, page)
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
