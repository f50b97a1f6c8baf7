import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Announcer } from './announce'
import { ask, pageKey, whenLoggedOut, whenReplaced } from './client'
import { Login } from './login'
import { Lazy } from './lazy'
import { go, here, usePath } from './route'
import { Shortcuts } from './keys'
import { useNotices } from './notices'
import { fitScreen } from './screen'
import { SessionView } from './session'
import { Sessions } from './sessions'
import { apply, whenChanged } from './settings'
import { Start } from './start'
import type { Me } from './words'

function App() {
  const path = usePath()
  const [me, setMe] = useState<Me>()
  const [down, setDown] = useState(false)
  const [wasIn, setWasIn] = useState(false)
  const whoAmI = () => ask<Me>('GET', '/v1/me').then((m) => { setMe(m); setDown(false) }).catch(() => setDown(true))
  useEffect(() => {
    const out = () => { if (shareIn(location.pathname)) return; setMe((old) => { if (old) setWasIn(true); return undefined }); if (location.pathname !== '/login') go('/login', true) }
    whenLoggedOut(out)
    if (location.pathname !== '/login' && !shareIn(location.pathname)) void whoAmI()
    return whenReplaced(() => { // another tab logged in or out, which applies to all tabs
      if (shareIn(location.pathname)) return
      if (!pageKey()) return out()
      void whoAmI()
      if (location.pathname === '/login') go('/', true)
    })
  }, [])
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.key.toLowerCase() !== 'k' || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || !pageKey() || shareIn(location.pathname) || document.querySelector('dialog[open]')) return
      e.preventDefault()
      if (location.pathname === '/search') document.querySelector<HTMLInputElement>('.search input')?.focus()
      else go('/search')
    }
    addEventListener('keydown', keys)
    return () => removeEventListener('keydown', keys)
  }, [])
  useEffect(() => {
    if (!down || path === '/login' || shareIn(path)) return
    const timer = setTimeout(() => void whoAmI(), 2000)
    return () => clearTimeout(timer)
  })
  useNotices(me)
  const [, session, turn] = /^\/s\/([0-9a-f-]{36})(?:\/t\/([0-9a-f-]{36}))?$/.exec(path) ?? []
  const missing = path.startsWith('/s/') && !session ? 'No such session' : path !== '/' && path !== '/ops' && path !== '/search' && !session && 'Page not found'
  const share = shareIn(path)
  if (share) return <><div class="frame in-share"><Lazy key={share} load={() => import('./share').then((m) => m.default)} props={{ token: share }} /></div><Announcer /></>
  if (path === '/login') return <><Login wasIn={wasIn} onIn={() => { setWasIn(false); void whoAmI() }} /><Announcer /></>
  if (path === '/settings') return <><div class="frame in-session"><Sessions me={me} /><Lazy load={() => import('./preferences').then((m) => m.default)} props={{ me }} /></div><Announcer /><Shortcuts /></>
  return (
    <>
      <a class="skip" href="#composer" onClick={(e) => { e.preventDefault(); document.getElementById('composer')?.focus() }}>Skip to prompt</a>
      <div class={'frame ' + (session || missing || path === '/search' ? 'in-session' : path === '/ops' ? 'in-ops' : 'at-home')}>
        <Sessions current={session} me={me} />
        {session ? <SessionView key={session} id={session} turn={turn} me={me} /> : path === '/ops' ? <Lazy key="ops" load={() => import('./operations').then((m) => m.default)} props={{ me }} /> : path === '/search' ? <Lazy key="search" load={() => import('./search').then((m) => m.default)} props={{ me }} /> : missing ? <Missing title={missing} /> : <Start me={me} />}
      </div>
      <Announcer />
      <Shortcuts />
    </>
  )
}

/** Missing is shown for an unknown address. */
function Missing({ title }: { title: string }) {
  useEffect(() => { document.title = `${title} – Bellcord` }, [title])
  return (
    <main class="start missing">
      <h1>{title}</h1>
      <p class="faint">{title === 'No such session' ? 'This session does not exist or was deleted.' : 'Nothing exists at this address.'}</p>
      <p><a class="button" href="/" onClick={here}>All sessions</a></p>
    </main>
  )
}

/** shareIn returns the token in the address of a shared conversation. */
function shareIn(path: string): string | undefined { return /^\/share\/([\w.-]+)$/.exec(path)?.[1] }

apply()
whenChanged(apply)
fitScreen()

// A cookie without the key of the page is not a login: send no requests with
// it.
if (!pageKey() && location.pathname !== '/login' && !shareIn(location.pathname)) history.replaceState(null, '', '/login')
render(<App />, document.getElementById('app')!)
