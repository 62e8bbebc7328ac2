package signin

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

const gmail = "https://registry.pdpp.dev/connectors/gmail"

func askedOf(line string) (connect.AccessRequest, error) {
	var flags requestFlags
	set := pflag.NewFlagSet("connect", pflag.ContinueOnError)
	flags.addFlags(set)
	words := strings.Split(line, "|")
	if line == "" {
		words = nil
	}
	return func() (connect.AccessRequest, error) {
		if err := set.Parse(words); err != nil {
			return connect.AccessRequest{}, err
		}
		return flags.asked()
	}()
}

// Covers R-LOCAL-4: the flags and the request that they make.
func TestAsked(t *testing.T) {
	const since = "2026-01-10T00:00:00Z"
	of := func(streams ...credential.Stream) connect.AccessRequest {
		return connect.AccessRequest{Source: gmail, Streams: streams}
	}
	for line, want := range map[string]connect.AccessRequest{
		"":                    {},
		"--source=" + gmail:   {Source: gmail},
		"--source=urn:x:mail": {Source: "urn:x:mail"},
		"--source=" + gmail + "|--connection=cin_1|--connection=cin_2": of(credential.Stream{
			Name:        "*",
			Connections: []string{"cin_1", "cin_2"},
		}),
		"--source=" + gmail + "|--since=2026-01-10": of(credential.Stream{
			Name:  "*",
			Range: credential.TimeRange{Since: since},
		}),
		"--source=" + gmail +
			"|--stream=messages|--field=id|--field=messages.to|--field=from.name|--until=2026-01-10T01:00:00+01:00|--single-use|--purpose=To sort mail": {
			Source: gmail, SingleUse: true, Purpose: "To sort mail",
			Streams: []credential.Stream{
				{Name: "messages", Fields: []string{"id", "to", "from.name"}, Range: credential.TimeRange{Until: since}},
			},
		},
		"--source=" + gmail + "|--stream=messages|--stream=labels|--field=messages.id|--connection=cin_1": of(
			credential.Stream{Name: "messages", Fields: []string{"id"}, Connections: []string{"cin_1"}},
			credential.Stream{Name: "labels", Connections: []string{"cin_1"}}),
	} {
		got, err := askedOf(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// Every wrong flag is named, with its limit and what to pass.
func TestAskedRefuses(t *testing.T) {
	with := "--source=" + gmail + "|"
	for line, texts := range map[string][]string{
		"--source=gmail":                                {"invalid --source gmail", "such as --source https://"},
		"--source=":                                     {"--source is empty", "omit the flag"},
		with + with[:len(with)-1] + "x":                 {"--source is given 2 times", "connect again for the next"},
		"--stream=messages":                             {"--stream needs --source"},
		"--connection=cin_1":                            {"--connection needs --source"},
		"--purpose=x":                                   {"--purpose needs --source"},
		"--single-use":                                  {"--single-use needs --source"},
		"--since=2026-01-10":                            {"--since needs --source"},
		with + "--since=yesterday":                      {"invalid --since yesterday: use a date or time", "RFC 3339"},
		with + "--until=9999-12-31T23:59:59-01:00":      {"use a date or time"}, // it is in the year 10000
		with + "--until=2026-02-30":                     {"invalid --until 2026-02-30"},
		with + "--since=2026-01-10|--until=2026-01-10":  {"--until 2026-01-10 is not after --since 2026-01-10"},
		with + "--field=id":                             {"--field needs --stream"},
		with + "--stream=a|--stream=b|--field=id":       {"--field id is ambiguous among 2 streams", "--field a.id"},
		with + "--stream=a|--stream=b|--field=c.id":     {"--field c.id is ambiguous"},
		with + "--stream=a|--stream=a":                  {"--stream a is given twice"},
		with + "--stream=" + strings.Repeat("x", 513):   {"--stream is longer than 512 bytes"},
		with + "--connection= ":                         {"--connection is empty"},
		with + "--purpose=" + strings.Repeat("x", 1001): {"--purpose is longer than 1000 bytes"},
		with + "--since=\x1b[2J":                        {`--since \u001b[2J: use`},
	} {
		_, err := askedOf(line)
		if err == nil {
			t.Errorf("%q is taken", line)
			continue
		}
		for _, text := range texts {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%q: %v, want %q", line, err, text)
			}
		}
		if errors.Unwrap(err) != nil {
			t.Errorf("%q: %v has a cause", line, err)
		}
	}
}
