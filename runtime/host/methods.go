package host

// methodKind is what the SDK wants of a message with a known method.
type methodKind struct {
	isNotification bool
	wantsParams    bool
}

// methods are those that the SDK knows, and methods that begin a feature which this server has not, such as prompts, too.
// Over HTTP the SDK refuses the others, and known ones in the wrong form, without the id of the message; a test holds this
// list to it. It leaves out methodListen, since there is nothing to listen to.
var methods = map[string]methodKind{
	"completion/complete":       {wantsParams: true},
	methodInitialize:            {wantsParams: true},
	"logging/setLevel":          {wantsParams: true},
	"ping":                      {},
	"prompts/get":               {wantsParams: true},
	"prompts/list":              {},
	"resources/list":            {},
	methodReadResource:          {wantsParams: true},
	"resources/subscribe":       {wantsParams: true},
	"resources/templates/list":  {},
	"resources/unsubscribe":     {wantsParams: true},
	"server/discover":           {},
	methodCall:                  {wantsParams: true},
	"tools/list":                {},
	methodCancelled:             {isNotification: true},
	"notifications/initialized": {isNotification: true},
	"notifications/progress":    {isNotification: true, wantsParams: true},

	"notifications/roots/list_changed": {isNotification: true},
}

const (
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"

	// methodListen opens a stream of changes, of which there are none here.
	methodListen = "subscriptions/listen"
)
