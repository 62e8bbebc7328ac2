// Package view bundles the page that a host shows next to a result (R-VIEW-1): its script, its style and the chart
// library in one HTML document, which loads nothing.
package view

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

//go:embed source
var source embed.FS

// Document returns the page as HTML. The same source produces the same bytes.
func Document() ([]byte, error) {
	page, err := source.ReadFile("source/view.html")
	if err != nil {
		return nil, err
	}
	script, err := bundled("view.js", api.LoaderJS)
	if err != nil {
		return nil, err
	}
	style, err := bundled("style.css", api.LoaderCSS)
	if err != nil {
		return nil, err
	}
	licence, err := source.ReadFile("source/uplot/LICENSE")
	if err != nil {
		return nil, err
	}
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'", hashOf(script), hashOf(style))
	document := strings.NewReplacer("{{policy}}", policy, "{{style}}", style, "{{script}}", script).Replace(string(page))
	return []byte(strings.Replace(document, "<html",
		"<!-- The charts are drawn by uPlot (https://github.com/leeoniya/uPlot):\n"+string(licence)+"-->\n<html", 1)), nil
}

// bundled returns a minified file with everything that it imports.
func bundled(name string, loader api.Loader) (string, error) {
	content, err := source.ReadFile("source/" + name)
	if err != nil {
		return "", err
	}
	result := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: string(content), Sourcefile: name, Loader: loader},
		Bundle: true, Write: false, Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		LegalComments:    api.LegalCommentsNone,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Plugins: []api.Plugin{embedded},
	})
	if len(result.Errors) > 0 {
		first := result.Errors[0]
		return "", fmt.Errorf("generator/view/source/%s: %s", name, first.Text)
	}
	text := strings.TrimSpace(string(result.OutputFiles[0].Contents))
	if strings.Contains(strings.ToLower(text), "</script") || strings.Contains(strings.ToLower(text), "</style") {
		return "", fmt.Errorf("generator/view/source/%s closes the element that holds it", name)
	}
	return text, nil
}

// embedded resolves imports in the embedded files, and nowhere else.
var embedded = api.Plugin{Name: "embedded", Setup: func(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: `^\.`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: path.Join(path.Dir(args.Importer), args.Path), Namespace: "embedded"}, nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "embedded"},
		func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			content, err := fs.ReadFile(source, "source/"+args.Path)
			text, loader := string(content), api.LoaderJS
			if path.Ext(args.Path) == ".css" {
				loader = api.LoaderCSS
			}
			return api.OnLoadResult{Contents: &text, Loader: loader}, err
		})
}}

// hashOf returns the source of a Content Security Policy that allows one text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
