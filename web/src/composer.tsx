import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { bytes } from './figures'
import type { Image } from './words'

interface Props {
  /** a turn is under way: with nothing typed the button stops it. */
  running: boolean
  stopping: boolean
  draft: string
  onDraft: (text: string) => void
  onSend: (text: string, images: Image[]) => void
  onStop?: () => void
  placeholder: string
  disabled?: boolean
}

// A prompt with its images has at most 32 MiB on the wire.
const mostImages = 20 << 20
const mostText = 200 << 10

/** Composer takes a prompt. Send becomes Stop while a turn runs and nothing is typed. */
export function Composer(p: Props) {
  const box = useRef<HTMLTextAreaElement>(null)
  const files = useRef<HTMLInputElement>(null)
  const [images, setImages] = useState<Image[]>([])
  const empty = p.draft.trim() === ''
  const stops = p.running && empty && images.length === 0 && !!p.onStop

  useEffect(() => {
    const el = box.current!
    el.style.height = 'auto'
    el.style.height = Math.min(el.scrollHeight + 2, innerHeight * 0.4) + 'px'
  }, [p.draft])

  const send = () => {
    if (p.disabled || (empty && images.length === 0)) return
    p.onSend(p.draft.trim() || 'See the image.', images)
    p.onDraft('')
    setImages([])
    box.current!.focus()
  }
  const keys = (e: KeyboardEvent) => {
    const typing = e.isComposing || matchMedia('(pointer: coarse)').matches
    if (e.key !== 'Enter' || e.shiftKey || typing) return
    e.preventDefault()
    send()
  }
  const take = async (list: FileList | null | undefined) => {
    for (const file of list ?? []) {
      if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') {
        if (file.size > mostImages) { say(`${file.name} is too large: ${bytes(file.size)}`); continue }
        const data = await encoded(file)
        setImages((all) => [...all, { type: file.type, data }])
      } else if (file.size <= mostText) {
        p.onDraft(`${p.draft ? p.draft + '\n\n' : ''}${file.name}:\n\`\`\`\`\n${await file.text()}\n\`\`\`\`\n`)
      } else say(`${file.name} is too large: ${bytes(file.size)}`)
    }
  }
  return (
    <form class="composer" onSubmit={(e) => { e.preventDefault(); if (stops) p.onStop!(); else send() }}
      onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); void take(e.dataTransfer?.files) }}>
      {images.length > 0 && (
        <ul class="attached">{images.map((img, i) => (
          <li key={i}><img src={`data:${img.type};base64,${img.data}`} alt={`Attached image ${i + 1}`} />
            <button type="button" class="quiet" aria-label={`Remove image ${i + 1}`} onClick={() => setImages(images.filter((_, n) => n !== i))}>×</button></li>
        ))}</ul>
      )}
      <textarea ref={box} id="composer" rows={1} aria-label="Prompt" placeholder={p.placeholder} value={p.draft} disabled={p.disabled}
        onInput={(e) => p.onDraft(e.currentTarget.value)} onKeyDown={keys} onPaste={(e) => { if (e.clipboardData?.files.length) { e.preventDefault(); void take(e.clipboardData.files) } }} />
      <div class="bar">
        <input ref={files} type="file" multiple hidden onChange={(e) => { void take(e.currentTarget.files); e.currentTarget.value = '' }} />
        <button type="button" class="quiet" disabled={p.disabled} onClick={() => files.current!.click()}>Attach<span class="hidden"> an image or a text file</span></button>
        <span class="hint faint">{stops ? (p.stopping ? 'Esc forces' : 'Esc stops') : p.running && !empty ? 'Waits behind the running turn' : ''}</span>
        {stops
          ? <button key="stop" type="submit" class="go stop" data-action="stop"><i class="square" aria-hidden="true" />{p.stopping ? 'Stop now' : 'Stop'}</button>
          : <button key="send" type="submit" class="go primary" data-action="send" disabled={p.disabled || (empty && images.length === 0)}>{p.running ? 'Queue' : 'Send'}</button>}
      </div>
    </form>
  )
}

function encoded(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
