import { Coloured } from './code'
import { bytes } from './figures'
import { withoutFiles } from './files'
import { languageOf } from './scanner'
import { visible } from './visible'

/** SentPrompt shows a prompt, with its text files as chips that open. */
export function SentPrompt({ text }: { text: string }) {
  const sent = withoutFiles(text)
  return (
    <>
      {sent.text && <p class="plain">{visible(sent.text)}</p>}
      {sent.files.map((f, i) => (
        <details class="sent-file" key={i}>
          <summary><span class="name">{visible(f.name)}</span> <span class="faint">{bytes(new Blob([f.text]).size)}</span></summary>
          <pre tabIndex={0} aria-label={visible(f.name)}><Coloured text={visible(f.text)} language={languageOf(f.name)} /></pre>
        </details>
      ))}
    </>
  )
}
