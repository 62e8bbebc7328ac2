// Package wire has the words that the resource server, the tools and their results share: names of parameters, of
// members and of segments of paths. Most are the names of arguments too. Their spelling belongs to the protocol
// (docs/provider-contract.md), so an argument can get another name in the specs and leave them as they are.
package wire

// The words.
const (
	AfterChars   = "after_chars"
	Aggregate    = "aggregate"
	BeforeChars  = "before_chars"
	ChangesSince = "changes_since"
	ConnectionID = "connection_id"
	Count        = "count"
	Cursor       = "cursor"
	Detail       = "detail"
	Expand       = "expand"
	Field        = "field"
	FieldPath    = "field_path"
	Fields       = "fields"
	Filter       = "filter"
	Granularity  = "granularity"
	GroupBy      = "group_by"
	GroupByTime  = "group_by_time"
	ID           = "id"
	Limit        = "limit"
	LimitChars   = "limit_chars"
	Metric       = "metric"
	OffsetChars  = "offset_chars"
	Order        = "order"
	Q            = "q"
	RecordID     = "record_id"
	Schema       = "schema"
	Search       = "search"
	Sort         = "sort"
	Stream       = "stream"
	Streams      = "streams"
	TimeZone     = "time_zone"
	View         = "view"
)
