package errorcode

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// adapterSection is the refusals of the adapter itself (docs/interfaces.md, Exit codes and error codes).
var adapterSection = Section{
	Title: "A tool says no: the adapter",
	Keyed: "code",
	Intro: "The result has `isError`, and its `error.type` is `adapter_error`. `error.param` names the argument and\n" +
		"`error.accepted` lists accepted values. A read of a resource fails with a JSON-RPC error that has the same object in\n" +
		"`data.error`.",
	Entries: slices.Concat(argumentEntries, sourceEntries, readEntries),
}

// argumentEntries are refused before the resource server is asked.
var argumentEntries = []Entry{
	{
		Code:    string(tool.InvalidArguments),
		Meaning: "An argument is missing, of the wrong type or out of its range.",
		Next:    "Call again with what `message` and `accepted` name. The [reference](tools/README.md) has every range.",
	},
	{
		Code:    string(tool.UnknownArgument),
		Meaning: "The tool has no argument of that name.",
		Next:    "Take a name from `accepted`. A host with an old list must list the tools again.",
	},
	{
		Code:    string(tool.InvalidFilter),
		Meaning: "The filter is not an object of fields, or uses an unknown operator.",
		Next:    "Pass `{\"field\":value}` or `{\"field\":{\"gte\":value}}` with `gte`, `gt`, `lte`, `lt`; never a string.",
	},
	{
		Code:    string(tool.InvalidTimeRange),
		Meaning: "A range has a relative date such as `yesterday`, or a timeline does not support an argument.",
		Next:    "Make one of the calls in `next`: they have absolute dates, or read one stream.",
	},
	{
		Code:    string(tool.InvalidExpand),
		Meaning: "`expand` or `expand_limit` names a relation that this read does not take, or a limit out of range.",
		Next:    "Call `schema` with the stream: its line `expand:` names the relations and their limits.",
	},
	{
		Code:    string(tool.InvalidID),
		Meaning: "An id, a handle or a name is malformed, or would not be safe in a path.",
		Next:    "Pass an `id` exactly as it was shown by `search` or `query_records`.",
	},
	{
		Code:    string(tool.ConflictingConnectionID),
		Meaning: "The id names one source and `connection_id` another.",
		Next:    "Leave `connection_id` out: the id has it already.",
	},
	{
		Code:    string(tool.InvalidFieldWindowSelector),
		Meaning: "The record is named twice or not at all, or the window is chosen in two ways, such as `q` with `offset_chars`.",
		Next:    "Pass `id` alone, or `stream` with `record_id`; and one of `offset_chars`, `cursor` and `q`.",
	},
	{
		Code:    string(tool.InvalidResourceURI),
		Meaning: "The URI of a resource is malformed.",
		Next:    "Take the URI from a result, or build it from the [templates](tools/README.md#resource-templates).",
	},
	{
		Code:    string(tool.InvalidSchemaDetail),
		Meaning: "`detail` is `full` without a stream.",
		Next:    "Name `stream`, and `connection_id` when it has several sources.",
	},
}

// sourceEntries are about which of several sources answers.
var sourceEntries = []Entry{
	{
		Code:    string(tool.AmbiguousConnection),
		Meaning: "Several sources match, and the tool reads one.",
		Next:    "Call again with the `connection_id` of one of `available_connections`.",
	},
	{
		Code:    string(tool.PackageRevoked),
		Meaning: "No source of the grant package is active any more.",
		Next:    "The owner approves the sources again; then sign in again.",
	},
	{
		Code:    string(tool.PackageUnsupported),
		Meaning: "The read does not name one source of the package of grants.",
		Next:    "Use a tool that takes `stream` or `connection_id`.",
	},
	{
		Code:    string(tool.SourceUnavailable),
		Meaning: "The source is not in the package, its grant has ended, or none of the sources answered.",
		Next:    "`unavailable_connections` has the reason of each. Ask another source, or try later. Only the owner can renew an ended grant.",
	},
	{
		Code:    string(host.CredentialRefused),
		Meaning: "The stored token is not a client token; the local server exits.",
		Next:    "Run `pdpp-mcp connect` and start the host again. Owner tokens are never used.",
	},
}

// readEntries are reads without a usable answer.
var readEntries = []Entry{
	{
		Code:    string(rs.Unreachable),
		Meaning: "The provider cannot be reached: its name, its address, its certificate or the network.",
		Next:    "Run `pdpp-mcp doctor`. The next call tries again.",
	},
	{
		Code:    string(rs.Timeout),
		Meaning: "The provider did not answer within the time of the read or of the call.",
		Next:    "Ask for less: a smaller `limit`, fewer `fields`, one source. `--rs-timeout` is the time of one read.",
	},
	{
		Code:    string(rs.InvalidResponse),
		Meaning: "The answer is not the JSON that the protocol requires, for example the page of a proxy.",
		Next:    "Run `pdpp-mcp doctor` to check whether the URL belongs to a PDPP provider. If it does, tell its operator.",
	},
	{
		Code:    string(rs.ResponseTooLarge),
		Meaning: "The answer is larger than 16 MiB.",
		Next:    "Ask for less: a smaller `limit` or fewer `fields`; a long field is read with `read_record_field`.",
	},
	{
		Code:    string(rs.Redirected),
		Meaning: "The provider redirects the read. The token is not sent elsewhere.",
		Next:    "Use the provider's final URL, such as `https` in place of `http`.",
	},
	{
		Code:    string(tool.BlobTooLarge),
		Meaning: "The file is too large: the limit is 16 MiB as text, 4 MiB as a resource.",
		Next:    "Save it with `pdpp-mcp blob`. Its id is `blob_id` of the reference.",
	},
	{
		Code:    string(tool.BlobNotText),
		Meaning: "The file is declared as text, but its bytes are not text.",
		Next:    "Save it with the command in `message`, and open it with another program.",
	},
	{
		Code:    string(tool.Internal),
		Meaning: "The adapter failed on this call.",
		Next:    "Try once more. If it fails again, its operator finds the call in the log and reports it.",
	},
}
