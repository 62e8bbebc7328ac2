package authorization

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// everyStream is the name that means all streams of a source.
const everyStream = "*"

// The access modes that a client can request.
const (
	continuous = "continuous"
	singleUse  = "single_use"
)

// requestedDetail is one element of authorization_details in a client's request.
type requestedDetail struct {
	Type               string            `json:"type"`
	Source             *source           `json:"source"`
	AccessMode         string            `json:"access_mode"`
	PurposeCode        *string           `json:"purpose_code"`
	PurposeDescription string            `json:"purpose_description"`
	Streams            []requestedStream `json:"streams"`
}

type requestedStream struct {
	Name        string     `json:"name"`
	InstanceIDs *[]string  `json:"instance_ids"`
	Fields      *[]string  `json:"fields"`
	View        *string    `json:"view"`
	TimeRange   *timeRange `json:"time_range"`
	Resources   *[]string  `json:"resources"`
}

// timeRange is from Since, inclusive, to Until, exclusive; at least one is set.
type timeRange struct {
	Since *string `json:"since"`
	Until *string `json:"until"`
}

// members that each object of a detail may have, by the last name of its place.
var detailMembers = map[string][]string{
	"":           {"type", "source", "access_mode", "purpose_code", "purpose_description", "streams"},
	"streams":    {"name", "instance_ids", "fields", "view", "time_range", "resources"},
	"time_range": {"since", "until"},
}

// refusedDetail returns a refusal in the words of real servers.
func refusedDetail(format string, arguments ...any) error {
	return &flow.DetailError{Code: "invalid_authorization_details", Message: fmt.Sprintf(format, arguments...)}
}

// invalidSelection returns the refusal of a malformed detail.
func invalidSelection(place, problem string, arguments ...any) error {
	return refusedDetail("Selection request is invalid: "+place+" "+problem, arguments...)
}

// CheckDetail refuses a malformed detail, or one about a connector, stream, field or view that does not exist. Its
// connections are checked when the owner decides; see CheckInstances.
func (s keeper) CheckDetail(raw json.RawMessage) error {
	if err := checkMembers(raw, "/", ""); err != nil {
		return err
	}
	detail, err := decodeDetail(raw)
	if err != nil {
		return err
	}
	switch {
	case detail.Type != detailsType:
		return invalidSelection("/type", "must be equal to constant")
	case detail.Source == nil:
		return invalidSelection("/", "must have required property 'source'")
	case detail.AccessMode == "":
		return invalidSelection("/", "must have required property 'access_mode'")
	case detail.AccessMode != continuous && detail.AccessMode != singleUse:
		return invalidSelection("/access_mode", "must be equal to one of the allowed values")
	case detail.PurposeCode == nil:
		return invalidSelection("/", "must have required property 'purpose_code'")
	case !isURI(*detail.PurposeCode):
		return invalidSelection("/purpose_code", `must match format "uri"`)
	case !isURI(detail.Source.ID):
		return invalidSelection("/source/id", `must match format "uri"`)
	case detail.Streams == nil:
		return invalidSelection("/", "must have required property 'streams'")
	case len(detail.Streams) == 0:
		return invalidSelection("/streams", "must NOT have fewer than 1 items")
	}
	for i, asked := range detail.Streams {
		if err := asked.checkForm(fmt.Sprintf("/streams/%d", i)); err != nil {
			return err
		}
		if slices.ContainsFunc(detail.Streams[:i], func(earlier requestedStream) bool { return earlier.Name == asked.Name }) {
			return refusedDetail("Selection request semantics are invalid: source.selection.duplicate_stream_name")
		}
	}
	return s.checkSource(detail)
}

// checkSource refuses a detail about a connector, stream, field or view that does not exist.
func (s *Server) checkSource(detail requestedDetail) error {
	connector := s.connector(connectorKey(detail.Source))
	switch {
	case len(connector.Streams) == 0:
		return &flow.DetailError{Code: "invalid_request", Message: fmt.Sprintf("Unknown source: { id: '%s' }", detail.Source.ID)}
	case detail.Source.Kind != "" && detail.Source.Kind != "connector":
		return &flow.DetailError{
			Code: "invalid_request", Message: fmt.Sprintf("Source kind does not match the retained declaration for '%s'", detail.Source.ID),
		}
	}
	for _, asked := range detail.Streams {
		if err := checkStream(connector, asked); err != nil {
			return err
		}
	}
	return nil
}

func checkStream(connector catalog.Connector, asked requestedStream) error {
	declared := streamsNamed(connector, asked.Name)
	if len(declared) == 0 {
		return refusedDetail("Unknown stream: %s", asked.Name)
	}
	if asked.Name == everyStream {
		return nil
	}
	if asked.Fields != nil {
		unknown := slices.DeleteFunc(slices.Clone(*asked.Fields), func(name string) bool {
			return slices.ContainsFunc(declared[0].Fields, func(f catalog.Field) bool { return f.Name == name })
		})
		if len(unknown) > 0 {
			return refusedDetail("Unknown fields on stream '%s': %s", asked.Name, strings.Join(unknown, ", "))
		}
	}
	if asked.View != nil && viewNamed(declared[0], *asked.View) == nil {
		return refusedDetail("Unknown view '%s' on stream '%s'", *asked.View, asked.Name)
	}
	if asked.TimeRange != nil && declared[0].ConsentTimeField == "" {
		return refusedDetail("Stream '%s' does not support time_range", asked.Name)
	}
	return nil
}

// checkForm refuses malformed requests for a stream.
func (a requestedStream) checkForm(place string) error {
	for _, list := range []struct {
		name  string
		items *[]string
	}{{"instance_ids", a.InstanceIDs}, {"fields", a.Fields}, {"resources", a.Resources}} {
		if list.items == nil {
			continue
		}
		if len(*list.items) == 0 {
			return invalidSelection(place+"/"+list.name, "must NOT have fewer than 1 items")
		}
		for i, item := range *list.items {
			if earlier := slices.Index((*list.items)[:i], item); earlier >= 0 {
				return invalidSelection(place+"/"+list.name, "must NOT have duplicate items (items ## %d and %d are identical)", i, earlier)
			}
		}
	}
	if a.View != nil && a.Fields != nil {
		return invalidSelection(place, "must NOT be valid")
	}
	if a.TimeRange == nil {
		return nil
	}
	since, until, err := a.TimeRange.bounds(place + "/time_range")
	if err == nil && !since.IsZero() && !until.IsZero() && !since.Before(until) {
		err = refusedDetail("Selection request semantics are invalid: source.selection.invalid_time_range")
	}
	return err
}

// bounds parses the times of a range. An open end is the zero time.
func (r *timeRange) bounds(place string) (since, until time.Time, err error) {
	if r == nil {
		return since, until, nil
	}
	if r.Since == nil && r.Until == nil {
		return since, until, invalidSelection(place, "must have required property 'since'")
	}
	for _, bound := range []struct {
		name string
		text *string
		at   *time.Time
	}{{"since", r.Since, &since}, {"until", r.Until, &until}} {
		if bound.text == nil {
			continue
		}
		if *bound.at, err = time.Parse(time.RFC3339, *bound.text); err != nil {
			return since, until, invalidSelection(place+"/"+bound.name, `must match format "date-time"`)
		}
	}
	return since, until, nil
}

// checkMembers refuses members that an object of a detail cannot have.
func checkMembers(raw json.RawMessage, place, kind string) error {
	object := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &object) != nil {
		return nil // decodeDetail refuses it
	}
	for name, value := range object {
		if !slices.Contains(detailMembers[kind], name) {
			return invalidSelection(place, "must NOT have additional properties")
		}
		inner := strings.TrimSuffix(place, "/") + "/" + name
		switch name {
		case "streams":
			var streams []json.RawMessage
			_ = json.Unmarshal(value, &streams) // decodeDetail refuses another form
			for i, stream := range streams {
				if err := checkMembers(stream, fmt.Sprintf("%s/%d", inner, i), name); err != nil {
					return err
				}
			}
		case "time_range":
			if err := checkMembers(value, inner, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// decodeDetail decodes a client's detail.
func decodeDetail(raw json.RawMessage) (requestedDetail, error) {
	var detail requestedDetail
	err := json.Unmarshal(raw, &detail)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		kind := map[byte]string{'[': "array", '*': "array", 's': "string"}[mistyped.Type.String()[0]]
		return detail, invalidSelection("/"+strings.ReplaceAll(mistyped.Field, ".", "/"), "must be "+kind)
	}
	return detail, err
}

// isURI reports whether a text is an absolute URI.
func isURI(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.IsAbs()
}

// connectorKey returns the last segment of a source's URL, because registries use different URLs for one connector.
func connectorKey(from *source) string { return from.ID[strings.LastIndex(from.ID, "/")+1:] }

// streamsNamed returns the streams that a name or everyStream selects.
func streamsNamed(connector catalog.Connector, name string) []catalog.Stream {
	if name == everyStream {
		return connector.Streams
	}
	return slices.DeleteFunc(slices.Clone(connector.Streams), func(stream catalog.Stream) bool { return stream.Name != name })
}

// viewNamed returns the fields of a view, or nil.
func viewNamed(stream catalog.Stream, name string) []string {
	for _, view := range stream.Views {
		if view.Name == name {
			return view.Fields
		}
	}
	return nil
}

// grantedStream resolves a request for a stream on one connection. To the requested fields it adds those that every
// record needs: the key, the cursor field and the consent time.
func (a requestedStream) grantedStream(declared catalog.Stream, connectionID string) catalog.StreamGrant {
	granted := catalog.StreamGrant{Name: declared.Name, ConnectionIDs: []string{connectionID}}
	granted.Since, granted.Until, _ = a.TimeRange.bounds("") // CheckDetail has refused what cannot be read
	switch {
	case a.Name == everyStream:
	case a.Fields != nil:
		granted.Fields = slices.Clone(*a.Fields)
	case a.View != nil:
		granted.Fields = slices.Clone(viewNamed(declared, *a.View))
	}
	if granted.Fields != nil {
		for _, needed := range append(slices.Clone(declared.PrimaryKey), declared.CursorField, declared.ConsentTimeField) {
			if needed != "" && !slices.Contains(granted.Fields, needed) {
				granted.Fields = append(granted.Fields, needed)
			}
		}
	}
	if a.Resources != nil {
		granted.Resources = *a.Resources
	}
	return granted
}
