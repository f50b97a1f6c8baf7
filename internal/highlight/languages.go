package highlight

import (
	"strings"
	"sync"
)

// language is what the scanner recognizes in a language.
type language struct {
	keywords map[string]bool
	anyCase  bool     // keywords are recognized in upper and lower case
	comments []string // begin a comment up to the end of the line
	blocks   []block
	quotes   string // each begins and ends a string on one line
}

// block is a comment or a string that may have several lines.
type block struct {
	begin, end string
	kind       Kind
}

var (
	slashes  = []string{"//"}
	hash     = []string{"#"}
	cComment = block{"/*", "*/", Comment}
)

// languages returns the supported languages by the names that are used in
// Markdown. The table is built at the first call, because most commands of
// Bellcord never need it.
var languages = sync.OnceValue(func() map[string]*language {
	all := map[string]*language{}
	for _, l := range []struct {
		names string
		language
	}{
		{"go golang", language{comments: slashes, blocks: []block{cComment, {"`", "`", String}}, quotes: `"'`, keywords: words(`break case chan const continue default
			defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota`)}},
		{"js javascript jsx ts typescript tsx mjs", language{comments: slashes, blocks: []block{cComment, {"`", "`", String}}, quotes: `"'`, keywords: words(`abstract as async
			await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements
			import in instanceof interface let namespace new null of private protected public readonly return set static super switch this throw true try type typeof
			undefined var void while with yield`)}},
		{"py python python3", language{comments: hash, blocks: []block{{`"""`, `"""`, String}, {"'''", "'''", String}}, quotes: `"'`, keywords: words(`and as assert async await
			break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try
			while with yield`)}},
		{"sh bash shell zsh console", language{comments: hash, quotes: `"'`, keywords: words(`case do done elif else esac export fi for function if in local return select set
			shift then unset until while exit`)}},
		{"json jsonc json5", language{comments: slashes, quotes: `"`, keywords: words(`true false null`)}},
		{"yaml yml", language{comments: hash, quotes: `"'`, keywords: words(`true false null yes no on off`)}},
		{"toml ini", language{comments: []string{"#", ";"}, blocks: []block{{`"""`, `"""`, String}, {"'''", "'''", String}}, quotes: `"'`, keywords: words(`true false`)}},
		{"rust rs", language{comments: slashes, blocks: []block{cComment}, quotes: `"`, keywords: words(`as async await break const continue crate dyn else enum extern false
			fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while`)}},
		{"c h cpp c++ cc hpp objc", language{comments: slashes, blocks: []block{cComment}, quotes: `"'`, keywords: words(`alignas auto bool break case catch char class const
			constexpr continue default delete do double else enum explicit extern false float for friend goto if inline int long namespace new nullptr operator override
			private protected public register return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual
			void volatile while`)}},
		{"java kotlin kt scala swift cs csharp c# dart php", language{comments: slashes, blocks: []block{cComment, {`"""`, `"""`, String}}, quotes: `"'`, keywords: words(`abstract
			as async await boolean break byte case catch char class const continue data default do double echo else enum extends final finally float for foreach fun func
			function guard if implements import in init instanceof int interface internal is let long namespace new null nil object open operator out override package
			private protected public readonly record return sealed short static string struct super switch this throw throws true false try typeof use using val var
			virtual void when where while yield`)}},
		{"ruby rb", language{comments: hash, quotes: `"'`, keywords: words(`and begin break case class def do else elsif end ensure false for if in module next nil not or redo
			rescue retry return self super then true undef unless until when while yield`)}},
		{"sql sqlite postgresql", language{anyCase: true, comments: []string{"--"}, blocks: []block{cComment}, quotes: `'"`, keywords: words(`add all alter and as asc begin
			between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner
			insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction
			union unique update using values view when where with`)}},
		{"css scss less", language{comments: slashes, blocks: []block{cComment}, quotes: `"'`, keywords: words(`@media @import @font-face @keyframes @supports important`)}},
		{"html xml svg vue", language{blocks: []block{{"<!--", "-->", Comment}}, quotes: `"`}},
		{"dockerfile docker make makefile", language{comments: hash, quotes: `"'`, keywords: words(`FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG
			ONBUILD STOPSIGNAL HEALTHCHECK SHELL AS include define endef ifdef ifndef ifeq ifneq else endif export override`)}},
		{"lua", language{comments: []string{"--"}, blocks: []block{{"[[", "]]", String}}, quotes: `"'`, keywords: words(`and break do else elseif end false for function goto if
			in local nil not or repeat return then true until while`)}},
	} {
		for name := range strings.FieldsSeq(l.names) {
			all[name] = &l.language
		}
	}
	return all
})

func words(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		all[word] = true
	}
	return all
}
