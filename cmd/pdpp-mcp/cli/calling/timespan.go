package calling

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// timespan is a time range as people name it. It becomes a filter on the field that holds the time of a stream.
type timespan struct {
	filter, stream, connection string // names of the tool's arguments
	since, on                  string // as passed
}

// newTimespan adds the flags of a time range to the command of a tool that filters one stream.
func newTimespan(flags *pflag.FlagSet, definition tool.Definition) *timespan {
	nameOf := func(isMatch func(tool.Argument) bool) string { return argumentOf(definition, isMatch).Name }
	made := &timespan{
		filter:     nameOf(func(a tool.Argument) bool { return a.Type == tool.FilterArgument }),
		stream:     nameOf(func(a tool.Argument) bool { return a.Complete == tool.CompleteStream && a.Type == tool.StringArgument }),
		connection: nameOf(func(a tool.Argument) bool { return a.Complete == tool.CompleteConnection }),
	}
	if made.filter != "" && (made.stream != "" || definition.Table == tool.HitTable) {
		flags.StringVar(&made.since, "since", "", "only records since this `time`: 12h, 7d, 2w, yesterday, a date in --time-zone, or a time of RFC 3339")
		flags.StringVar(&made.on, "on", "", "only records of this `day` or month in --time-zone: 2026-03-01, 2026-03, today or yesterday")
		invocation.MarkArguments(flags, "since", "on")
	}
	return made
}

// bounds returns the filter's operators for the passed flags, or nil if none was passed.
func (s *timespan) bounds(now time.Time) (rawjson.Object, error) {
	switch {
	case s.since == "" && s.on == "":
		return nil, nil
	case s.since != "" && s.on != "":
		return nil, invocation.Usagef("--since and --on are two ways to name a time; pass one")
	case s.on != "":
		first, next, err := period(s.on, now)
		return rawjson.Object{instant("gte", first), instant("lt", next)}, err
	}
	first, err := beginning(s.since, now)
	return rawjson.Object{instant("gte", first)}, err
}

func instant(operator string, at time.Time) rawjson.Member {
	return rawjson.String(operator, at.UTC().Format(time.RFC3339))
}

// period returns the first moment of a day or a month and of the next one, in the zone of now.
func period(passed string, now time.Time) (first, next time.Time, err error) {
	today, unit := scalar.StartOf(now, "day"), "day"
	switch passed {
	case "today":
		return today, scalar.Shift(today, unit, 1), nil
	case "yesterday":
		return scalar.Shift(today, unit, -1), today, nil
	}
	date, err := time.Parse(time.DateOnly, passed)
	if err != nil {
		unit = "month"
		date, err = time.Parse("2006-01", passed)
	}
	if err != nil {
		return first, next, invocation.Usagef("invalid --on %q: use 2026-03-01, 2026-03, today or yesterday", passed)
	}
	return scalar.FirstInstant(date, now.Location()), scalar.FirstInstant(scalar.Shift(date, unit, 1), now.Location()), nil
}

// beginning parses a time, or a length of time before now.
func beginning(passed string, now time.Time) (time.Time, error) {
	if instant, err := time.Parse(time.RFC3339, passed); err == nil {
		return instant, nil
	}
	if first, _, err := period(passed, now); err == nil {
		return first, nil
	}
	count, err := strconv.Atoi(passed[:len(passed)-1])
	if err == nil && count > 0 && count < 100_000 {
		switch passed[len(passed)-1] {
		case 'h':
			return now.Add(-time.Duration(count) * time.Hour).Truncate(time.Second), nil
		case 'd':
			return now.AddDate(0, 0, -count).Truncate(time.Second), nil
		case 'w':
			return now.AddDate(0, 0, -7*count).Truncate(time.Second), nil
		}
	}
	return time.Time{}, invocation.Usagef("invalid --since %q: use 12h, 7d, 2w, 2026-03-01 or 2026-03-01T08:00:00Z", passed)
}

// apply adds the filter to the arguments of a call. It shows the filter to people.
func (s *timespan) apply(ctx context.Context, reader rs.Reader, object rawjson.Object, now time.Time, terminal invocation.Terminal) (rawjson.Object, error) {
	bounds, err := s.bounds(now)
	if bounds == nil || err != nil || s.stream != "" && object.Text(s.stream) == "" { // the tool reports a missing stream
		return object, err
	}
	field, err := s.timeField(ctx, reader, object)
	if err != nil {
		return nil, err
	}
	filter, _ := rawjson.ParseObject(object.Get(s.filter))
	if filter.Get(field) != nil {
		return nil, invocation.Usagef("the filter and --since or --on both name %s; pass one of them", field)
	}
	if _, isTerminal := terminal.Width(); isTerminal {
		words := make([]string, len(bounds))
		for i, bound := range bounds {
			words[i] = fmt.Sprintf("%s.%s=%s", field, bound.Name, bounds.Text(bound.Name))
		}
		terminal.Note("--%s %s", invocation.FlagName(s.filter), strings.Join(words, " "))
	}
	return object.With(s.filter, filter.With(field, bounds.Encode()).Encode()), nil
}

// timeField returns the field that holds the time of the records that a call reads, as far as the schema shows.
func (s *timespan) timeField(ctx context.Context, reader rs.Reader, arguments rawjson.Object) (string, error) {
	stream := arguments.Text(s.stream)
	if s.stream == "" || stream == tool.EveryStream {
		return tool.TimeKey, nil
	}
	scope := schemadoc.ScopeOf(stream, arguments.Text(s.connection))
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	document, err := schemaquery.Ask(ctx, reader, scope, nil)
	if err != nil {
		return "", err
	}
	for _, row := range document.Rows() {
		if field := render.TimeField(row); field != "" {
			return field, nil
		}
	}
	return "", invocation.Usagef("%s has no field of time, so --since and --on cannot filter it; see: call schema %[1]s", stream)
}
