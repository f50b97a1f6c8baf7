// The settings of a session as a dialog, for screens on which the header has no space for them. Loaded when it is first opened.
import { useEffect, useRef } from 'preact/hooks'
import { Pick, type Setting } from './picks'

/** Adjusting changes the settings of a session. Every change takes effect at once. */
export default function Adjusting({ settings, onClose }: { settings: Setting[]; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => { box.current!.showModal() }, [])
  return (
    <dialog ref={box} class="adjusting" aria-labelledby="adjusting-title" onClose={onClose}>
      <h2 id="adjusting-title">Settings of this session</h2>
      {settings.map((s) => <label key={s.label}><span>{s.label}</span><Pick setting={s} /></label>)}
      <div class="actions"><button type="button" onClick={() => box.current!.close()}>Close</button></div>
    </dialog>
  )
}
