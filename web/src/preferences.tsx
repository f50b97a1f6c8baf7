import { useEffect, useState } from 'preact/hooks'
import { say } from './announce'
import { ask, logOut, type Problem } from './client'
import { Confirm } from './confirm'
import { plural } from './figures'
import { Check, Group } from './group'
import { openShortcuts } from './keys'
import { Lazy } from './lazy'
import { forgetPrompts } from './recall'
import { go, here } from './route'
import { change, useSettings, type Settings } from './settings'
import { visible } from './visible'
import type { Me } from './words'

/** Preferences is the settings page. Every change takes effect at once. */
export default function Preferences({ me }: { me?: Me }) {
  const now = useSettings()
  useEffect(() => { document.title = 'Settings – Bellcord' }, [])
  return (
    <main class="talk settings">
      <header class="top"><a class="back" href="/" onClick={here} aria-label="All sessions">‹</a><div><h1>Settings</h1></div></header>
      <div class="scroll"><div class="column">
        <p class="faint">These settings apply to this browser.</p>
        <Group title="Appearance">
          <Choice name="theme" label="Theme" value={now.theme} of={[['system', 'System'], ['light', 'Light'], ['dark', 'Dark']]} />
          <Choice name="size" label="Text size" value={now.size} of={[['small', 'Small'], ['medium', 'Medium'], ['large', 'Large']]} />
          <Check label="Wrap long lines of code" on={now.wrap} set={(wrap) => change({ wrap })} />
        </Group>
        <Group title="Enter key">
          <Choice name="enter" label="In the prompt" value={now.enter} of={[['send', 'Sends'], ['line', 'New line']]} />
          <p class="faint">Ctrl-Enter always sends. On a touch screen, Enter starts a new line.</p>
          <p><button type="button" onClick={openShortcuts}>Keyboard shortcuts</button></p>
        </Group>
        <Lazy quiet load={() => import('./notifying').then((m) => m.default)} props={{ owner: me?.owner }} />
        <Account me={me} />
      </div></div>
    </main>
  )
}

function Choice<K extends 'theme' | 'size' | 'enter'>({ name, label, value, of }: { name: K; label: string; value: Settings[K]; of: [Settings[K], string][] }) {
  return (
    <fieldset class="radios">
      <legend>{label}</legend>
      {of.map(([v, text]) => <label key={v}><input type="radio" name={name} checked={v === value} onChange={() => change({ [name]: v })} />{text}</label>)}
    </fieldset>
  )
}

function Account({ me }: { me?: Me }) {
  const [forgotten, setForgotten] = useState(false)
  if (!me) return null
  const forget = () => { forgetPrompts(me.owner); setForgotten(true); say('Prompt history cleared.') }
  return (
    <Group title="Account">
      <Logins me={me} />
      <p class="faint">The server’s administrator lists and revokes tokens with <code>bellcord token list</code> and <code>bellcord token revoke</code>. Revoking a token ends its logins.</p>
      <div class="actions">
        <button type="button" onClick={forget} disabled={forgotten}>{forgotten ? 'Prompt history cleared' : 'Clear prompt history'}</button>
        <button type="button" onClick={() => void logOut().then(() => go('/login'))}>Log out</button>
      </div>
    </Group>
  )
}

/** Logins shows in how many browsers the user is signed in, and signs the others out. Logins with more rights than this one are not counted. */
function Logins({ me }: { me: Me }) {
  const [others, setOthers] = useState<number>()
  const [asking, setAsking] = useState(false)
  const [result, setResult] = useState('')
  useEffect(() => { void ask('GET', '/v1/logins').then((l) => setOthers(l.others.length)).catch(() => {}) }, [])
  const revoke = async () => {
    setAsking(false)
    let said: string
    try {
      const { revoked } = await ask('POST', '/v1/logins/revoke-others')
      setOthers(0)
      said = `Signed out in ${plural(revoked, 'other browser')}.`
    } catch (err) {
      said = `Not signed out: ${(err as Problem).message}.`
    }
    setResult(said)
    say(said)
  }
  return (
    <>
      <p><strong>{visible(me.owner)}</strong>{others !== undefined && ` · signed in in ${plural(others + 1, 'browser')}`} <span class="faint">· Rights: {me.scopes.join(', ')}</span></p>
      {(others || result) && <p><button type="button" disabled={!others} onClick={() => setAsking(true)}>Sign out others</button> <span class="faint">{result}</span></p>}
      {asking && (
        <Confirm title="Sign out your other browsers?" action="Sign out others" onYes={() => void revoke()} onNo={() => setAsking(false)}>
          <p>{others === 1 ? 'The other browser has' : `${others} other browsers have`} to log in again. Running turns continue.</p>
        </Confirm>
      )}
    </>
  )
}
