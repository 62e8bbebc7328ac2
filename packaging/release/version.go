package main

import (
	"fmt"
	"regexp"
	"strings"
)

// semantic is Semantic Versioning 2.0.0 without build metadata, which npm drops.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

var bareCommit = regexp.MustCompile(`^[0-9a-f]{7,40}(-dirty)?$`)

// semanticVersion makes a version of what git describe says: v1.2.3 at a tag, v1.2.3-4-gabcdef0 after one,
// and the commit alone in a repository without tags, which comes before every release.
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
