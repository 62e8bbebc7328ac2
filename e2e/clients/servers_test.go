//go:build clients

package clients_test

// servers are the two that the documented commands add, under their names.
var servers = []struct{ name, channel string }{
	{"pdpp", "stdio"},
	{"pdpp-hosted", "http"},
}

// seenCalls are the calls that a scripted model makes of each server: one whose answer continues, and one that is
// refused.
var seenCalls = []call{
	{"search", `{"q":"overdraft","limit":2}`},
	{"fetch", `{"id":"nowhere"}`},
}
