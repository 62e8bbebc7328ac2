package authorization

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// everyStream is the name that stands for all streams of a source.
const everyStream = "*"

// CheckDetail refuses a detail about a connector, stream, field, connection or time that does not exist.
func (s keeper) CheckDetail(raw json.RawMessage) error {
	detail, err := decodeDetail(raw)
	if err != nil {
		return err
	}
	connector := s.connector(connectorKey(detail.Source))
	if len(connector.Streams) == 0 {
		return fmt.Errorf("unknown source %q; leave authorization_details out to have the owner choose", detail.Source.ID)
	}
	if len(detail.Streams) == 0 {
		return fmt.Errorf(`streams is required; send [{"name":"*"}] for all streams of %s`, connector.Key)
	}
	for _, asked := range detail.Streams {
		if err := s.checkStream(connector, asked); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) checkStream(connector catalog.Connector, asked detailedStream) error {
	declared := streamsNamed(connector, asked.Name)
	if len(declared) == 0 {
		return fmt.Errorf("unknown stream %q of %s", asked.Name, connector.Key)
	}
	for _, field := range asked.Fields {
		if asked.Name == everyStream || !slices.ContainsFunc(declared[0].Fields, func(f catalog.Field) bool { return f.Name == field }) {
			return fmt.Errorf("unknown field %q of stream %q", field, asked.Name)
		}
	}
	for _, id := range asked.InstanceIDs {
		if s.connection(id).ConnectorKey != connector.Key {
			return fmt.Errorf("unknown connection %q of %s", id, connector.Key)
		}
	}
	_, _, err := asked.TimeConstraint.bounds()
	return err
}

// decodeDetail reads what a client asks for. Its source is always there.
func decodeDetail(raw json.RawMessage) (authorizationDetail, error) {
	var detail authorizationDetail
	if err := json.Unmarshal(raw, &detail); err != nil {
		return detail, fmt.Errorf("decode an authorization detail: %w", err)
	}
	if detail.Source == nil || detail.Source.Kind != "connector" {
		return detail, fmt.Errorf(`source is required, as in {"kind":"connector","id":"…/connectors/gmail"}`)
	}
	return detail, nil
}

// connectorKey is the end of a source's URL: registries name the same connector by other URLs.
func connectorKey(from *source) string { return from.ID[strings.LastIndex(from.ID, "/")+1:] }

// streamsNamed finds the streams that a name or everyStream stands for.
func streamsNamed(connector catalog.Connector, name string) []catalog.Stream {
	if name == everyStream {
		return connector.Streams
	}
	return slices.DeleteFunc(slices.Clone(connector.Streams), func(stream catalog.Stream) bool { return stream.Name != name })
}

// bounds reads the times of a constraint, which may be absent.
func (c *timeConstraint) bounds() (since, until time.Time, err error) {
	if c == nil {
		return since, until, nil
	}
	for _, bound := range []struct {
		text string
		at   *time.Time
	}{{c.Since, &since}, {c.Until, &until}} {
		if bound.text == "" {
			continue
		}
		if *bound.at, err = time.Parse(time.RFC3339, bound.text); err != nil {
			return since, until, fmt.Errorf("time_constraint: %q is no RFC 3339 time: %w", bound.text, err)
		}
	}
	return since, until, nil
}
