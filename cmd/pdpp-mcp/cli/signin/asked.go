package signin

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

type requestFlags struct {
	flags       *pflag.FlagSet
	sources     []string
	connections []string
	streams     []string
	fields      []string
	since       string
	until       string
	purpose     string
	singleUse   bool
}

func (a *requestFlags) addFlags(flags *pflag.FlagSet) {
	a.flags = flags
	flags.StringArrayVar(&a.sources, "source", nil, "`connector` to request, by its address (default: the owner chooses)")
	flags.StringArrayVar(&a.connections, "connection", nil, "connection of the source to request, by its `id`; repeatable (default: the only one)")
	flags.StringArrayVar(&a.streams, "stream", nil, "`stream` of the source to request; repeatable (default all)")
	flags.StringArrayVar(&a.fields, "field", nil, "`field` to request, or stream.field with several streams; repeatable (default all)")
	flags.StringVar(&a.since, "since", "", "request records from this `time` or date on, such as 2026-01-31 (default all)")
	flags.StringVar(&a.until, "until", "", "request records before this `time` or date")
	flags.StringVar(&a.purpose, "purpose", "", "`sentence` for the owner about what the data is for")
	flags.BoolVar(&a.singleUse, "single-use", false, "request one token that expires within days, not access until it is revoked")
}

// Maximum lengths of flags in bytes.
const (
	maxName    = 512
	maxPurpose = 1000
)

func (a *requestFlags) asked() (connect.AccessRequest, error) {
	asked := connect.AccessRequest{Purpose: a.purpose, SingleUse: a.singleUse}
	if err := a.checkTexts(); err != nil {
		return asked, err
	}
	if len(a.sources) > 0 {
		asked.Source = a.sources[0]
	}
	if err := a.checkSource(asked.Source); err != nil {
		return asked, err
	}
	since, err := readTime("since", a.since)
	if err != nil {
		return asked, err
	}
	until, err := readTime("until", a.until)
	if err != nil {
		return asked, err
	}
	if !since.IsZero() && !until.IsZero() && !since.Before(until) {
		return asked, invocation.Usagef("--until %s is not after --since %s; pass a later time (exclusive)", a.until, a.since)
	}
	fields, err := a.fieldsByStream()
	if err != nil {
		return asked, err
	}
	names := a.streams
	if len(names) == 0 && (len(a.connections) > 0 || !since.IsZero() || !until.IsZero()) {
		names = []string{credential.EveryStream}
	}
	var bounds credential.TimeRange
	if !since.IsZero() {
		bounds.Since = since.Format(time.RFC3339Nano)
	}
	if !until.IsZero() {
		bounds.Until = until.Format(time.RFC3339Nano)
	}
	for _, name := range names {
		asked.Streams = append(asked.Streams, credential.Stream{Name: name, Connections: a.connections, Fields: fields[name], Range: bounds})
	}
	return asked, nil
}

func (a *requestFlags) checkTexts() error {
	for _, flag := range []struct {
		name   string
		values []string
	}{{"source", a.sources}, {"connection", a.connections}, {"stream", a.streams}, {"field", a.fields}} {
		for i, value := range flag.values {
			switch {
			case strings.TrimSpace(value) == "":
				return invocation.Usagef("--%s is empty; pass a name, or omit the flag", flag.name)
			case len(value) > maxName:
				return invocation.Usagef("--%s is longer than %d bytes; pass a name as the provider shows it", flag.name, maxName)
			case slices.Contains(flag.values[:i], value):
				return invocation.Usagef("--%s %s is given twice; pass it once", flag.name, invocation.Printable(value))
			}
		}
	}
	if len(a.purpose) > maxPurpose {
		return invocation.Usagef("--purpose is longer than %d bytes; pass one sentence", maxPurpose)
	}
	return nil
}

func (a *requestFlags) checkSource(source string) error {
	const example = "such as --source https://registry.pdpp.dev/connectors/gmail"
	if len(a.sources) > 1 {
		return invocation.Usagef("--source is given %d times; pass one and run connect again for the next: a grant covers one source", len(a.sources))
	}
	if source != "" {
		if parsed, err := url.Parse(source); err != nil || !parsed.IsAbs() {
			return invocation.Usagef("invalid --source %s: use the connector's address, %s", invocation.Printable(source), example)
		}
		return nil
	}
	for _, name := range []string{"connection", "stream", "field", "since", "until", "purpose", "single-use"} {
		if flag := a.flags.Lookup(name); flag.Value.String() != flag.DefValue {
			return invocation.Usagef("--%s needs --source, its connector; add it, %s", name, example)
		}
	}
	return nil
}

// fieldsByStream assigns each field to the only stream, or to the stream before its dot.
func (a *requestFlags) fieldsByStream() (map[string][]string, error) {
	fields := map[string][]string{}
	if len(a.fields) > 0 && len(a.streams) == 0 {
		return nil, invocation.Usagef("--field needs --stream; add it, such as --stream messages")
	}
	for _, field := range a.fields {
		stream, name, isQualified := strings.Cut(field, ".")
		switch {
		case isQualified && name != "" && slices.Contains(a.streams, stream):
			fields[stream] = append(fields[stream], name)
		case len(a.streams) == 1:
			fields[a.streams[0]] = append(fields[a.streams[0]], field)
		default:
			return nil, invocation.Usagef("--field %s is ambiguous among %d streams; pass --field %s.%[1]s",
				invocation.Printable(field), len(a.streams), invocation.Printable(a.streams[0]))
		}
	}
	return fields, nil
}

// readTime parses a time (RFC 3339) or a date (its start in UTC). An empty text is the zero time.
func readTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil && at.UTC().Year() >= 0 && at.UTC().Year() <= 9999 { // other years cannot be sent
			return at.UTC(), nil
		}
	}
	return time.Time{}, invocation.Usagef("invalid --%s %s: use a date or time such as 2026-01-31 or 2026-01-31T09:00:00Z (RFC 3339)",
		flag, invocation.Printable(text))
}
