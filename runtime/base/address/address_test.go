package address_test

import (
	"net/url"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
)

func TestLoopback(t *testing.T) {
	for _, test := range []struct {
		host      string
		is, mayBe bool
	}{
		{"localhost", true, true},
		{"LocalHost", true, true},
		{"localhost.", true, true},
		{"box.localhost", false, true}, // may be looked up in the DNS
		{"box.localhost.", false, true},
		{"localhost.example", false, false},
		{"notlocalhost", false, false},
		{"127.0.0.1", true, true},
		{"127.8.9.10", true, true},
		{"128.0.0.1", false, false},
		{"127.0.0.1.example", false, false},
		{"127.1", false, false}, // not an address for package netip
		{"0.0.0.0", false, true},
		{"10.0.0.7", false, false},
		{"::1", true, true},
		{"[::1]", true, true},
		{"0:0:0:0:0:0:0:1", true, true},
		{"::1%lo", false, true},
		{"::ffff:127.0.0.1", true, true},
		{"::ffff:127.0.0.1%lo", false, true},
		{"::ffff:10.0.0.7", false, false},
		{"::ffff:0.0.0.0", false, true},
		{"::", false, true},
		{"::%lo", false, true},
		{"fe80::1", false, false},
		{"fe80::1%lo", false, false},
		{"", false, false},
	} {
		if is := address.IsLoopback(test.host); is != test.is {
			t.Errorf("IsLoopback(%q) is %t", test.host, is)
		}
		if mayBe := address.MayBeLoopback(test.host); mayBe != test.mayBe {
			t.Errorf("MayBeLoopback(%q) is %t", test.host, mayBe)
		}
	}
}

func TestParse(t *testing.T) {
	for raw, want := range map[string]struct{ parse, base error }{
		"https://data.example/a":   {nil, nil},
		"HTTP://data.example":      {nil, nil},
		"https://data.example?x":   {nil, address.HasQuery},
		"https://data.example?":    {nil, address.HasQuery},
		"https://data.example#":    {address.HasFragment, address.HasFragment},
		"https://a:b@data.example": {address.HasUser, address.HasUser},
		"https://:443":             {address.NoHost, address.NoHost},
		"data.example":             {address.NoHTTP, address.NoHTTP},
		"ftp://data.example":       {address.NoHTTP, address.NoHTTP},
		"https://data.example/%zz": {address.NoURL, address.NoURL},
	} {
		if _, err := address.Parse(raw); err != want.parse {
			t.Errorf("Parse(%q) returns %v, want %v", raw, err, want.parse)
		}
		if _, err := address.ParseBase(raw); err != want.base {
			t.Errorf("ParseBase(%q) returns %v, want %v", raw, err, want.base)
		}
	}
}

func TestSpellings(t *testing.T) {
	for raw, want := range map[string]struct{ canonical, hostPort, wellKnown string }{
		"HTTPS://Data.Example:443/": {"https://data.example", "Data.Example:443", "https://Data.Example:443/.well-known/x"},
		"http://[::1]:80/a%2Fb/":    {"http://[::1]/a%2Fb", "[::1]:80", "http://[::1]:80/.well-known/x/a%2Fb"},
		"http://data.example:443": {
			"http://data.example:443", "data.example:443",
			"http://data.example:443/.well-known/x",
		},
		"https://data.example:/a?b=": {
			"https://data.example/a?b=", "data.example:443",
			"https://data.example:/.well-known/x/a",
		},
	} {
		parsed, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := address.Canonical(parsed); got != want.canonical {
			t.Errorf("%s becomes %s, want %s", raw, got, want.canonical)
		}
		if got := address.HostPort(parsed); got != want.hostPort {
			t.Errorf("%s is dialled at %s, want %s", raw, got, want.hostPort)
		}
		if got := address.WellKnown(parsed, "x"); got != want.wellKnown {
			t.Errorf("%s has its metadata at %s, want %s", raw, got, want.wellKnown)
		}
	}
}
