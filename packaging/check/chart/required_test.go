package chart_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// missing returns the members that an object lacks and that its type requires: by the convention of the Kubernetes API those
// that are written even when they are empty. A decoder does not miss them.
func missing(value any, of reflect.Type, place string) (names []string) {
	switch members, isObject := value.(map[string]any); {
	case of.Kind() == reflect.Pointer:
		return missing(value, of.Elem(), place)
	case of.Kind() == reflect.Slice:
		each, _ := value.([]any)
		for i := range each {
			names = append(names, missing(each[i], of.Elem(), fmt.Sprintf("%s[%d]", place, i))...)
		}
	case of.Kind() == reflect.Map && isObject:
		for name := range members {
			names = append(names, missing(members[name], of.Elem(), place+"."+name)...)
		}
	case of.Kind() == reflect.Struct && isObject:
		for i := range of.NumField() {
			field := of.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			inside, present := members[name]
			switch {
			case options == "inline" || name == "" && field.Anonymous:
				names = append(names, missing(value, field.Type, place)...)
			case present:
				names = append(names, missing(inside, field.Type, place+"."+name)...)
			case name != "" && name != "-" && options == "":
				names = append(names, place+"."+name)
			}
		}
	}
	return names
}

// Covers R-OPS-4: nothing that the API requires is missing from what the chart renders, and if it were it would be seen.
func TestRequiredMembers(t *testing.T) {
	rendered, err := render(chart, "production", []string{everything})
	if err != nil {
		t.Fatal(err)
	}
	for lost, want := range map[string]string{
		"  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: production-pdpp-mcp}\n": "HorizontalPodAutoscaler.spec.scaleTargetRef",
		"  maxReplicas: 12\n":        "HorizontalPodAutoscaler.spec.maxReplicas",
		", containerPort: 8788":      "Deployment.spec.template.spec.containers[0].ports[0].containerPort",
		", mountPath: /etc/pdpp-mcp": "Deployment.spec.template.spec.containers[0].volumeMounts[0].mountPath",
	} {
		without := strings.Replace(rendered, lost, "", 1)
		if without == rendered {
			t.Fatalf("the chart does not render %q", lost)
		}
		if _, err := objects(without); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %q: %v, want %s", lost, err, want)
		}
	}
}
