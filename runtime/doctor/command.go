package doctor

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// namedRoot is the cache root as the commands that mend something have to name it.
func (o *Options) namedRoot() string {
	if o.CacheRoot == "" { // the token was passed
		return ""
	}
	return (&credential.Cache{Root: o.CacheRoot}).NamedRoot()
}

func curl(address string) string { return "curl -s " + commandline.Word(address) }

func (e *examination) connectCommand() string {
	return commandline.Connect(e.provider, e.options.namedRoot())
}

// again is for what only the provider, the network or time can mend.
func (e *examination) again() string { return e.options.doctorCommand(e.provider) }

func (o *Options) doctorCommand(provider string) string {
	return commandline.Read("doctor", provider, o.namedRoot())
}
