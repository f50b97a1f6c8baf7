package web

import (
	"strings"
	"testing"
	"time"
)

func TestHTMLText_Page_ReturnsReadableText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, page, want string }{
		{"plain text", "just  some\n text", "just some text"},
		{
			"a page", "<!DOCTYPE html><html><head><title>The title</title><meta charset=utf-8></head><body><h1>Head</h1><p>One <b>bold</b> word.</p><p>Two</p></body></html>",
			"The title\n\nHead\n\nOne bold word.\n\nTwo",
		},
		{"what is for machines", "a<script>if (a < b) { alert('</p>') }</script>b<STYLE>p { color: red }</Style>c<!-- <p>no</p> -->d<template>x</template>e", "abcde"},
		{"entities", "&lt;p&gt; &amp;amp; &eacute;&#26085;&#x672c;&nbsp;x", "<p> &amp; é日本\u00a0x"},
		{"a list", "<ul><li>one</li><li><p>two</p></li></ul>after", "- one\n\n- two\n\nafter"},
		{"a table", "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a b\n1 2"},
		{"text that is laid out", "x<pre>  one\n    two &amp; <b>three</b></pre>y", "x\n\n  one\n    two & three\n\ny"},
		{"attributes with a sign in them", `<a title="a > b" href='x>y' data-n=5>link</a>`, "link"},
		{"a quote that is none", `<p don't>text</p>`, "text"},
		{"breaks", "one<br>two<br/>three", "one\ntwo\nthree"},
		{"a sign that is no tag", "1 < 2 <3 and 3 > 2", "1 < 2 <3 and 3 > 2"},
		{"a script without an end", "a<script>b", "a"},
		{"a comment without an end", "a<!-- b", "a"},
		{"a tag without an end", "a<p class=", "a"},
		{"a quote without an end", `a<p class="b>c`, "a"},
		{"a sign at the end", "a<", "a<"},
		{"closing tags that nothing opened", "</pre></li>a</div></div>b", "a\nb"},
		{"characters of every length", "<p>aé日𝄞</p>", "aé日𝄞"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		if got := htmlText(test.page); got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

func TestHTMLText_InvalidHTML_TakesLinearTime(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"<", "<!--", "<a ", "<a b='", "<script></scrip", "</", "&", "<pre>", "<li>", "<p>x", "<!", "&#", "<script>"} {
		start := time.Now()
		htmlText(strings.Repeat(piece, (512<<10)/len(piece)))
		if took := time.Since(start); took > 20*time.Second { // quadratic time would be minutes
			t.Errorf("%q again and again takes %v", piece, took)
		}
	}
}

func FuzzHTMLText(f *testing.F) {
	f.Add("<p>a<b c='d'>&amp;<!-- x --><script>y</script><pre> z")
	f.Fuzz(func(t *testing.T, page string) {
		if text := htmlText(page); len(text) > 4*len(page) {
			t.Errorf("%d bytes became %d", len(page), len(text))
		}
	})
}
