//go:build !linux

package faulttest

import "net"

// reserve returns a loopback address that is free. Other systems than Linux may give it to others before it is listened
// on.
func reserve() (address string, release func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	return listener.Addr().String(), func() {}, listener.Close()
}
