package resource_test

import "testing"

func TestBlob(t *testing.T) {
	f := newFixture(t)
	const content = "%PDF-1.4 invoice"
	for name, test := range map[string]struct {
		method, token, target string
		header                []string
	}{
		"client":                {"GET", personalToken, "blob_invoice", nil},
		"of two connections":    {"GET", bothToken, "blob_invoice?connection_id=" + personal, nil},
		"owner":                 {"GET", ownerToken, "blob_invoice?connector_id=mail", nil},
		"range is not honoured": {"GET", personalToken, "blob_invoice", []string{"Range", "bytes=0-3"}},
		"bad range":             {"GET", personalToken, "blob_invoice", []string{"Range", "bytes=99-1"}},
		"unreferred, owner":     {"GET", ownerToken, "blob_orphan?connector_id=mail", nil},
	} {
		a := f.send(test.method, test.token, "/v1/blobs/"+test.target, "", test.header...)
		if a.Code != 200 || name != "unreferred, owner" && a.Body.String() != content {
			t.Errorf("%s: answered %d %q", name, a.Code, a.Body)
		}
		if a.Header().Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: headers %v", name, a.Header())
		}
	}
	head := f.send("HEAD", personalToken, "/v1/blobs/blob_invoice", "")
	if head.Code != 200 || head.Header().Get("Content-Length") != "16" ||
		head.Header().Get("Content-Type") != "application/pdf" {
		t.Errorf("HEAD: answered %d %v", head.Code, head.Header())
	}
}

func TestMissingBlobs(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct{ token, target string }{
		"unknown":                {personalToken, "blob_00"},
		"of another connection":  {personalToken, "blob_secret"},
		"stream not granted":     {narrowToken, "blob_invoice"},
		"reference not granted":  {unlinkedToken, "blob_invoice"},
		"no record refers to it": {personalToken, "blob_orphan"},
		"not of that connection": {bothToken, "blob_invoice?connection_id=" + work},
	} {
		a := f.send("GET", test.token, "/v1/blobs/"+test.target, "")
		if a.Code != 404 || a.text("error.code") != "blob_not_found" {
			t.Errorf("%s: answered %d %s", name, a.Code, a.Body)
		}
	}
}
