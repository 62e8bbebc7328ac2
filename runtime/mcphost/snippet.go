package mcphost

// Snippet is a whole configuration with nothing but the server, to be pasted by hand.
func (h Host) Snippet(server Server) (string, error) {
	if err := h.check(server); err != nil {
		return "", err
	}
	content, err := h.format.change(nil, server.Name, h.spell(server))
	if err != nil {
		return "", &Error{Path: server.Name, Message: "the configuration could not be made: " + err.Error(), Cause: err}
	}
	return string(content), nil
}

func (h Host) check(server Server) error {
	if err := server.Check(); err != nil {
		return err
	}
	if server.URL != "" && !h.Remote() {
		return usage(h.Title+" does not take a hosted server from its file",
			"add the URL in its settings, under Connectors, or set up this binary with --provider-url")
	}
	return nil
}
