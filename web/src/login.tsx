import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, Problem } from './ask'
import { go } from './route'

/**
 * Login takes a one-time code. One that came with the address is filled in and
 * taken out of it, and a person still has to press: a link logs nobody in.
 */
export function Login({ onIn }: { onIn: () => void }) {
  const [code, setCode] = useState(() => /^#([0-9A-Za-z]{5}-?[0-9A-Za-z]{5})$/.exec(location.hash)?.[1] ?? '')
  const [trouble, setTrouble] = useState('')
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    document.title = 'Log in – Bellcord'
    if (location.hash) history.replaceState(null, '', '/login')
    if (code) button.current!.focus()
    else field.current!.focus()
  }, [])
  const enter = async (e: Event) => {
    e.preventDefault()
    setBusy(true)
    try {
      await ask('POST', '/v1/login', { code: code.trim() })
      onIn()
      go('/', true)
    } catch (err) {
      setTrouble((err as Problem).status === 401 ? 'The code is wrong, was used, or is older than a minute. Ask for a new one.' : (err as Problem).message)
      setBusy(false)
      field.current!.select()
    }
  }
  return (
    <main class="login">
      <form onSubmit={(e) => void enter(e)}>
        <img src="/icon.svg" alt="" width={44} height={44} />
        <h1>Bellcord</h1>
        <p>Log this browser in at <strong>{location.host}</strong>.</p>
        <label><span>Code</span>
          <input ref={field} value={code} onInput={(e) => setCode(e.currentTarget.value)} autocomplete="one-time-code" autocapitalize="characters" spellcheck={false} placeholder="XXXXX-XXXXX"
            aria-describedby="login-help" aria-invalid={trouble !== ''} />
        </label>
        {trouble && <p class="warn" role="alert">{trouble}</p>}
        <button ref={button} class="primary" disabled={busy || code.trim().length < 10}>Log in</button>
        <p class="faint" id="login-help">On the server’s machine, <code>bellcord open</code> prints a code and opens this page with it. It is good once, for a minute.</p>
      </form>
    </main>
  )
}
