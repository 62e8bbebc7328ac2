package browsertest

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Scheme makes the page believe that its reader prefers "light" or "dark".
func (t Tab) Scheme(scheme string) {
	t.Helper()
	_, err := chromedp.Call(t.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// faint finds what is drawn with less than 4.5:1.
const faint = `(() => {
	const channels = color => color.match(/[\d.]+/g).map(Number);
	const luminance = color => channels(color).slice(0, 3)
		.map(value => value / 255)
		.map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
		.reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = element => {
		const color = getComputedStyle(element).backgroundColor;
		return channels(color)[3] === 0 && element.parentElement ? ground(element.parentElement) : color;
	};
	return [...document.querySelectorAll("h1, h2, h3, p, li, code, button, a, dt, dd, legend, label, summary, span, strong, input")]
		.filter(element => element.matches("input[type=text]") || element.textContent.trim() !== "")
		.map(element => {
			const [a, b] = [luminance(getComputedStyle(element).color), luminance(ground(element))];
			return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.outerHTML.slice(0, 80)];
		})
		.filter(([ratio]) => ratio < 4.5)
		.map(([ratio, html]) => ratio.toFixed(2) + " " + html);
})()`

// Faint returns the elements with text that is drawn with less contrast than 4.5:1 (WCAG 2.2, 1.4.3), by their computed
// colours.
func (t Tab) Faint() []string {
	t.Helper()
	return Evaluate[[]string](t, faint)
}

// Wide returns the elements that reach beyond a width in pixels, or that scroll sideways.
func (t Tab) Wide(width int) []string {
	t.Helper()
	wide := Evaluate[[]string](t, fmt.Sprintf(`[...document.querySelectorAll("body *")]
		.filter(element => element.getBoundingClientRect().right > %d || element.scrollWidth > element.clientWidth + 1 &&
			!element.matches("code, span, strong, a, img, svg, svg *, input, label, .unseen"))
		.map(element => element.outerHTML.slice(0, 80))`, width))
	if got := Evaluate[int](t, "document.documentElement.scrollWidth"); got > width {
		wide = append(wide, fmt.Sprintf("the page is %d px wide", got))
	}
	return wide
}

// Low returns what is to be pressed but too low for a finger: under 40 pixels.
func (t Tab) Low() []string {
	t.Helper()
	return Evaluate[[]string](t,
		`[...document.querySelectorAll("button:not([hidden]), .action, .choice, summary, input[type=text]")]
		.filter(element => element.getBoundingClientRect().height < 40)
		.map(element => element.outerHTML)`)
}

// Picture keeps a picture of the whole page, to be looked at, as NAME.png in the folder that PDPP_PICTURES names;
// without one it does nothing.
func (t Tab) Picture(name string) {
	t.Helper()
	folder := os.Getenv("PDPP_PICTURES")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(t.Ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
