import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { ask, Problem } from './client'
import { visible } from './visible'

interface Share { id: string; session: string; title?: string; created: string; expires: string; token?: string }

const day = (time: string) => new Date(time).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

/** Sharing is the dialog that shares a copy of a conversation, and stops sharing it. */
export default function Sharing({ session, title, onClose }: { session: string; title: string; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  const [shares, setShares] = useState<Share[]>([])
  const [made, setMade] = useState<Share>()
  const [days, setDays] = useState(7)
  const [output, setOutput] = useState(false)
  const [trouble, setTrouble] = useState('')
  const [copied, setCopied] = useState(false)
  const attempt = async (what: () => Promise<void>) => {
    setTrouble('')
    try { await what() } catch (err) { setTrouble((err as Problem).message); say((err as Problem).message) }
  }
  const list = async () => setShares((await ask('GET', `/v1/shares?session=${session}`)).shares)
  useEffect(() => { box.current!.showModal(); void attempt(list) }, [])
  const link = made && `${location.origin}/share/${made.token}`
  const create = () => attempt(async () => {
    setCopied(false)
    setMade(await ask<Share>('POST', `/v1/sessions/${session}/shares`, { days, tool_output: output }))
    await list()
  })
  const copy = () => attempt(async () => { await navigator.clipboard.writeText(link!); setCopied(true); say('Link copied.') })
  const stop = (id: string) => attempt(async () => {
    await ask('DELETE', `/v1/shares/${id}`)
    if (made?.id === id) setMade(undefined)
    say('The link no longer works.')
    await list()
  })
  return (
    <dialog ref={box} class="sharing" aria-labelledby="sharing-title" onClose={onClose}>
      <h2 id="sharing-title">Share “{title || 'New session'}”</h2>
      <p>Everyone with the link can read a copy of this conversation as it is now. Later messages are not shared. Commands are part of the copy; images and thinking are not.</p>
      <label class="choose"><span>The link expires after</span>
        <select value={days} onChange={(e) => setDays(Number(e.currentTarget.value))}>{[1, 7, 30, 90].map((n) => <option value={n} key={n}>{n === 1 ? '1 day' : `${n} days`}</option>)}</select>
      </label>
      <label class="option"><input type="checkbox" checked={output} onChange={(e) => setOutput(e.currentTarget.checked)} /> Also share the output of tools and the contents of edits</label>
      {trouble && <p role="alert">{visible(trouble)}</p>}
      {link && (
        <div class="link">
          <label><span class="faint">The link is shown only once.</span><input readOnly value={link} aria-label="Link" onFocus={(e) => e.currentTarget.select()} /></label>
          <button type="button" onClick={() => void copy()}>{copied ? 'Copied' : 'Copy link'}</button>
        </div>
      )}
      {shares.length > 0 && (
        <ul class="shares" aria-label="Shares of this session">
          {shares.map((s) => <li key={s.id}><span>Shared {day(s.created)}, expires {day(s.expires)}</span><button type="button" onClick={() => void stop(s.id)}>Stop sharing</button></li>)}
        </ul>
      )}
      <div class="actions">
        <button type="button" class="primary" onClick={() => void create()}>Create link</button>
        <button type="button" onClick={() => box.current!.close()}>Close</button>
      </div>
    </dialog>
  )
}
