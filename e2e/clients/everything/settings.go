//go:build conformance

package main

import "flag"

// settings are the flags. Two of them are those of the SDK's conformance server, which come with the fixtures.
type settings struct {
	listen                 string
	bearer                 string // which every request gets, since the suite cannot send one
	provider               string // its authorization server is at the same origin
	introspection          string
	clientID, clientSecret string // of introspection; a sandbox made them up
	stateless              bool
}

func readSettings() settings {
	var s settings
	flag.StringVar(&s.bearer, "bearer", "", "bearer of every request")
	flag.StringVar(&s.provider, "provider-url", "", "origin of the sandbox")
	flag.StringVar(&s.introspection, "introspection-url", "", "its introspection endpoint")
	flag.StringVar(&s.clientID, "introspection-client-id", "", "who asks there")
	flag.StringVar(&s.clientSecret, "introspection-client-secret", "", "its secret")
	flag.Parse()
	s.listen, s.stateless = *httpAddr, *stateless
	return s
}
