package auth

// Paths below the public origin (interfaces.md, Hosted routes).
const (
	MCPPath              = "/mcp"
	IconPath             = "/icon.svg"
	ResourceMetadataPath = "/.well-known/oauth-protected-resource"
	MCPMetadataPath      = ResourceMetadataPath + MCPPath // RFC 9728, section 3.1
)
