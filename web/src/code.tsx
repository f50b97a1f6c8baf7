import { say } from './announce'
import { Coloured } from './coloured'
import { Diff } from './diff'
import { unified } from './lines'

/** Code shows a code block with a copy button. A diff has signs, numbers and colours for its lines. */
export function Code({ text, language }: { text: string; language?: string }) {
  const name = (language ?? '').split(/\s/)[0]!.slice(0, 20)
  const isDiff = /^(diff|patch)$/i.test(name)
  return (
    <figure class="code">
      <figcaption>
        <span>{name}</span>
        <button type="button" class="quiet" onClick={() => void navigator.clipboard?.writeText(text).then(() => say('Copied.'))}>Copy<span class="hidden"> code</span></button>
      </figcaption>
      {isDiff ? <Diff of={unified(text)} label="Diff" /> : <pre tabIndex={0} aria-label={name ? `Code, ${name}` : 'Code'}><Coloured text={text} language={name} /></pre>}
    </figure>
  )
}
