package host_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// mutation is one valid or invalid request of a client.
type mutation struct {
	body   string
	header http.Header // over HTTP
	begun  string      // over stdio, the revision that the session began with
}

// mutations makes random requests. The same seed makes the same requests.
type mutations struct{ *rand.Rand }

// one mostly picks the first value, so that most requests are nearly valid.
func (r mutations) one(values ...string) string {
	if r.IntN(8) > 0 {
		return values[0]
	}
	return values[r.IntN(len(values))]
}

func (r mutations) any(values ...string) string { return values[r.IntN(len(values))] }

func (r mutations) rarely(percent int) bool { return r.IntN(100) < percent }

var differentialRevisions = []string{"2025-06-18", "2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28"}

func (r mutations) next() mutation {
	revision := r.any(differentialRevisions...)
	m := mutation{
		begun:  revision,
		header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}},
	}
	if r.rarely(8) && revision < "2025-06-18" || r.rarely(2) {
		messages := make([]string, r.IntN(4))
		for i := range messages {
			messages[i] = r.message(revision, true)
		}
		if len(messages) > 1 && r.rarely(5) {
			messages[1] = messages[0]
		}
		m.body = "[" + strings.Join(messages, ",") + "]"
	} else {
		m.body = r.message(revision, false)
	}
	switch {
	case r.rarely(5):
		m.body = r.any(" ", "\t", "\r") + m.body + r.any(" ", "\t", " \r")
	case r.rarely(4):
		m.body = r.damaged(m.body)
	}
	m.header.Set("Mcp-Protocol-Version", revision)
	if revision == "2026-07-28" {
		m.header.Set("Mcp-Method", "tools/call")
		m.header.Set("Mcp-Name", "pointing")
	}
	for r.rarely(12) {
		name := r.any("Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Content-Type", "Accept", "Last-Event-Id",
			"Mcp-Session-Id")
		value := r.any("", "2025-06-18", "2026-07-28", "2027-01-01", "1999-01-01", "tools/call", "pointing", "failing",
			"tools/list", "unknown",
			"application/json; charset=utf-8", "text/plain", "application/json;;", "*/*", "text/*;q=1, application/*", "1")
		if value == "" {
			m.header.Del(name)
		} else {
			m.header.Set(name, value)
		}
	}
	if r.rarely(1) {
		m.header.Add(r.any("Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"), "tools/call")
	}
	return m
}

// message returns a JSON-RPC message. A batch contains no initialize, because the SDK answers it in the same session.
func (r mutations) message(revision string, inBatch bool) string {
	method := r.one(`"tools/call"`, `"tools/call"`, `"tools\/call"`, `"tools/list"`, `"ping"`, `"nothing"`, `"tools/Call"`,
		`""`, `1`, `null`, `["tools/call"]`,
		`"notifications/initialized"`, `"notifications/nothing"`, `"notifications/roots/list_changed"`, `"resources/read"`,
		`"resources/list"`,
		`"resources/templates/list"`, `"prompts/list"`, `"prompts/get"`, `"completion/complete"`, `"notifications/progress"`,
		`"tools/call\u0000"`,
		`"server/discover"`, `"logging/setLevel"`, `"initialize"`)
	if inBatch && method == `"initialize"` {
		method = `"ping"`
	}
	members := []string{
		r.member("jsonrpc", r.one(`"2.0"`, `"2.0"`, `"2.0"`, `"2\u002e0"`, `"1.0"`, `2.0`, `null`, `"2.0 "`)),
		r.member("method", method),
	}
	if !r.rarely(5) {
		members = append(members,
			r.member("id", r.one(fmt.Sprint(r.IntN(1000)), `"a b"`, `""`, `"\u00e9<&>\n"`, `"é"`, `-0`, `0`, `-7`, `5.0`, `1.5`,
				`1e2`, `1e23`, `1e999`,
				`9007199254740992`, `9007199254740993`, `-9007199254740993`, `9007199254740992.5`, `null`, `true`, `{}`,
				`[1]`, `"\ud800"`)))
	}
	if !r.rarely(4) {
		members = append(members, r.member("params", r.params(revision, method)))
	}
	for r.rarely(6) {
		members = append(members, r.any(`"Method":"ping"`, `"more":1`, `"ID":7`, `"method":"ping"`,
			`"m\u0065thod":"tools/list"`, `"id":3`, `"result":{}`, `"error":{}`, `"error":5`,
			`"error":{"code":1,"message":"x"}`, `"params":{"name":"failing"}`, `"more":1e999`, `"jsonrpc":"2.0"`, `"":0`))
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	if r.rarely(2) {
		members = members[:r.IntN(len(members))]
	}
	if r.rarely(1) {
		return r.any(`1`, `null`, `"x"`, `[]`, `[[]]`, `true`)
	}
	return "{" + strings.Join(members, r.one(",", " , ", ",\r\t")) + "}"
}

// member returns a correct or nearly correct spelling of a name.
func (r mutations) member(name, value string) string {
	switch r.IntN(120) {
	case 0:
		name = strings.ToUpper(name[:1]) + name[1:]
	case 1:
		name = fmt.Sprintf(`\u%04x`, name[0]) + name[1:]
	case 2:
		name = " " + name
	case 3:
		value = " " + value + " "
	}
	return `"` + name + `":` + value
}

func (r mutations) params(revision, method string) string {
	if r.rarely(4) {
		return r.any(`null`, `[]`, `[{}]`, `"x"`, `7`, `true`, `{}`)
	}
	members := []string{}
	if !r.rarely(4) {
		members = append(members,
			r.member("name", r.one(`"pointing"`, `"failing"`, `"panicking"`, `"p\u006finting"`, `"unknown"`, `""`, `null`, `7`,
				`{}`, `["pointing"]`)))
	}
	if r.rarely(70) {
		members = append(members, r.member("arguments", r.value()))
	}
	if revision == "2026-07-28" && !r.rarely(4) || r.rarely(25) {
		members = append(members, r.member("_meta", r.meta(revision)))
	}
	if strings.Contains(method, "resources/read") {
		members = append(members, r.member("uri", r.any(`"pdpp://stream/messages"`, `"pdpp://stream/%zz"`, `7`, `"x"`)))
	}
	if strings.Contains(method, "initialize") {
		members = append(members, r.member("protocolVersion", r.any(`"2025-06-18"`, `"2026-07-28"`, `"x"`, `1`)),
			r.member("capabilities", "{}"))
	}
	if strings.Contains(method, "prompts/get") {
		members = append(members, r.member("name", r.any(`"one_word"`, `"one_word"`, `"none"`)),
			r.member("arguments", r.any(`{"word":"a"}`, `{}`, `{"word":7}`, `{"word":"a\n"}`, `{"words":"a"}`)))
	}
	if strings.Contains(method, "completion/complete") {
		members = append(members,
			r.member("ref", r.one(`{"type":"ref/prompt","name":"one_word"}`,
				`{"type":"ref/resource","uri":"pdpp://stream/{name}"}`, `{"type":"ref/prompt","name":"none"}`,
				`{"type":"x"}`, `{}`, `7`)),
			r.member("argument", r.any(`{"name":"word","value":"a"}`, `{"name":"stream","value":""}`,
				`{"name":"name","value":"m"}`, `{"name":"none","value":""}`, `{"name":7}`, `{}`)))
	}
	for r.rarely(10) {
		members = append(members, r.any(`"Name":"failing"`, `"task":{}`, `"task":1e999`, `"name":"failing"`,
			`"n\u0061me":"failing"`, `"_meta":{}`, `"arguments":{"b":2}`,
			`"inputResponses":{}`, `"inputResponses":null`, `"inputResponses":[]`, `"inputResponses":{"a":7}`,
			`"inputResponses":{"a":{"action":"accept"}}`,
			`"inputResponses":{"a":{"roots":[]}}`, `"requestState":"s"`, `"requestState":null`, `"requestState":7`,
			`"cursor":"x"`, `"cursor":7`))
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// meta returns the _meta of a request.
func (r mutations) meta(revision string) string {
	if r.rarely(5) {
		return r.any(`null`, `[]`, `{}`, `7`, `"x"`)
	}
	const prefix = "io.modelcontextprotocol/"
	members := []string{}
	if revision == "2026-07-28" || r.rarely(20) {
		members = append(members,
			r.member(prefix+"protocolVersion",
				r.one(`"`+revision+`"`, `"2026-07-28"`, `"2025-06-18"`, `"2027-01-01"`, `7`, `null`, `""`)),
			r.member(prefix+"clientInfo",
				r.one(`{"name":"test","version":"1"}`, `{"name":"claude","version":"2","icons":[{"src":"x","sizes":["any"]}]}`,
					`{}`, `null`, `7`,
					`{"name":7}`, `{"Name":7}`, `{"name":"a","icons":[{"src":7}]}`, `[]`, `{"name":"a","name":7}`, `{"title":{}}`)),
			r.member(prefix+"clientCapabilities",
				r.one(`{}`, `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`, `null`, `[]`, `7`,
					`{"roots":7}`, `{"Roots":7}`,
					`{"roots":{"listChanged":1}}`, `{"experimental":{"a":{}}}`, `{"experimental":[]}`, `{"sampling":{"tools":{}}}`,
					`{"sampling":7}`, `{"extensions":{"x":{}}}`)))
		if r.rarely(10) {
			members = members[:r.IntN(len(members))]
		}
	}
	for r.rarely(30) {
		members = append(members, r.any(`"progressToken":7`, `"progressToken":"p"`, `"vendor/id":"x"`, `"x":1e999`,
			`"x":-1e999`, `"x":1e308`, `"x":[1,{"y":1e400}]`, `"a":{"b":[]}`, `"a":null`,
			`"`+prefix+`logLevel":"info"`, `"`+prefix+`logLevel":7`, `"":0`, `"deep":`+r.nested(), `"a":1,"\u0061":2`))
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// value returns the value of arguments.
func (r mutations) value() string {
	return r.one(`{"a":"x"}`, `{}`, `null`, `[1]`, `"a"`, `7`, ` { "a" : 1.10 } `, `{"a":1,"a":2}`, `{"a":1e999}`,
		`{"a":"<&>\u2028\u00e9"}`, `{"a":`+r.nested()+`}`, `{"b":[{"c":null}]}`)
}

// nested returns a value near the limit of nesting, or far beyond it.
func (r mutations) nested() string {
	depth := []int{10, 505, 509, 510, 511, 512, 515, 990, 999, 1005, 2000}[r.IntN(11)]
	if r.rarely(50) {
		return strings.Repeat("[", depth) + strings.Repeat("]", depth)
	}
	return strings.Repeat(`{"n":`, depth) + "1" + strings.Repeat("}", depth)
}

// damaged returns a text with one byte added, removed or changed.
func (r mutations) damaged(text string) string {
	at := r.IntN(len(text))
	switch r.IntN(3) {
	case 0:
		return text[:at] + text[at+1:]
	case 1:
		return text[:at] + string([]byte{byte(r.IntN(256))}) + text[at:]
	}
	return text[:at] + string([]byte{byte(r.IntN(256))}) + text[at+1:]
}
