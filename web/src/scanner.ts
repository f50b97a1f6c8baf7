// Loads the scanner for code when it is needed first.
import { useEffect, useState } from 'preact/hooks'
import type { Span } from './highlight'

type Scan = (language: string, lines: string[]) => Span[][] | undefined

let scan: Scan | undefined
let loading: Promise<void> | undefined

// Longer code is shown in one colour, so that an answer that grows stays quick.
const mostLines = 400
const mostLength = 40_000

/** useSpans returns the coloured parts of each line, or undefined while they are not known. */
export function useSpans(language: string, lines: string[]): Span[][] | undefined {
  const [, again] = useState(0)
  const wanted = language !== '' && lines.length <= mostLines && lines.reduce((n, l) => n + l.length, 0) <= mostLength
  useEffect(() => {
    if (!wanted || scan) return
    let here = true
    loading ??= import('./highlight').then((m) => { scan = m.lines }, () => { loading = undefined }) // without it, code has one colour
    void loading.then(() => { if (here) again((n) => n + 1) })
    return () => { here = false }
  }, [wanted])
  return wanted ? scan?.(language, lines) : undefined
}

/** languageOf returns the language of a file by its name. */
export function languageOf(path: string): string {
  const name = path.split(/[\\/]/).pop() ?? ''
  return /^(dockerfile|makefile)$/i.test(name) ? name.toLowerCase() : /\.([a-z0-9+#]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}
