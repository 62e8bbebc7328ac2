package scan

import (
	"cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// nameExtreme adds the record with the minimum or maximum of an aggregate, and says if other records have the same
// value (R-CLAIM-7).
func (i GroupsInput) nameExtreme(found *answer.Groups, extreme record, isTied bool) {
	handle := recordid.Handle{ConnectionID: cmp.Or(extreme.connectionID(), scalar.OrZero(i.ConnectionID)), Stream: i.Stream, RecordID: extreme.key()}
	if handle.RecordID == "" || handle.ID() == "" {
		return
	}
	found.Members = append(found.Members, rawjson.String("record", handle.ID()))
	if isTied {
		found.Members = append(found.Members, rawjson.Bool("equal_records", true))
	}
}

// leadToExtreme adds the call for the record with a minimum or maximum that the resource server computed, because the
// server does not name it.
func (i GroupsInput) leadToExtreme(env tool.Env, found *answer.Groups) {
	value := found.Members.Get("value")
	isExtreme := (i.Metric == "min" || i.Metric == "max") && !found.IsGrouped && i.Field != nil && rawjson.Kind(value) > rawjson.Null
	if !isExtreme || found.Members.Get("record") != nil || env.Readings == nil {
		return
	}
	call := answer.Call{Tool: tool.RecordsTool, Kind: answer.OneOfThese}
	for _, argument := range i.Call.Arguments {
		if argument.Name == tool.RecordsStream || argument.Name == wire.Filter || argument.Name == wire.ConnectionID {
			call.Arguments = append(call.Arguments, argument)
		}
	}
	order := *i.Field
	if i.Metric == "max" {
		order = "-" + order
	}
	call.Arguments = append(call.Arguments, rawjson.String(wire.Sort, order), rawjson.Int(wire.Limit, 1))
	found.RecordCalls = []answer.Call{call}
}
