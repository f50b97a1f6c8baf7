import type { ComponentChildren } from 'preact'
import type { Span } from './highlight'
import { useSpans } from './scanner'

const classes = ['', 'hl-keyword', 'hl-string', 'hl-comment', 'hl-number', 'hl-added', 'hl-removed']

/** marked returns coloured parts as text in elements. from and to select a part of the line. */
export function marked(spans: Span[], from = 0, to = Infinity): ComponentChildren {
  let at = 0
  return spans.map(([kind, text]) => {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at))
    at += text.length
    return part === '' ? null : kind === 0 ? part : <span class={classes[kind]}>{part}</span>
  })
}

/** Coloured shows code in the colours of its language. */
export function Coloured({ text, language }: { text: string; language: string }) {
  const lines = text.split('\n')
  const spans = useSpans(language, lines)
  return <code>{spans ? spans.map((line, i) => <>{i > 0 && '\n'}{marked(line)}</>) : text}</code>
}
