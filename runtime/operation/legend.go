package operation

import "github.com/pdppmcp/pdpp-mcp/runtime/rawjson"

// flagLegend explains the flags of a field in the channel that shows them (R-SCH-5).
const flagLegend = `t=type; role=meaning; ` +
	`eq: filter {"field":value}; r=operators: filter {"field":{"gte":value}} with any of them; ` +
	`lex, sem: search finds it in mode lexical, semantic; ` +
	`a=metrics: aggregate takes it as field of min, max, sum, count_distinct, as group_by or group_by_time; ` +
	`g=false: not granted; declared: the field exists and its capabilities are not advertised`

// What holds for every stream.
const (
	projectionMeaning = "fields takes any of the field names"
	countMeaning      = "none, estimated or exact"
	sortMeaning       = `cursor_field f implies sort "f" or "-f"; order asc or desc says the same; without one no sort field is known`
	expandMeaning     = "expand takes the names in expand_capabilities"
	searchMeaning     = "search takes the stream in streams; lex and sem tell the fields that it looks at"
	aggregateMeaning  = "metric count needs no field; a= tells the other metrics and groupings of a field"
	likeMeaning       = "the fields and flags are those of this connector's row above"
)

// unadvertised is said of rows whose fields have no capabilities. Some servers give client tokens only the
// names: the capabilities are unknown then, not absent.
const unadvertised = "capabilities are not advertised to this token: filter, sort, search and aggregate " +
	"may work all the same; try them, the server refuses what it does not support"

// legend explains the structured document (R-BUD-1); flags tells whether fields are shown by their flags.
func (d *detail) legend(flags bool) rawjson.Value {
	legend := rawjson.Object{}
	if flags {
		legend = append(legend, rawjson.String("field_capabilities", flagLegend))
	}
	legend = append(legend,
		rawjson.String("projection", projectionMeaning),
		rawjson.String("sort", sortMeaning),
		rawjson.String("count", countMeaning),
		rawjson.String("expand", expandMeaning),
		rawjson.String("search", searchMeaning),
		rawjson.String("aggregate", aggregateMeaning),
	)
	hollow, like := false, false
	for _, r := range d.rows {
		hollow = hollow || r.hollow
		like = like || r.like != nil
	}
	if hollow {
		legend = append(legend, rawjson.String("declared", unadvertised))
	}
	if like && flags {
		legend = append(legend, rawjson.String("field_capabilities_like", likeMeaning))
	}
	return legend.Encode()
}
