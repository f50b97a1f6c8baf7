import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { bytes } from './figures'
import { attach, attachments, noFiles, type Attached, type Attachments } from './files'
import { useHistory, type History } from './history'
import { remember } from './recall'
import { settings } from './settings'
import { commandIn, trimmed } from './slash'
import { visible } from './visible'

interface Props {
  /** a turn is running: with an empty draft the button stops it. */
  running: boolean
  stopping: boolean
  draft: string
  onDraft: (text: string) => void
  /** resolves to false if nothing was sent: the draft is then kept. */
  onSend: (text: string, files: Attachments) => Promise<boolean>
  onStop?: () => void
  placeholder: string
  disabled?: boolean
  /** the list of earlier prompts. */
  history?: History
  /** files to attach again. */
  given?: Attached[]
}

/** Composer accepts a prompt. Send becomes Stop while a turn runs and the draft is empty. */
export function Composer(p: Props) {
  const box = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [files, setFiles] = useState<Attached[]>([])
  const good = files.filter((f) => f.kind !== 'refused')
  const empty = p.draft.trim() === '' && good.length === 0
  const stops = p.running && empty && !!p.onStop

  useEffect(() => {
    const el = box.current!
    el.style.height = 'auto'
    el.style.height = Math.min(el.scrollHeight + 2, innerHeight * 0.4) + 'px'
  }, [p.draft])

  useEffect(() => { if (p.given) setFiles(p.given) }, [p.given])
  const recall = useHistory(p.history, p.onDraft)

  const send = () => {
    if (p.disabled || empty) return
    const { draft } = p
    const message = trimmed(draft)
    if (p.history) remember(p.history.owner, p.history.project, message)
    if (commandIn(message)) { // the files are kept for the next prompt
      void p.onSend(message, noFiles)
      p.onDraft('')
      return
    }
    void p.onSend(message || `See ${good.map((f) => f.name).join(', ')}.`, attachments(good)).then((sent) => {
      if (sent || !box.current) return
      if (box.current.value === '') p.onDraft(draft)
      setFiles((now) => (now.length ? now : good))
    })
    p.onDraft('')
    setFiles([])
    box.current!.focus()
  }
  const keys = (e: KeyboardEvent) => {
    if (recall(e) || e.key !== 'Enter' || e.isComposing) return
    const sends = !e.shiftKey && !e.altKey && settings().enter === 'send' && !matchMedia('(pointer: coarse)').matches
    if (!sends && !e.ctrlKey && !e.metaKey) return
    e.preventDefault()
    send()
  }
  // The caller copies the list, because the browser empties it when the picker
  // is reset.
  const take = async (list: File[]) => {
    for (const file of list) {
      const read = await attach(file)
      if (read.kind === 'refused') say(`${read.name}: ${read.why}`)
      setFiles((all) => [...all, read])
    }
  }
  return (
    <form class="composer" onSubmit={(e) => { e.preventDefault(); if (stops) p.onStop!(); else send() }}
      onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); void take([...(e.dataTransfer?.files ?? [])]) }}>
      {files.length > 0 && <ul class="attached" aria-label="Attached files">{files.map((f, i) => <Chip key={i} file={f} onRemove={() => setFiles((all) => all.filter((o) => o !== f))} />)}</ul>}
      <textarea ref={box} id="composer" rows={1} aria-label="Prompt" placeholder={p.placeholder} value={p.draft} disabled={p.disabled}
        onInput={(e) => p.onDraft(e.currentTarget.value)} onKeyDown={keys} onPaste={(e) => { if (e.clipboardData?.files.length) { e.preventDefault(); void take([...e.clipboardData.files]) } }} />
      <div class="bar">
        <input ref={picker} type="file" multiple hidden onChange={(e) => { const list = [...(e.currentTarget.files ?? [])]; e.currentTarget.value = ''; void take(list) }} />
        <button type="button" class="quiet" disabled={p.disabled} onClick={() => picker.current!.click()}>Attach<span class="hidden"> images or text files</span></button>
        <span class="hint faint">{stops ? <span class="only-keys">{p.stopping ? 'Esc to force' : 'Esc to stop'}</span> : p.running && !empty ? 'Runs after the current turn' : ''}</span>
        {stops
          ? <button key="stop" type="submit" class="go stop" data-action="stop"><i class="square" aria-hidden="true" />{p.stopping ? 'Force stop' : 'Stop'}</button>
          : <button key="send" type="submit" class="go primary" data-action="send" disabled={p.disabled || empty}>{p.running ? 'Queue' : 'Send'}</button>}
      </div>
    </form>
  )
}

/** Chip shows an attached file, or the reason why it was refused. */
function Chip({ file, onRemove }: { file: Attached; onRemove: () => void }) {
  return (
    <li class={file.kind}>
      {file.kind === 'image' && <img src={`data:${file.image.type};base64,${file.image.data}`} alt="" />}
      {file.kind === 'refused'
        ? <span class="why">{visible(file.name)}: {file.why}</span>
        : <><span class="name">{visible(file.name)}</span><span class="faint size">{bytes(file.size)}</span></>}
      <button type="button" class="quiet" aria-label={`Remove ${file.name}`} onClick={onRemove}>{file.kind === 'refused' ? 'Remove' : '×'}</button>
    </li>
  )
}
