import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Announcer } from './announce'
import { ask, whenLoggedOut } from './ask'
import { Login } from './login'
import { Operations } from './operations'
import { go, usePath } from './route'
import { SessionView } from './session'
import { Sessions } from './sessions'
import { Start } from './start'
import type { Me } from './words'

function App() {
  const path = usePath()
  const [me, setMe] = useState<Me>()
  const [down, setDown] = useState(false)
  const whoAmI = () => ask<Me>('GET', '/v1/me').then((m) => { setMe(m); setDown(false) }).catch(() => setDown(true))
  useEffect(() => {
    whenLoggedOut(() => { setMe(undefined); if (location.pathname !== '/login') go('/login', true) })
    if (location.pathname !== '/login') void whoAmI()
  }, [])
  useEffect(() => {
    if (!down || path === '/login') return
    const timer = setTimeout(() => void whoAmI(), 2000)
    return () => clearTimeout(timer)
  })
  const session = /^\/s\/([0-9a-f-]{36})$/.exec(path)?.[1]
  if (path === '/login') return <><Login onIn={() => void whoAmI()} /><Announcer /></>
  return (
    <>
      <a class="skip" href="#composer" onClick={(e) => { e.preventDefault(); document.getElementById('composer')?.focus() }}>To the prompt</a>
      <div class={'frame ' + (session ? 'in-session' : path === '/ops' ? 'in-ops' : 'at-home')}>
        <Sessions current={session} me={me} />
        {session ? <SessionView key={session} id={session} me={me} /> : path === '/ops' ? <Operations me={me} /> : <Start me={me} />}
      </div>
      <Announcer />
    </>
  )
}

render(<App />, document.getElementById('app')!)
