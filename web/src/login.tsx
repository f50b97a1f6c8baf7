import { useEffect, useRef, useState } from 'preact/hooks'
import { logIn, Problem } from './client'
import { go } from './route'

/** codeInAddress returns the one-time code after # in the address, or an empty string. */
const codeInAddress = () => /^#([0-9A-Za-z]{5}-?[0-9A-Za-z]{5})$/.exec(location.hash)?.[1] ?? ''

/**
 * Login accepts a one-time code. A code in the address is filled in and removed
 * from the address. The user must still press the button, so a link alone does
 * not log in.
 */
export function Login({ onIn, wasIn }: { onIn: () => void; wasIn: boolean }) {
  const [code, setCode] = useState(codeInAddress)
  const [trouble, setTrouble] = useState('')
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    document.title = 'Log in – Bellcord'
    if (location.hash) history.replaceState(null, '', '/login')
    if (code) button.current!.focus()
    else field.current!.focus()
    // Pasting an address into this tab only changes the part after # and does
    // not load the page.
    const pasted = () => {
      const found = codeInAddress()
      history.replaceState(null, '', '/login')
      if (found) { setCode(found); setTrouble('') }
    }
    addEventListener('hashchange', pasted)
    return () => removeEventListener('hashchange', pasted)
  }, [])
  useEffect(() => { if (code.length >= 10 && document.activeElement !== field.current) button.current!.focus() }, [code])
  const enter = async (e: Event) => {
    e.preventDefault()
    setBusy(true)
    try {
      await logIn(code.trim())
      onIn()
      go('/', true)
    } catch (err) {
      setTrouble((err as Problem).status === 401 ? 'The code is wrong, already used, or more than a minute old. Run bellcord open to get a new one.' : (err as Problem).message)
      setBusy(false)
      field.current!.select()
    }
  }
  return (
    <main class="login">
      <form onSubmit={(e) => void enter(e)}>
        <img src="/icon.svg" alt="" width={44} height={44} />
        <h1>Bellcord</h1>
        {wasIn && <p role="status">You have been logged out.</p>}
        <p>Log in to <strong>{location.host}</strong>.</p>
        <label><span>Code</span>
          <input ref={field} value={code} onInput={(e) => setCode(e.currentTarget.value)} autocomplete="one-time-code" autocapitalize="characters" spellcheck={false} placeholder="XXXXX-XXXXX"
            aria-describedby="login-help" aria-invalid={trouble !== ''} />
        </label>
        {trouble && <p class="warn" role="alert">{trouble}</p>}
        <button ref={button} class="primary" disabled={busy || code.trim().length < 10}>Log in</button>
        <p class="faint" id="login-help">To get a code, run <code>bellcord open</code> on the server’s machine. A code works once, within a minute. Add <code>--admin</code> for all rights, in everyone’s sessions.</p>
      </form>
    </main>
  )
}
