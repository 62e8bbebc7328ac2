package rawjson_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Members keep their order, their spelling and their duplicates.
func TestParseObjectKeepsSpelling(t *testing.T) {
	document := `{ "b" : 1.10 , "a":[1, 2,{"x":"]}"}], "b":"\u00e9", "é":null, "n":12345678901234567890,"o":{} }`
	compact, err := rawjson.Compact([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	object, ok := rawjson.ParseObject(compact)
	if !ok {
		t.Fatal("not an object")
	}
	want := `{"b":1.10,"a":[1,2,{"x":"]}"}],"b":"\u00e9","é":null,"n":12345678901234567890,"o":{}}`
	if got := string(object.Encode()); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if object.Get("é") != nil || object.Get("none") != nil || string(object.Get("b")) != "1.10" {
		t.Error("Get")
	}
}

// Quote does not escape for HTML.
func TestQuote(t *testing.T) {
	if got := string(rawjson.Quote("<a & b>\n\"q\"\xff")); got != `"<a & b>\n\"q\"\ufffd"` {
		t.Error(got)
	}
}

func isValid(document []byte) bool { return rawjson.Check(document, 10_000) == nil }

// A byte has the same effect at every position of a text, whether it is read in a word or alone.
func TestBytesAtEveryPosition(t *testing.T) {
	for length := range 20 {
		for at := range length {
			for value := range 256 {
				text := []byte(strings.Repeat("a", length))
				text[at] = byte(value)
				if got, want := rawjson.IsPrintableASCII(text), value >= ' ' && value <= '~'; got != want {
					t.Errorf("%q: printable %v, want %v", text, got, want)
				}
				if got, want := isValid([]byte(`"`+string(text)+`"`)), json.Valid([]byte(`"`+string(text)+`"`)); got != want {
					t.Errorf("%q: valid %v, want %v", text, got, want)
				}
				if got := rawjson.Quote(string(text)); !json.Valid(got) {
					t.Errorf("%q is quoted %s", text, got)
				}
			}
		}
	}
}

// Check, Compact and Quote agree with package json.
func FuzzAgreesWithPackageJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` [ 1 , -0.5e+3 ] `, `"\u00e9\n\ud800"`, `{"a":{"b":[true,false,null]}}`, `01`, `-`, `1.`, `1e`, `"\x"`,
		`{"a" 1}`, `[1,]`, `{,}`,
		"\"\t\"", `tru`, `nulll`, `"a`, "\"\u2028<&>\x7f\"", "[\"\\\\\" , \"\\\"\"]", ``, ` `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		valid := json.Valid(document)
		if got := isValid(document); got != valid {
			t.Fatalf("%q: valid %v, package json says %v", document, got, valid)
		}
		strict, strictErr := rawjson.Unambiguous(t.Context(), document, 100)
		got, err := rawjson.Compact(document)
		if strictErr == nil && string(strict) != string(got) || err != nil && strictErr == nil {
			t.Errorf("%q: %q (%v) if it has to be unambiguous, otherwise %q (%v)", document, strict, strictErr, got, err)
		}
		if (err == nil) != (valid && utf8.Valid(document)) && !errors.Is(err, rawjson.ErrInvalidName) {
			t.Fatalf("%q: %v", document, err)
		}
		var want bytes.Buffer
		if err == nil && (json.Compact(&want, document) != nil || want.String() != string(got)) {
			t.Errorf("%q became %q, want %q", document, got, want.String())
		}
		var quoted bytes.Buffer
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(string(document)); err != nil {
			t.Fatal(err)
		}
		if got := string(rawjson.Quote(string(document))) + "\n"; got != quoted.String() {
			t.Errorf("%q is quoted as %s, want %s", document, got, quoted.String())
		}
		if got := string(rawjson.AppendEscaped([]byte{'"'}, document)) + "\"\n"; got != quoted.String() {
			t.Errorf("%q is escaped as %s, want %s", document, got, quoted.String())
		}
	})
}

// Check has the maximum depth of package json.
func TestNestingIsBounded(t *testing.T) {
	for _, depth := range []int{9_999, 10_000, 10_001, 1_000_000} {
		document := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if got, want := isValid(document), json.Valid(document); got != want {
			t.Errorf("depth %d: valid %v, package json says %v", depth, got, want)
		}
	}
}

// A document without whitespace is not copied.
func TestCompactDoesNotCopyDenseDocuments(t *testing.T) {
	document := []byte(`{"a":[1,"b c"]}`)
	if got, err := rawjson.Compact(document); err != nil || &got[0] != &document[0] {
		t.Errorf("%s (%v)", got, err)
	}
}

// A document that is parsed and encoded again keeps its meaning at every level.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"a":[{"b":"\\\""},-1e5,true]}`, `[[],{},"",null]`, `"x"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		compact, err := rawjson.Compact(document)
		if err != nil {
			return
		}
		if object, ok := rawjson.ParseObject(compact); ok != (compact[0] == '{') || ok && !json.Valid(object.Encode()) {
			t.Errorf("object of %s", document)
		}
		if elements, ok := rawjson.Elements(compact); ok != (compact[0] == '[') || ok &&
			!bytes.Equal(rawjson.Array(elements), compact) {
			t.Errorf("array of %s", document)
		}
	})
}

// walked returns a value as written again from all values that a cursor reads in it.
func walked(c rawjson.Cursor) string { return walk(&c) }

func walk(c *rawjson.Cursor) string {
	switch c.Kind() {
	case rawjson.ObjectValue:
		var members []string
		for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
			name := string(rawjson.Quote(string(c.Name())))
			members = append(members, name+":"+walk(c))
		}
		return "{" + strings.Join(members, ",") + "}"
	case rawjson.ArrayValue:
		var elements []string
		for inside := c.Enter(rawjson.ArrayValue); inside && c.More(); {
			elements = append(elements, walk(c))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	return string(c.Value())
}

// otherKind returns object or array, whichever a document is not.
func otherKind(document []byte) rawjson.ValueKind {
	if document[0] == '{' {
		return rawjson.ArrayValue
	}
	return rawjson.ObjectValue
}

// A cursor reads every value of a checked document once and in order, with and without whitespace.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` [ ] `, `{"a":[{"b":"\\\""},-1e5,true], "c" : {} }`, `[[],{},"",null]`, `"x"`,
		`{"\u0061":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		compact, err := rawjson.Compact(document)
		if err != nil {
			return
		}
		spaced, dense := walked(rawjson.NewCursor(document)), walked(rawjson.NewCursor(compact))
		if spaced != dense || !json.Valid([]byte(dense)) || !bytes.Contains(compact, []byte(`\`)) &&
			dense != string(compact) {
			t.Errorf("%s is walked as %s and, without spaces, as %s", document, spaced, dense)
		}
		c := rawjson.NewCursor(document)
		if start := c.At(); c.Enter(otherKind(compact)) || string(c.Since(start)) != string(bytes.TrimSpace(document)) {
			t.Errorf("Enter of another kind does not read all of %s", document)
		}
	})
}

// Unchecked bytes cause no panic.
func FuzzUncheckedBytes(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{,}`, `[`, `[,`, `[[`, `"\`, `"`,
		`{"\":1}`, `{1:2}`, `]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, value []byte) {
		rawjson.ParseObject(value)
		walked(rawjson.NewCursor(value))
		rawjson.Elements(value)
		rawjson.Text(value)
		rawjson.Kind(value)
	})
}

// Reads from an object, and changes of a copy.
func TestObjectMembers(t *testing.T) {
	object, ok := rawjson.ParseObject([]byte(`{"a":"x","n":7,"t":true,"f":1.5,"z":null,"e":""}`))
	if !ok {
		t.Fatal("not an object")
	}
	number, isNumber := object.Int("n")
	_, isInteger := object.Int("f")
	if number != 7 || !isNumber || isInteger || !object.True("t") || object.True("a") || object.Text("n") != "" ||
		object.FirstText("z", "e", "a") != "x" {
		t.Errorf("read of %s: %d %v %v", object.Encode(), number, isNumber, isInteger)
	}
	for _, test := range []struct {
		changed rawjson.Object
		want    string
	}{
		{object.With("n", rawjson.Quote("y")), `{"a":"x","n":"y","t":true,"f":1.5,"z":null,"e":""}`},
		{object.With("new", rawjson.Value("[1]")), `{"a":"x","n":7,"t":true,"f":1.5,"z":null,"e":"","new":[1]}`},
		{object.Without("a", "z", "none"), `{"n":7,"t":true,"f":1.5,"e":""}`},
		{rawjson.Object{rawjson.Strings("s", nil)}, `{"s":[]}`},
		{object, `{"a":"x","n":7,"t":true,"f":1.5,"z":null,"e":""}`},
	} {
		if got := string(test.changed.Encode()); got != test.want {
			t.Errorf("%s, not %s", got, test.want)
		}
	}
}

// The members of one object are not those of another, whichever names they share.
func TestParseRows(t *testing.T) {
	values := []rawjson.Value{
		rawjson.Value(`{}`), rawjson.Value(`{"a":1,"b":"x"}`), nil, rawjson.Value(`[1]`),
		rawjson.Value(`{"a":2,"b":"y","c":null}`),
		rawjson.Value(`{"b":3,"a":4}`), rawjson.Value(`null`), rawjson.Value(`{"b":5}`),
		rawjson.Value(`{"a":{},"data":{"a":6,"data":{"c":1}},"b":7}`), rawjson.Value(`{"data":null,"a":1}`),
		rawjson.Value(`{"a":1,"data": {"a":8,"d":[{}]} }`), rawjson.Value(`{"data":[{"a":1}]}`),
	}
	for i, got := range rawjson.ParseRows(values) {
		want, isObject := rawjson.ParseObject(values[i])
		if (got.Members != nil) != isObject || string(got.Members.Encode()) != string(want.Encode()) {
			t.Errorf("%s: %s", values[i], got.Members.Encode())
		}
		data, hasData := rawjson.ParseObject(want.Get("data"))
		if (got.Data != nil) != hasData || string(got.Data.Encode()) != string(data.Encode()) {
			t.Errorf("%s: data %s", values[i], got.Data.Encode())
		}
		_ = append(got.Members, rawjson.Bool("appended", true)) // must not reach the next object
		_ = append(got.Data, rawjson.Bool("appended", true))
	}
}

// R-ERR-9: the members of the first of many objects do not decide the memory for all.
func TestParseRowsNeedLittleMemory(t *testing.T) {
	values := []rawjson.Value{rawjson.Value(`{` + strings.Repeat(`"":1,`, rawjson.MaxMembers-1) + `"":1}`)}
	for range 99 {
		values = append(values, rawjson.Value(`{}`))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rawjson.ParseRows(values)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes", used)
	}
}

// R-ERR-4, R-ERR-9: the fault of a document that is not JSON is not taken for another one.
func TestFaults(t *testing.T) {
	for document, want := range map[string]error{
		`{"a":1,"\u0061":2}`:                rawjson.ErrRepeatedName,
		`{"a":{"b":1},"c":{"b":1}}`:         nil,
		`{"ab":1,"":2,"b":3,"":4}`:          rawjson.ErrRepeatedName,
		manyMembers(99, `"7":1`):            rawjson.ErrRepeatedName,
		manyMembers(7, `"7":1`):             nil,
		`{"a":1,}`:                          rawjson.ErrInvalid,
		`{"\ud83d":1}`:                      rawjson.ErrInvalidName,
		`{"\ud83d\ude00":"\ud83d"}`:         nil,
		`{"\d":1}`:                          rawjson.ErrInvalid,
		`<script>x={"it\'s": 1}</script>`:   rawjson.ErrInvalid,
		`{"a":[[[1]]]}`:                     rawjson.ErrTooDeep,
		`{"a":"[[[[","b":"]]]]"}`:           nil,
		`<p>[[[[`:                           rawjson.ErrInvalid,
		`{}[[[[`:                            rawjson.ErrInvalid,
		`"a"[[[[`:                           rawjson.ErrInvalid,
		` [[[]]] `:                          nil,
		`[1:2]`:                             rawjson.ErrInvalid,
		`{"a":1]`:                           rawjson.ErrInvalid,
		`]{}`:                               rawjson.ErrInvalid,
		`{}{}`:                              rawjson.ErrInvalid,
		`{"a":"\"`:                          rawjson.ErrInvalid,
		``:                                  rawjson.ErrInvalid,
		manyMembers(rawjson.MaxMembers):     nil,
		manyMembers(rawjson.MaxMembers + 1): rawjson.ErrTooManyMembers,
		`[` + manyMembers(20_000) + `,`:     rawjson.ErrTooManyMembers,
		`[{"a":"` + strings.Repeat(`:`, 20_000) + `"}]`: nil,
	} {
		if _, err := rawjson.Unambiguous(t.Context(), []byte(document), 3); err != want {
			t.Errorf("%.40s: %v, want %v", document, err, want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := rawjson.Unambiguous(ended, []byte(manyMembers(9_000)), 3); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
}

// manyMembers returns an object with members of different names, and the others.
func manyMembers(count int, others ...string) string {
	members := make([]string, count)
	for i := range members {
		members[i] = fmt.Sprintf(`"%d":1`, i)
	}
	return "{" + strings.Join(append(members, others...), ",") + "}"
}

func TestReturnedBuffersAreEmpty(t *testing.T) {
	buffer := rawjson.Borrow()
	*buffer = append(*buffer, "a record"...)
	content := *buffer
	rawjson.Return(buffer)
	if len(*buffer) != 0 || strings.Trim(string(content), "\x00") != "" {
		t.Errorf("%q stays in a returned buffer", content)
	}
}
