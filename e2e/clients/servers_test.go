//go:build clients

package clients_test

// servers are the two that the documented commands add, under the names that they give.
var servers = []struct{ name, channel string }{
	{"pdpp", "stdio"},
	{"pdpp-hosted", "http"},
}

// seenCalls are what a played model asks of each server: an answer with a continuation, and a refusal.
var seenCalls = []call{
	{"search", `{"q":"overdraft","limit":2}`},
	{"fetch", `{"id":"nowhere"}`},
}
