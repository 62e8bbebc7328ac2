package refusal

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// review checks the names of a refused call against the schema.
type review struct {
	call
	document *schemadoc.Document
	names    schemadoc.Names
	refused  *rs.Error // nil if the adapter refused the call

	stream string // the only stream of the call; empty: it names several or none

	// Of the rows of that stream and the connection:
	fields    fields
	relations []string // that can be expanded
	views     []string
	cursor    string // the field that they are sorted by; empty: unknown

	found []finding
}

// finding is one thing that is wrong with a call.
type finding struct {
	param      string
	text       string                              // a sentence
	accepted   []string                            // the nearest first
	suggestion string                              // the accepted name that was certainly intended, or empty
	correct    func(rawjson.Object) rawjson.Object // corrects the arguments; nil if no correction is certain
}

// Bounds of what an explanation lists.
const (
	maxAccepted     = 40
	maxOtherStreams = 3
	maxNameBytes    = 100 // of a name in a message; no schema has a longer one
)

// conclude joins the findings, and corrects the call if all of them are certain. Without findings it returns nil.
func (r *review) conclude() *tool.Explained {
	r.checkNames()
	if len(r.found) == 0 {
		return nil
	}
	var texts []string
	if r.refused != nil && r.refused.Status == http.StatusUnauthorized {
		texts = append(texts, "The sign-in is fine.")
	}
	corrected, isCertain := r.given, true
	for _, each := range r.found {
		texts = append(texts, each.text)
		if isCertain = isCertain && each.correct != nil; isCertain {
			corrected = each.correct(corrected)
		}
	}
	first := r.found[0]
	explained := &tool.Explained{Param: first.param, DidYouMean: first.suggestion, Accepted: first.accepted, Hint: strings.Join(texts, " ")}
	if isCertain {
		explained.Next = r.callsWith(corrected)
	}
	return explained
}

func (r *review) checkNames() {
	streams := r.namesOf(tool.CompleteStream)
	for _, each := range streams {
		r.checkStream(each)
	}
	if len(streams) == 1 && len(r.found) == 0 && !r.isForEveryStream(streams[0]) {
		r.stream = streams[0].text
	}
	for _, each := range r.namesOf(tool.CompleteConnection) {
		r.checkConnection(each)
	}
	if len(r.found) > 0 {
		return
	}
	r.readRows()
	for _, each := range r.namesOf(tool.CompleteField) {
		if r.stream != "" || r.isRefusedAs("unknown_field") && r.fields.named(each.text) == nil {
			r.checkField(each)
		}
	}
	if r.stream == "" {
		return
	}
	for _, each := range r.namesOf(tool.CompleteRelation) {
		if !slices.Contains(r.relations, each.text) {
			r.add(each, nearname.Nearest(each.text, r.relations), r.relations,
				"Stream %s has no relation %s that can be expanded.", quoted(r.stream), quoted(each.text))
		}
	}
	for _, each := range r.namesOf(tool.CompleteView) {
		if len(r.views) > 0 && !slices.Contains(r.views, each.text) {
			r.add(each, nearname.Nearest(each.text, r.views), r.views, "Stream %s has no view %s; accepted lists its views.", quoted(r.stream), quoted(each.text))
		}
	}
	switch {
	case r.isRefusedAs(fieldNotGranted):
		for _, each := range r.namesOf(tool.CompleteSort) {
			field := sortForm.FindStringSubmatch(each.text)[2]
			if known := r.fields.named(field); known == nil || !isGranted(*known) {
				r.add(each, "", r.fields.names(isGranted), "%s", r.unknownField(field))
			}
		}
	case r.isRefusedAs("invalid_sort"):
		for _, each := range r.namesOf(tool.CompleteSort) {
			r.checkSort(each)
		}
	case r.isRefusedAs("invalid_cursor") && len(r.found) == 0:
		r.checkChanges()
	}
}

// fieldNotGranted is the code of a resource server for a field that is not granted. For a window, it may not exist
// either.
const fieldNotGranted = "field_not_granted"

// isRefusedAs reports whether the resource server refused the call with a code.
func (r *review) isRefusedAs(code string) bool { return r.refused != nil && r.refused.Code == code }

// isForEveryStream reports whether the adapter refused a call for all streams.
func (r *review) isForEveryStream(wanted name) bool {
	return r.refused == nil && wanted.text == tool.EveryStream
}

// readRows reads the rows of the stream and the connection. If the call names none, all rows count.
func (r *review) readRows() {
	connection := r.connectionID()
	for connector, row := range r.document.Rows() {
		if r.stream != "" && row.Name != r.stream || connection != "" && !schemadoc.HasConnection(connector.ConnectionsOf(row), connection) {
			continue
		}
		for _, field := range row.Fields() {
			if r.fields.named(field.Name) == nil {
				r.fields = append(r.fields, field)
			}
		}
		for _, relation := range row.Relations() {
			if relation.Usable() {
				r.relations = addName(r.relations, relation.Name)
			}
		}
		for _, view := range row.Views() {
			r.views = addName(r.views, view)
		}
		r.cursor = cmp.Or(row.Members.Text("cursor_field"), r.cursor)
	}
}

// add adds a finding about a name. The suggestion may be empty.
func (r *review) add(wrong name, suggestion string, accepted []string, form string, values ...any) {
	found := finding{param: wrong.argument.Name, text: fmt.Sprintf(form, values...), suggestion: suggestion}
	if suggestion != "" {
		found.accepted = []string{suggestion}
		found.correct = func(arguments rawjson.Object) rawjson.Object {
			return arguments.With(found.param, wrong.replace(arguments.Get(found.param), suggestion))
		}
	}
	isCut := false // R-CLAIM-7
	for _, each := range nearname.Order(wrong.text, accepted) {
		switch {
		case slices.Contains(found.accepted, each):
		case len(each) > maxNameBytes || len(found.accepted) == maxAccepted:
			isCut = true
		default:
			found.accepted = append(found.accepted, each)
		}
	}
	if isCut {
		found.text += fmt.Sprintf(" It holds %d of them; schema shows the rest.", len(found.accepted))
	}
	r.found = append(r.found, found)
}

func addName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

type fields []schemadoc.Field

// named returns the field of that name, or nil.
func (f fields) named(name string) *schemadoc.Field {
	i := slices.IndexFunc(f, func(field schemadoc.Field) bool { return field.Name == name })
	if i < 0 {
		return nil
	}
	return &f[i]
}

// names returns the names of the fields that keep selects.
func (f fields) names(keep func(schemadoc.Field) bool) []string {
	var names []string
	for _, field := range f {
		if keep(field) {
			names = append(names, field.Name)
		}
	}
	return names
}

func isGranted(field schemadoc.Field) bool { return !field.Has("g=false") }

// isTime reports whether a field is granted and has a name for a time.
func isTime(field schemadoc.Field) bool {
	return isGranted(field) && (field.Name == "at" || strings.HasSuffix(field.Name, "_at"))
}
