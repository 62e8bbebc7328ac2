package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"percent": percent, "percents": percents, "points": points, "signed": signed,
	"clip": func(text string) string {
		if runes := []rune(text); len(runes) > clipped {
			return string(runes[:clipped]) + "…"
		}
		return text
	},
}).Parse(pageSource))

// clipped is the number of characters of a text that the page shows.
const clipped = 400

// HTML returns the page.
func (r Report) HTML() ([]byte, error) {
	var text bytes.Buffer
	if err := page.Execute(&text, r); err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	return text.Bytes(), nil
}

// Bar is a bar of a plot with a whisker. Its lengths are of 100.
type Bar struct {
	Label, Class, Text string
	Y                  int
	Width, Low, High   float64
}

// Plot is horizontal bars, one below the other.
type Plot struct {
	Bars   []Bar
	Height int
}

// The sizes of a plot in its unit, which is a hundredth of the length of the bars.
const (
	barHeight = 6
	barGap    = 1
	groupGap  = 3
)

// PassPlot returns pass@1 with its interval, by tag and channel.
func (r Report) PassPlot() Plot {
	var plot Plot
	tag := ""
	for _, s := range r.Summaries {
		label := ""
		if s.Tag != tag {
			tag, label = s.Tag, s.Tag
			plot.Height += groupGap
		}
		plot.Bars = append(plot.Bars, Bar{
			Label: label, Class: s.Channel, Text: fmt.Sprintf("%s · %s", percent(s.Pass1.Value), s.Channel), Y: plot.Height,
			Width: 100 * s.Pass1.Value, Low: 100 * s.Pass1.Low, High: 100 * s.Pass1.High,
		})
		plot.Height += barHeight + barGap
	}
	return plot
}

// TokenPlot returns the median of tool tokens, by tag and channel.
func (r Report) TokenPlot() Plot {
	most := 1.0
	for _, s := range r.Summaries {
		most = max(most, s.Tokens)
	}
	plot := r.PassPlot()
	for i, s := range r.Summaries {
		plot.Bars[i].Text = fmt.Sprintf("%.0f · %s", s.Tokens, s.Channel)
		plot.Bars[i].Width, plot.Bars[i].Low, plot.Bars[i].High = 100*s.Tokens/most, 0, 0
	}
	return plot
}

// CallPlot returns the number of attempts by their number of calls.
func (r Report) CallPlot() Plot {
	return r.histogram(func(a transcript.Attempt) int { return len(a.Calls) })
}

// manyCalls is the last bar of the plot of calls.
const manyCalls = 10

func (r Report) histogram(number func(transcript.Attempt) int) Plot {
	counts := make([]int, manyCalls+1)
	for _, attempt := range r.Runs[0].Attempts {
		if attempt.Failure == "" {
			counts[min(number(attempt), manyCalls)]++
		}
	}
	most := max(1, slices.Max(counts))
	var plot Plot
	for n, count := range counts {
		label := fmt.Sprint(n)
		if n == manyCalls {
			label += " or more"
		}
		plot.Bars = append(plot.Bars,
			Bar{
				Label: label, Class: "text", Text: fmt.Sprint(count), Y: plot.Height,
				Width: 100 * float64(count) / float64(most),
			})
		plot.Height += barHeight + barGap
	}
	return plot
}

// DifferencePlot returns the difference of pass@1 with its interval, by tag. No difference is in the middle.
func (r Report) DifferencePlot() Plot {
	var plot Plot
	for _, d := range r.Differences {
		plot.Bars = append(plot.Bars, Bar{
			Label: d.Tag, Class: "difference", Text: fmt.Sprintf("%+.0f points", 100*d.Pass1.Value), Y: plot.Height,
			Width: 50 + 50*d.Pass1.Value, Low: 50 + 50*d.Pass1.Low, High: 50 + 50*d.Pass1.High,
		})
		plot.Height += barHeight + barGap
	}
	return plot
}
