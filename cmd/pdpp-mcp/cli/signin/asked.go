package signin

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
)

// asking has the flags that say what to ask the owner for.
type asking struct {
	sources     []string
	connections []string
	streams     []string
	fields      []string
	since       string
	until       string
	purpose     string
	singleUse   bool
}

func (a *asking) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&a.sources, "source", nil, "`connector` to ask for, by its address at the provider (default: the owner chooses)")
	flags.StringArrayVar(&a.connections, "connection", nil, "connection of the source to ask for, by its `id`; repeatable (default: the only one)")
	flags.StringArrayVar(&a.streams, "stream", nil, "`stream` of the source to ask for; repeatable (default all)")
	flags.StringArrayVar(&a.fields, "field", nil, "`field` to ask for, or stream.field if there are several streams; repeatable (default all)")
	flags.StringVar(&a.since, "since", "", "ask for records from this `time` or date on, such as 2026-01-31 (default all)")
	flags.StringVar(&a.until, "until", "", "ask for records before this `time` or date")
	flags.StringVar(&a.purpose, "purpose", "", "what the data is for, in a `sentence` that the owner sees")
	flags.BoolVar(&a.singleUse, "single-use", false, "ask for one token that ends within days, in place of access until it is revoked")
}

// longestName bounds what a flag passes on to the authorization server, in bytes, and longestPurpose a sentence.
const (
	longestName    = 512
	longestPurpose = 1000
)

// asked checks the flags. Its errors name the flag and say what to pass; nothing has been sent yet.
func (a *asking) asked() (connect.Asked, error) {
	asked := connect.Asked{Purpose: a.purpose, SingleUse: a.singleUse}
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
		return asked, invocation.Usagef("--until %s is not after --since %s; pass a later time, which is not part of the range", a.until, a.since)
	}
	fields, err := a.fieldsByStream()
	if err != nil {
		return asked, err
	}
	names := a.streams
	if len(names) == 0 && (len(a.connections) > 0 || !since.IsZero() || !until.IsZero()) {
		names = []string{connect.EveryStream}
	}
	for _, name := range names {
		asked.Streams = append(asked.Streams, connect.Stream{
			Name: name, Connections: a.connections, Fields: fields[name], Since: since, Until: until,
		})
	}
	return asked, nil
}

// checkTexts refuses what is empty, too long or given twice.
func (a *asking) checkTexts() error {
	for _, flag := range []struct {
		name   string
		values []string
	}{{"source", a.sources}, {"connection", a.connections}, {"stream", a.streams}, {"field", a.fields}} {
		for i, value := range flag.values {
			switch {
			case strings.TrimSpace(value) == "":
				return invocation.Usagef("--%s is empty; pass a name, or leave the flag out", flag.name)
			case len(value) > longestName:
				return invocation.Usagef("--%s is longer than %d bytes; pass a name as the provider shows it", flag.name, longestName)
			case slices.Contains(flag.values[:i], value):
				return invocation.Usagef("--%s %s is given twice; pass it once", flag.name, invocation.Printable(value))
			}
		}
	}
	if len(a.purpose) > longestPurpose {
		return invocation.Usagef("--purpose is longer than %d bytes; pass one sentence", longestPurpose)
	}
	return nil
}

// checkSource refuses what an authorization server would refuse of a source, and what makes no sense without one.
func (a *asking) checkSource(source string) error {
	const such = "such as --source https://registry.pdpp.dev/connectors/gmail"
	if len(a.sources) > 1 {
		return invocation.Usagef("--source is given %d times; pass one, and connect again for the next: a grant covers one source", len(a.sources))
	}
	if source != "" {
		if parsed, err := url.Parse(source); err != nil || !parsed.IsAbs() {
			return invocation.Usagef("--source %s is no URI; pass the connector's address, %s", invocation.Printable(source), such)
		}
		return nil
	}
	for _, flag := range []struct {
		name  string
		isSet bool
	}{
		{"connection", len(a.connections) > 0},
		{"stream", len(a.streams) > 0},
		{"field", len(a.fields) > 0},
		{"since", a.since != ""},
		{"until", a.until != ""},
		{"purpose", a.purpose != ""},
		{"single-use", a.singleUse},
	} {
		if flag.isSet {
			return invocation.Usagef("--%s needs --source, the connector that it belongs to; add it, %s", flag.name, such)
		}
	}
	return nil
}

// fieldsByStream gives each stream its fields. A field belongs to the only stream, or names its own before a dot.
func (a *asking) fieldsByStream() (map[string][]string, error) {
	fields := map[string][]string{}
	if len(a.fields) > 0 && len(a.streams) == 0 {
		return nil, invocation.Usagef("--field needs --stream, the stream that it belongs to; add it, such as --stream messages")
	}
	for _, field := range a.fields {
		stream, name, isQualified := strings.Cut(field, ".")
		switch {
		case isQualified && name != "" && slices.Contains(a.streams, stream):
			fields[stream] = append(fields[stream], name)
		case len(a.streams) == 1:
			fields[a.streams[0]] = append(fields[a.streams[0]], field)
		default:
			return nil, invocation.Usagef("--field %s does not say of which of the %d streams; pass it as --field %s.%[1]s",
				invocation.Printable(field), len(a.streams), invocation.Printable(a.streams[0]))
		}
	}
	return fields, nil
}

// readTime reads a time (RFC 3339), or a date, which is its first moment in UTC. An empty text is the zero time.
func readTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil && at.UTC().Year() >= 0 && at.UTC().Year() <= 9999 { // else it cannot be sent
			return at, nil
		}
	}
	return time.Time{}, invocation.Usagef("--%s %s is neither a date nor a time; pass one such as 2026-01-31 or 2026-01-31T09:00:00Z (RFC 3339)",
		flag, invocation.Printable(text))
}
