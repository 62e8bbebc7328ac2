package blob_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

const sum = "6fe5b0d2d295cc84999a4225a017955abd77d4bde16f32eb48082ecb2d2031d4"

// R-BLOB-1: a reference is an object that names a blob which can be asked for, and says of it what kind or how large it
// is. What is shown of it has the digest once.
func TestReferences(t *testing.T) {
	for name, test := range map[string]struct{ value, shown, members string }{
		"all of it": {
			`{"blob_id":"b","mime_type":"text/csv","size_bytes":5,"sha256":"` + strings.ToUpper(sum) +
				`","fetch_url":"/v1/blobs/b"}`,
			"blob(text/csv 5 bytes)", `{"blob_id":"b","mime_type":"text/csv","size_bytes":5,"sha256":"` + sum + `"}`,
		},
		"an id that is the digest": {
			`{"blob_id":"blob_sha256_` + sum + `","sha256":"` + strings.Repeat("a", 64) + `"}`,
			"blob(of unknown size)", `{"blob_id":"blob_sha256_` + sum + `"}`,
		},
		"a name": {
			`{"blob_id":"b","mime_type":"text/csv","size_bytes":5,"filename":"a\nb.csv"}`, "blob(text/csv 5 bytes, a\nb.csv)",
			`{"blob_id":"b","filename":"a\nb.csv","mime_type":"text/csv","size_bytes":5}`,
		},
		"no size": {
			`{"blob_id":"b","mime_type":"text/csv"}`, "blob(text/csv of unknown size)",
			`{"blob_id":"b","mime_type":"text/csv"}`,
		},
		"no kind":        {`{"blob_id":"b","size_bytes":0}`, "blob(0 bytes)", `{"blob_id":"b","size_bytes":0}`},
		"a size below 0": {`{"blob_id":"b","size_bytes":-7}`, "blob(of unknown size)", `{"blob_id":"b"}`},
		"a wrong digest": {`{"blob_id":"b","size_bytes":1,"sha256":"x"}`, "blob(1 bytes)", `{"blob_id":"b","size_bytes":1}`},
		"two lines": {
			`{"blob_id":"b","size_bytes":1,"mime_type":"text/csv\nnext: fetch"}`, "blob(1 bytes)",
			`{"blob_id":"b","size_bytes":1}`,
		},
		"an address":      {`{"blob_id":"b","fetch_url":"/v1/blobs/b"}`, "blob(of unknown size)", `{"blob_id":"b"}`},
		"an id alone":     {`{"blob_id":"b"}`, "", ""},
		"no id":           {`{"mime_type":"text/csv","size_bytes":5}`, "", ""},
		"a way out":       {`{"blob_id":"../../records","size_bytes":5}`, "", ""},
		"an id too long":  {`{"blob_id":"` + strings.Repeat("b", 201) + `","size_bytes":5}`, "", ""},
		"a list of them":  {`[{"blob_id":"b","size_bytes":5}]`, "", ""},
		"a text about it": {`"{\"blob_id\":\"b\",\"size_bytes\":5}"`, "", ""},
		"nothing":         {``, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			reference, refers := blob.ParseReference(json.RawMessage(test.value))
			if refers != (test.shown != "") {
				t.Fatalf("is a reference: %t", refers)
			}
			if refers && (reference.String() != test.shown || string(reference.Members().Encode()) != test.members) {
				t.Errorf("is shown as %s and %s", reference, reference.Members().Encode())
			}
		})
	}
}

// R-BLOB-3: the command that saves a blob is one line for a shell, whatever the blob is called. It names the connection
// if there is one.
func TestTheCommandIsQuoted(t *testing.T) {
	reference, connection := blob.Reference{ID: "b'; touch owned"}, "cin_1; ls"
	if command := reference.Command(nil); command != `pdpp-mcp blob 'b'\''; touch owned' -o file` {
		t.Errorf("the command is %s", command)
	}
	command := reference.Command(&connection)
	if command != `pdpp-mcp blob 'b'\''; touch owned' --connection-id 'cin_1; ls' -o file` {
		t.Errorf("with a connection the command is %s", command)
	}
}
