package main

import (
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// clearText says whether a token may be sent over plain http to another machine. It may not, unless whoever
// runs the command trusts the network between.
type clearText struct{ allowed bool }

const allowPlainHTTP = "allow-plain-http"

func (c *clearText) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&c.allowed, allowPlainHTTP, false, "send tokens over plain http to another machine too, in a private network")
	readsVariable(flags, allowPlainHTTP, "PDPP_ALLOW_PLAIN_HTTP")
}

// refuse says no to an address over which a token would be readable on its way. What the address is for begins
// the message.
func (c *clearText) refuse(what, address string) error {
	if c.allowed {
		return nil
	}
	return credential.RefuseClearText(what, address)
}
