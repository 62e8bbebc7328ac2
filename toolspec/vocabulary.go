package toolspec

// The vocabulary of the specs. Each word names one exported Go function of the runtime, so a new word is that function
// and one line here. The generator writes calls from these tables, the validation checks specs against them, and the
// editor schemas show each Doc as hover text.

// ArgumentTypes are the words for `type`.
var ArgumentTypes = Words{
	{Name: "string", Doc: "Text.", Function: "String", RequiredFunction: "RequiredString", Go: "*string", RequiredGo: "string", Constant: "StringArgument"},
	{Name: "integer", Doc: "A whole number; 5.0 counts as 5.", Function: "Integer", RequiredFunction: "RequiredInteger", Go: "*int64", RequiredGo: "int64", Constant: "IntegerArgument"},
	{Name: "boolean", Doc: "true or false.", Function: "Boolean", Go: "*bool", Constant: "BooleanArgument"},
	{Name: "string_list", Doc: "An array of strings.", Function: "StringList", Go: "[]string", Constant: "StringListArgument"},
	{Name: "filter", Doc: "An object of conditions: a value for equality, or an object of gte, gt, lte and lt.", Function: "Filter", Go: "rs.Filter", Constant: "FilterArgument", ReadsDates: true},
	{Name: "limits", Doc: "An object of relation names and whole numbers of at least 1.", Function: "Limits", Go: "rs.Limits", Constant: "LimitsArgument"},
}

// PropertyTypes are the words for the `type` of a property of structured content. An array is one of objects. A scalar
// is a string, a number, a boolean or null. Calls are objects of a tool and its arguments, a reading has the numbers of
// records read, and a refusal has a code and a message.
var PropertyTypes = []string{"string", "integer", "boolean", "object", "array", "string_list", "scalar", "calls", "reading", "refusal"}

// TargetParts are the names of a target's parts, which bindings and paths write after `target.`
var TargetParts = []string{"stream", "record_id", OptionalTargetPart}

// OptionalTargetPart is the part of a target that may be absent.
const OptionalTargetPart = "connection_id"

// Method is the only method of an mcp tool: the tools read.
const Method = "GET"

// Methods are the methods of a terminal tool. All but Method change something.
var Methods = []string{Method, "POST", "PATCH", "DELETE"}

// The surfaces of a tool.
const (
	SurfaceMCP      = "mcp"
	SurfaceTerminal = "terminal"
)

// SurfaceNames are the words for `surface`.
var SurfaceNames = []string{SurfaceMCP, SurfaceTerminal}

// SendBody is the send word of arguments that are a member of the JSON body.
const SendBody = "body"

// RenderFile is the render word for an answer that the command writes to a file byte for byte.
const RenderFile = "file"

// SendPath is the send word of arguments that are part of the path.
const SendPath = "path"

// Checks are the words for `check`: values of type argument.Check.
var Checks = Words{
	{Name: "safe_name", Segment: true, Doc: "Safe as a path segment or a query value: no slash, no dot segment, no control character.", Fits: []Fit{{"string", "SafeName"}}},
	{Name: "safe_names", Doc: "safe_name for each item.", Fits: []Fit{{"string_list", "SafeName"}}},
	{Name: "time_zone", Doc: "The IANA name of a time zone.", Fits: []Fit{{"string", "TimeZone"}}},
	{Name: "field_path", Segment: true, Doc: "The name of a field, or a dotted path to one.", Fits: []Fit{{"string", "SafeName"}}},
	{Name: "field_names", Doc: "A field or relation name in each item, free of the comma that separates them.", Fits: []Fit{{"string_list", "FieldName"}}},
	{Name: "record_id", Segment: true, Doc: "The id of a record, safe as a path segment.", Fits: []Fit{{"string", "RecordID"}}},
	{Name: "callback_url", Doc: "An https URL of at most 2048 bytes, or an http one of this machine; no user name, no fragment.", Fits: []Fit{{"string", "CallbackURL"}}},
	{Name: "not_blank", Doc: "More than white space.", Fits: []Fit{{"string", "NotBlank"}}},
}

// Sends are the words for `send`: methods of rs.Query, and the path.
var Sends = Words{
	{Name: SendPath, Doc: "As a segment of the request's path, in place of {name}.", Fits: []Fit{{"string", ""}}},
	{Name: "query", Doc: "As name=value.", Fits: []Fit{{"string", "String"}, {"integer", "Integer"}}},
	{Name: "comma_list", Doc: "As name=a,b.", Fits: []Fit{{"string_list", "CommaList"}}},
	{Name: "repeated", Doc: "As name=a&name=b.", Fits: []Fit{{"string_list", "Repeated"}}},
	{Name: "bracket_filter", Doc: "As name[field]=value and name[field][operator]=value.", Fits: []Fit{{"filter", "BracketFilter"}}},
	{Name: SendBody, Doc: "As the member name of the JSON body.", Fits: []Fit{{"string", "String"}, {"integer", "Integer"}, {"boolean", "Boolean"}, {"string_list", "StringList"}}},
	{Name: "bracket_map", Doc: "As name[relation]=number.", Fits: []Fit{{"limits", "BracketMap"}}},
}

// Gates are the words for `gate`: functions of package argument, and of package operation if they read.
var Gates = Words{
	{
		Name: "expand_advertised", Package: "operation", Function: "ExpandAdvertised",
		Doc:        "The stream's schema advertises that relations can be expanded.",
		Parameters: []Parameter{{"stream", KindString}, {"connection_id", KindOptionalString}, {"relations", KindName}, {"limits", KindName}},
	},
	{
		Name: "field_window_selector", Package: "argument", Function: "FieldWindowSelector",
		Doc: "The arguments that place a field window do not contradict each other.",
		Parameters: []Parameter{
			{"offset_chars", KindIntegerName},
			{"cursor", KindStringName},
			{"q", KindStringName},
			{"before_chars", KindIntegerName},
			{"after_chars", KindIntegerName},
		},
	},
	{
		Name: "aggregate_measure", Package: "argument", Function: "AggregateMeasure",
		Doc: "A metric has its field, groups by time have a granularity, and an order has groups.",
		Parameters: []Parameter{
			{"stream", KindString},
			{"connection_id", KindOptionalString},
			{"metric", KindStringName},
			{"field", KindStringName},
			{"group_by", KindStringName},
			{"group_by_time", KindStringName},
			{"granularity", KindStringName},
			{"sort", KindStringName},
		},
	},
	{
		Name: "subscription_change", Package: "argument", Function: "SubscriptionChange", Doc: "The call asks for a change of an event subscription.",
		Parameters: subscriptionChanges,
	},
}

// subscriptionChanges are the changeable parts of an event subscription.
var subscriptionChanges = []Parameter{{"enabled", KindOptionalBoolean}, {"rotate_secret", KindOptionalBoolean}}

// SourceWords are the words for `sources.from`: types of package rs.
var SourceWords = Words{
	{
		Name: "one", Package: "rs", Function: "OneSource", Doc: "One source answers: the one named, or the only one that grants the stream.",
		Parameters: []Parameter{{"stream", KindString}, {"connection_id", KindOptionalString}, {"filter", KindFilter}},
	},
	{
		Name: "hits", Package: "rs", Function: "HitsOfSources", Doc: "Every source is searched, and the hits are merged by rank.",
		Parameters: []Parameter{{"streams", KindStringList}, {"connection_id", KindOptionalString}},
	},
	{
		Name: "streams", Package: "rs", Function: "StreamsOfSources", Doc: "Every source lists its streams, and the lists are put together.",
		Parameters: []Parameter{{"connection_id", KindOptionalString}},
	},
	{
		Name: "named", Package: "rs", Function: "NamedSource", Doc: "One source answers: the one named, or the only one.",
		Parameters: []Parameter{{"connection_id", KindOptionalString}},
	},
}

// ReadOnWords are the words for `read_on.as`: functions of package scan, which read what the resource server refuses.
var ReadOnWords = Words{
	{
		Name: "rows", Function: "Rows", Doc: "The adapter then reads the rows of the stream that match a filter, or the first by another field.",
		Parameters: []Parameter{
			{"filter", KindFilter},
			{"sort", KindOptionalString},
			{"order", KindOptionalString},
			{"fields", KindStringList},
			{"count", KindOptionalString},
			{"cursor", KindOptionalString},
			{"connection_id", KindOptionalString},
		},
	},
	{
		Name: "groups", Function: "Groups", Doc: "The adapter then tallies the rows of the stream that match a filter.",
		Parameters: []Parameter{
			{"stream", KindString},
			{"metric", KindString},
			{"field", KindOptionalString},
			{"group_by", KindOptionalString},
			{"group_by_time", KindOptionalString},
			{"granularity", KindOptionalString},
			{"time_zone", KindOptionalString},
			{"sort", KindOptionalString},
			{"limit", KindOptionalInteger},
			{"cursor", KindOptionalString},
			{"filter", KindFilter},
			{"connection_id", KindOptionalString},
		},
	},
	{
		Name: "hits", Function: "Hits", Doc: "The adapter then reads the records of the hits and keeps those that match a filter.",
		Parameters: []Parameter{{"filter", KindFilter}, {"cursor", KindOptionalString}, {"streams", KindStringList}},
	},
}

// Renderers are the words for `render`: functions of package render.
var Renderers = Words{
	{
		Name: "records", Package: "scan", Function: "Rows", Answers: true, Doc: "A page of records, as previews.", Continues: true,
		Parameters: []Parameter{{"stream", KindString}, {"connection_id", KindOptionalString}, {"fields", KindStringList}},
	},
	{
		Name: "aggregate", Package: "scan", Function: "Groups", Answers: true, Doc: "A number, or groups with their numbers.", Continues: true,
		Parameters: []Parameter{{"stream", KindString}, {"connection_id", KindOptionalString}},
	},
	{
		Name: "search", Package: "scan", Function: "Hits", Answers: true, Doc: "Hits with their evidence and the calls that continue.", Continues: true,
		Parameters: []Parameter{{"connection_id", KindOptionalString}},
	},
	{
		Name: "document", Package: "record", Function: "Document", Answers: true,
		Doc:        "One record as id, title, text, url and metadata.",
		Parameters: []Parameter{{"target", KindTarget}, {"fields", KindStringList}},
	},
}

// Completions are the words for `complete`: constants of package tool for what an argument names in the schema.
var Completions = Words{
	{Name: "stream", Doc: "The names of the granted streams, of the connection that the command line names.", Fits: []Fit{{"string", "CompleteStream"}, {"string_list", "CompleteStream"}}},
	{Name: "connection", Doc: "The ids of the granted connections, of the stream that the command line names.", Fits: []Fit{{"string", "CompleteConnection"}}},
	{Name: "field", Doc: "The names of the fields of the stream that the command line names.", Fits: []Fit{{"string", "CompleteField"}, {"string_list", "CompleteField"}}},
	{Name: "relation", Doc: "A relation of the stream that the call names. Shells offer none.", Fits: []Fit{{"string_list", "CompleteRelation"}}},
	{Name: "sort", Doc: "The field that the stream is sorted by, - before it for descending. Shells offer none.", Fits: []Fit{{"string", "CompleteSort"}}},
	{Name: "view", Doc: "A view of the stream that the call names. Shells offer none.", Fits: []Fit{{"string", "CompleteView"}}},
	{Name: "record", Doc: "A record's id, which may name its stream and its connection. Shells offer none.", Fits: []Fit{{"string", "CompleteRecord"}}},
}

// Tables are the words for `table`: constants of package tool.
var Tables = Words{
	{Name: "rows", Function: "RowTable", Doc: "A row for each record, with its id and a column for each field."},
	{Name: "hits", Function: "HitTable", Doc: "A row for each hit: its id, its title and its excerpt."},
	{Name: "groups", Function: "GroupTable", Doc: "A row for each group."},
	{Name: "document", Function: "DocumentTable", Doc: "The text of the document alone."},
}

// Calls are the words for `call`. Each makes constants in package tool, named after Function, for the tool and its
// arguments.
var Calls = Words{
	{
		Name: "schema", Function: "Schema", Doc: "Shows what is granted, or what a stream supports.",
		Parameters: []Parameter{{"stream", KindOptionalString}, {"connection_id", KindOptionalString}, {"detail", KindOptionalString}},
	},
	{Name: "records", Function: "Records", Doc: "Reads a page of a stream.", Parameters: []Parameter{{"stream", KindOptionalString}, {"connection_id", KindOptionalString}, {"filter", KindFilter}, {"order", KindOptionalString}, {"fields", KindStringList}, {"limit", KindOptionalInteger}}},
	{
		Name: "groups", Function: "Groups", Doc: "Counts the records by the value of a field.",
		Parameters: []Parameter{
			{"stream", KindString},
			{"metric", KindOptionalString},
			{"group_by", KindOptionalString},
			{"group_by_time", KindOptionalString},
			{"limit", KindOptionalInteger},
			{"cursor", KindOptionalString},
			{"connection_id", KindOptionalString},
		},
	},
	{Name: "hits", Function: "Hits", Doc: "Searches for words.", Parameters: []Parameter{{"words", KindOptionalString}, {"limit", KindOptionalInteger}, {"cursor", KindOptionalString}, {"mode", KindOptionalString}}},
	{
		Name: "document", Function: "Document", Doc: "Reads one record, or some of its fields.",
		Parameters: []Parameter{
			{"id", KindOptionalString},
			{"connection_id", KindOptionalString},
			{"fields", KindStringList},
			{"expand", KindStringList},
			{"expand_limit", KindName},
		},
	},
	{
		Name: "field", Function: "Field", Doc: "Reads a long field on.",
		Parameters: []Parameter{
			{"id", KindOptionalString},
			{"connection_id", KindOptionalString},
			{"stream", KindOptionalString},
			{"record_id", KindOptionalString},
			{"path", KindOptionalString},
			{"offset_chars", KindOptionalInteger},
			{"cursor", KindOptionalString},
			{"limit_chars", KindOptionalInteger},
			{"q", KindOptionalString},
		},
	},
}

// Roles are the words for `role`: variables of package tool with the fields that have the role.
var Roles = Words{
	{Name: "title", Function: "TitleRole", Doc: "What names the record: a title, a subject, a track, the other side of a transaction."},
	{Name: "author", Function: "AuthorRole", Doc: "Who wrote, sent, played or did it."},
	{Name: "time", Function: "TimeRole", Doc: "When it was written or happened, not when it was collected."},
	{Name: "state", Function: "StateRole", Doc: "What a record is if the value is true: a draft, spam, cancelled, deleted."},
	{Name: "detail", Function: "DetailRole", Doc: "A short value that a row of a timeline shows too."},
	{Name: "container", Function: "ContainerRole", Doc: "Where it is: a channel, a repository, an album."},
	{Name: "amount", Function: "AmountRole", Doc: "A sum of money."},
	{Name: "currency", Function: "CurrencyRole", Doc: "The currency of the amount."},
	{Name: "text", Function: "TextRole", Doc: "What was written."},
}

// Shows are the words for `show` of a refusal: constants of package tool.
var Shows = Words{
	{Name: "stream", Function: "streamSchema", Doc: "The schema of the stream that was read."},
	{Name: "everything", Function: "schemaIndex", Doc: "The index of all that is granted."},
}

// TerminalRenderers are the words for `render` of terminal tools: functions of package operation.
var TerminalRenderers = Words{
	{Name: "answer", Package: "operation", Function: "Answer", Doc: "The resource server's JSON as it is, and a listing of its rows or members."},
	{Name: "event_capabilities", Package: "operation", Function: "EventCapabilities", Doc: "What the provider's metadata says of event subscriptions."},
	{
		Name: "subscription", Package: "operation", Function: "Subscription", Doc: "An event subscription as it is after a change, which is an error when it is not as was asked for.",
		Parameters: append([]Parameter{{"streams", KindStringList}}, subscriptionChanges...),
	},
	{
		Name: "streams", Package: "operation", Function: "Streams", Answers: true,
		Doc: "The granted streams, of all sources if none is named.",
	},
	{Name: RenderFile, Doc: "Bytes, which the command writes to a file."},
}

// Operations are the words for `run`: functions of package operation.
var Operations = Words{
	{
		Name: "schema", Package: "operation", Function: "Schema", Answers: true, Doc: "The index of connections and streams, or one stream's capabilities.",
		Parameters: []Parameter{{"stream", KindOptionalString}, {"connection_id", KindOptionalString}, {"detail", KindOptionalString}},
	},
	{
		Name: "field_window", Package: "record", Function: "FieldWindow", Answers: true, Sends: true, Continues: true,
		Doc: "A stretch of one long text field, or the file that the field refers to: its text by windows, a picture, or what it is and the ways to it.",
		Parameters: []Parameter{
			{"target", KindTarget},
			{"field_path", KindString},
			{"offset_chars", KindOptionalInteger},
			{"cursor", KindOptionalString},
			{"q", KindOptionalString},
			{"limit_chars", KindOptionalInteger},
			{"before_chars", KindOptionalInteger},
			{"after_chars", KindOptionalInteger},
		},
	},
}
