package mcphost

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// These tests hold the promise of setup: nothing but its own entry changes. They compare text and values by
// their own means, not with the code that makes the change.

var (
	localServer = Server{
		Name: "pdpp", Command: "/opt/pdpp/pdpp-mcp",
		Arguments: []string{"stdio", "--provider-url", "https://data.example"},
	}
	hostedServer = Server{Name: "pdpp", URL: "https://data.example/mcp"}
)

// document generates JSON objects, with comments and trailing commas if the host reads them.
type document struct {
	t        *rapid.T
	comments bool
	newline  string
	unit     string
	kept     *[]string // text of members that must be there afterwards, letter by letter
}

func (d document) gap(depth int) string {
	gap := ""
	if d.newline != "" {
		gap = d.newline + strings.Repeat(d.unit, depth)
	}
	if d.comments && d.newline != "" && rapid.IntRange(0, 4).Draw(d.t, "comment") == 0 {
		gap += "// " + rapid.StringMatching(`[a-z {}",:]{0,12}`).Draw(d.t, "remark") + d.newline +
			strings.Repeat(d.unit, depth)
	}
	if d.comments && rapid.IntRange(0, 9).Draw(d.t, "block") == 0 {
		gap += "/* , } */"
	}
	return gap
}

func (d document) value(depth int) string {
	switch kind := rapid.IntRange(0, 6).Draw(d.t, "kind"); {
	case kind == 0:
		return "null"
	case kind == 1:
		return rapid.SampledFrom([]string{"0", "-1.50", "1e400", "12345678901234567890"}).Draw(d.t, "number")
	case kind == 2 && depth < 4:
		items := []string{}
		for range rapid.IntRange(0, 3).Draw(d.t, "items") {
			items = append(items, d.gap(depth+1)+d.value(depth+1))
		}
		return "[" + strings.Join(items, ",") + d.gap(depth) + "]"
	case kind == 3 && depth < 4:
		return d.object(depth, nil)
	}
	return d.text()
}

func (d document) text() string {
	encoded, err := json.Marshal(rapid.StringMatching(`[ -~äß€\n\\"]{0,12}`).Draw(d.t, "text"))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(encoded)
}

// object has the given members among others, in random order.
func (d document) object(depth int, fixed map[string]string) string {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`k[a-z]{1,3}`), 0, 3, rapid.ID[string]).Draw(d.t, "names")
	for name := range fixed {
		names = append(names, name)
	}
	slices.Sort(names)
	names = rapid.Permutation(names).Draw(d.t, "order")
	var members []string
	for _, name := range names {
		value, ok := fixed[name]
		if !ok {
			value = d.value(depth + 1)
			*d.kept = append(*d.kept, `"`+name+`": `+value)
		}
		before := ""
		if rapid.Bool().Draw(d.t, "space before comma") {
			before = " "
		}
		members = append(members, d.gap(depth+1)+`"`+name+`": `+value+before)
	}
	text := "{" + strings.Join(members, ",")
	if d.comments && len(members) > 0 && rapid.Bool().Draw(d.t, "comma at the end") {
		text += ","
	}
	return text + d.gap(depth) + "}"
}

// draw generates a host's file: without servers, with other servers, or with an entry of the adapter.
func (d document) draw(section string) string {
	fixed := map[string]string{}
	switch rapid.IntRange(0, 2).Draw(d.t, "servers") {
	case 1:
		fixed[section] = d.object(1, nil)
	case 2:
		entry := map[string]string{}
		own := d
		own.kept = new([]string) // may go
		for _, name := range []string{"type", "command", "args", "url", "httpUrl", "env"} {
			if rapid.Bool().Draw(d.t, name) {
				entry[name] = own.value(3)
			}
		}
		fixed[section] = d.object(1, map[string]string{"pdpp": d.object(2, entry)})
	}
	return d.object(0, fixed) + d.newline
}

func TestJSONChangesNothingElse(t *testing.T) {
	for _, host := range Hosts() {
		format, ok := host.format.(jsonFormat)
		if !ok {
			continue
		}
		t.Run(host.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var kept []string
				content := []byte(document{
					t: t, kept: &kept, comments: format.comments && rapid.Bool().Draw(t, "comments"),
					newline: rapid.SampledFrom([]string{"", "\n", "\r\n"}).Draw(t, "newline"),
					unit:    rapid.SampledFrom([]string{"  ", "\t", "    "}).Draw(t, "unit"),
				}.draw(host.section))
				checkChange(t, host, content, kept)
			})
		})
	}
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// checkChange sets up both kinds of server and checks the results.
func checkChange(t failer, host Host, content []byte, kept []string) {
	t.Helper()
	for _, server := range []Server{localServer, hostedServer} {
		if server.URL != "" && !host.Remote() {
			continue
		}
		wanted := host.settings(server)
		changed, err := host.format.change(content, host.section, server.Name, wanted)
		if err != nil {
			t.Fatalf("change %q: %v", content, err)
		}
		before, after := outside(t, host, content), outside(t, host, changed)
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("something else changed in\n%s\nto\n%s", content, changed)
		}
		if !changesOnlyEntry(host.format, content, changed, host.section, server.Name, wanted) {
			t.Fatalf("not faithful:\n%s\nto\n%s", content, changed)
		}
		for _, text := range kept {
			if !bytes.Contains(changed, []byte(text)) {
				t.Fatalf("%s is gone from\n%s\nto\n%s", text, content, changed)
			}
		}
		again, err := host.format.change(changed, host.section, server.Name, wanted)
		if err != nil || !bytes.Equal(again, changed) {
			t.Fatalf("a second run changes\n%s\nto\n%s (%v)", changed, again, err)
		}
	}
}

// outside returns the document without the members that setup may set.
func outside(t failer, host Host, content []byte) map[string]any {
	t.Helper()
	decoded, err := host.format.decode(content)
	if err != nil {
		t.Fatalf("decode %q: %v", content, err)
	}
	servers, _ := decoded[host.section].(map[string]any)
	if entry, ok := servers["pdpp"].(map[string]any); ok {
		for _, name := range []string{"type", "command", "args", "url", "httpUrl"} {
			if name != "type" && name != "httpUrl" ||
				slices.ContainsFunc(host.settings(hostedServer), func(s setting) bool { return s.name == name }) {
				delete(entry, name)
			}
		}
		if len(entry) == 0 {
			delete(servers, "pdpp")
		}
	}
	if len(servers) == 0 {
		delete(decoded, host.section)
	}
	return decoded
}
