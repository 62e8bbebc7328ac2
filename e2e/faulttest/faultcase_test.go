package faulttest_test

import (
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
)

// faultCase is a fault of the resource server, and the expected outcome of a read that meets it.
type faultCase struct {
	name  string
	fault faulttest.Fault
	times int    // that it happens; 0: until it is over
	code  string // of the error; empty: an answer
	says  string // a part of the message
	tries int    // that the resource server sees of one read
}

// within is the deadlines of an adapter that meets the fault.
func (m faultCase) within() deadlines {
	if m.code == overdue {
		return deadlines{shortly, amply}
	}
	return ample
}

// waits reports whether the call mostly waits: for a deadline, or between tries.
func (m faultCase) waits() bool { return m.code == overdue || m.tries > 1 }

const (
	unreachable = "rs_unreachable"
	overdue     = "rs_timeout"
	invalid     = "rs_invalid_response"
	tooLarge    = "rs_response_too_large"
	redirected  = "rs_redirect"
)

// elsewhere is the target of redirects. It must not get a request.
const elsewhere = "http://192.0.2.1"

var faultCases = []faultCase{
	{"latency within the deadline", faulttest.Latency(50 * time.Millisecond), 0, "", "", 1},
	{"latency past the deadline", faulttest.Latency(time.Minute), 0, overdue, "did not answer within", 1},
	{"hang", faulttest.Hang, 0, overdue, "did not answer within", 1},
	{"hang-up", faulttest.HangUp, 0, unreachable, "cannot be reached", 3},
	{"reset", faulttest.Reset, 0, unreachable, "cannot be reached", 3},
	{"reset twice", faulttest.Reset, 2, "", "", 3},
	{"reset in the body", faulttest.ResetInBody, 0, unreachable, "broke during its answer", 1},
	{"truncated body", faulttest.Truncated, 0, invalid, "was cut off", 1},
	{"truncated chunk", faulttest.TruncatedChunks, 0, invalid, "was cut off", 1},
	{"slow header", faulttest.SlowHeader(shortly / 20), 0, overdue, "did not answer within", 1},
	{"slow body", faulttest.SlowBody(shortly / 20), 0, overdue, "did not answer within", 1},
	{"endless body", faulttest.Endless, 0, tooLarge, "16777216 bytes", 1},
	{"not HTTP", faulttest.Garbage, 0, unreachable, "cannot be reached", 1},
	{"long headers", faulttest.LongHeader(128 << 10), 0, unreachable, "cannot be reached", 1},

	{"429 without Retry-After", faulttest.Status(429), 0, "rate_limit_exceeded", "wait", 1},
	{"429 with Retry-After", faulttest.Status(429, "0"), 1, "", "", 2},
	{"429 with Retry-After, for good", faulttest.Status(429, "0"), 0, "rate_limit_exceeded", "wait", 3},
	{"429 with a long Retry-After", faulttest.Status(429, "60"), 0, "rate_limit_exceeded", "wait", 1},
	{"500", faulttest.Status(500), 0, "api_error", "try again later", 1},
	{"a good answer under 500", faulttest.Under(500), 0, "api_error", "try again later", 1},
	{"burst of 502", faulttest.Status(502), 2, "", "", 3},
	{"burst of 503", faulttest.Status(503), 2, "", "", 3},
	{"burst of 504", faulttest.Status(504), 2, "", "", 3},
	{"503 for good", faulttest.Status(503), 0, "api_error", "try again later", 3},
	{"503 with a long Retry-After", faulttest.Status(503, "60"), 0, "api_error", "try again later", 1},
	{"401", faulttest.Status(401), 0, "authentication_error", "connect again", 1},
	{"403", faulttest.Status(403), 0, "permission_error", "broader", 1},
	{"nothing (204)", faulttest.Status(204), 0, invalid, "has no body", 1},
	{"redirect to another host", faulttest.Redirect(elsewhere), 0, redirected, "set the provider URL", 1},

	{"a sign-in page", faulttest.Page, 0, invalid, "is not JSON", 1},
	{"JSON declared as text", faulttest.Declared("text/plain"), 0, "", "", 1},
	{"corrupt body", faulttest.Corrupted, 0, invalid, "is not JSON", 1},
	{"corrupt gzip", faulttest.CorruptedGzip, 0, invalid, "cannot be decoded", 1},
	{"truncated gzip", faulttest.TruncatedGzip, 0, invalid, "was cut off", 1},
	{"an encoding not asked for", faulttest.OtherEncoding, 0, invalid, "cannot be decoded", 1},
	{"gzip bomb", faulttest.GzipBomb(64 << 20), 0, tooLarge, "16777216 bytes", 1},
	{"invalid UTF-8", faulttest.Prefixed("\"x\":\"\xff\xfe\""), 0, invalid, "not valid UTF-8", 1},
	{
		"nested too deep", faulttest.Prefixed(`"x":` + faulttest.Nested(100_000)), 0, invalid,
		"nested deeper than 512 levels", 1,
	},
	{
		"nested deeper than clients read", faulttest.Prefixed(`"x":` + faulttest.Nested(1_000)), 0, invalid,
		"deeper than 512 levels", 1,
	},
	{"duplicate keys", faulttest.Prefixed(`"object":"list","data":[],"has_more":false`), 0, invalid, "a member twice", 1},
	{"a list in place of an object", faulttest.Replaced(`[{}]`), 0, invalid, "not an object", 1},
}
