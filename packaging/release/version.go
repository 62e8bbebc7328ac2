package main

import (
	"fmt"
	"regexp"
	"strings"
)

// semantic is Semantic Versioning 2.0.0 without build metadata, which npm drops.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

var bareCommit = regexp.MustCompile(`^[0-9a-f]{7,40}(-dirty)?$`)

// semanticVersion turns the output of git describe into a version: v1.2.3 at a tag, v1.2.3-4-gabcdef0 after one, and a
// pre-release of 0.0.0 from the commit in a repository without tags.
func semanticVersion(described string) (string, error) {
	version := strings.TrimPrefix(described, "v")
	if bareCommit.MatchString(version) {
		version = "0.0.0-g" + version
	}
	if !semantic.MatchString(version) {
		return "", fmt.Errorf("-version %q is no version; pass one such as v1.2.3, or a commit", described)
	}
	return version, nil
}
