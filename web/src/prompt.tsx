import { Coloured } from './coloured'
import { bytes } from './figures'
import { sizeOf } from './files'
import { languageOf } from './scanner'
import { visible } from './visible'
import type { TextFile } from './words'

/** SentPrompt shows a prompt, with its text files as chips that open. */
export function SentPrompt({ text, files }: { text: string; files: TextFile[] }) {
  return (
    <>
      <p class="plain">{visible(text)}</p>
      {files.map((f, i) => (
        <details class="sent-file" key={i}>
          <summary><span class="name">{visible(f.name)}</span> <span class="faint">{bytes(sizeOf(f))}</span></summary>
          <pre tabIndex={0} aria-label={visible(f.name)}><Coloured text={visible(f.text)} language={languageOf(f.name)} /></pre>
        </details>
      ))}
    </>
  )
}
