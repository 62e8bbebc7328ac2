//go:build !linux

package child

import "time"

// Other systems have the limits of time and size alone (docs/security.md).

func limitProcess(time.Duration) error { return nil }

func closeFiles() error { return nil }
