import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { say } from './announce'
import { logOut } from './client'
import { openShortcuts } from './keys'
import { notify, permission } from './notices'
import { forgetPrompts } from './recall'
import { go, here } from './route'
import { change, useSettings, type Settings } from './settings'
import { visible } from './visible'
import type { Me } from './words'

/** Preferences is the settings page. Every change takes effect at once. */
export function Preferences({ me }: { me?: Me }) {
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
        <Notifications now={now} />
        <Account me={me} />
      </div></div>
    </main>
  )
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return <section class="group" aria-label={title}><h2>{title}</h2>{children}</section>
}

function Choice<K extends 'theme' | 'size' | 'enter'>({ name, label, value, of }: { name: K; label: string; value: Settings[K]; of: [Settings[K], string][] }) {
  return (
    <fieldset class="radios">
      <legend>{label}</legend>
      {of.map(([v, text]) => <label key={v}><input type="radio" name={name} checked={v === value} onChange={() => change({ [name]: v })} />{text}</label>)}
    </fieldset>
  )
}

function Check({ label, on, set, disabled }: { label: string; on: boolean; set: (on: boolean) => void; disabled?: boolean }) {
  return <label class="check"><input type="checkbox" checked={on} disabled={disabled} onChange={(e) => set(e.currentTarget.checked)} />{label}</label>
}

const reasons: { [permission: string]: string } = {
  denied: 'The browser blocks notifications of this site. Allow them in the settings of the browser.',
  unsupported: 'This browser cannot show notifications here. They need HTTPS, or the server’s own machine.',
}

/** Notifications asks for the permission when a user turns notifications on. */
function Notifications({ now }: { now: Settings }) {
  const [may, setMay] = useState(permission)
  const [tested, setTested] = useState('')
  const allowed = async () => {
    if (permission() === 'default') await Notification.requestPermission()
    setMay(permission())
    return permission() === 'granted'
  }
  const set = (some: Partial<Settings>) => void (async () => { if (!Object.values(some)[0] || await allowed()) change(some); else change({}) })()
  const test = async () => {
    const sent = await allowed() && await notify('Bellcord', 'Notifications work.', '/settings', 'test')
    setTested(sent ? 'Sent.' : 'Not sent.')
    say(sent ? 'Sent.' : 'Not sent.')
  }
  return (
    <Group title="Notifications">
      <p class="faint">Shown while the page is open in a tab, or as an app, that you are not looking at.</p>
      <Check label="A turn waits for me" on={now.waiting && may === 'granted'} disabled={may === 'unsupported'} set={(waiting) => set({ waiting })} />
      <Check label="A turn ended" on={now.ended && may === 'granted'} disabled={may === 'unsupported'} set={(ended) => set({ ended })} />
      {reasons[may] && <p class="plain">{reasons[may]}</p>}
      <p><button type="button" disabled={may === 'unsupported'} onClick={() => void test()}>Send a test</button> <span class="faint">{tested}</span></p>
    </Group>
  )
}

function Account({ me }: { me?: Me }) {
  const [forgotten, setForgotten] = useState(false)
  if (!me) return null
  const forget = () => { forgetPrompts(me.owner); setForgotten(true); say('Prompt history cleared.') }
  return (
    <Group title="Account">
      <p>Logged in as <strong>{visible(me.owner)}</strong>. <span class="faint">Rights: {me.scopes.join(', ')}.</span></p>
      <p class="faint">The server’s administrator lists and revokes tokens with <code>bellcord token list</code> and <code>bellcord token revoke</code>. Revoking a token ends its logins.</p>
      <div class="actions">
        <button type="button" onClick={forget} disabled={forgotten}>{forgotten ? 'Prompt history cleared' : 'Clear prompt history'}</button>
        <button type="button" onClick={() => void logOut().then(() => go('/login'))}>Log out</button>
      </div>
    </Group>
  )
}
