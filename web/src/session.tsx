import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Composer } from './composer'
import { attached, noFiles, type Attached, type Attachments } from './files'
import { projectOf } from './recall'
import { Conversation, useChanges } from './conversation'
import { looksLikeAnswer } from './deliberate'
import { Queue } from './queue'
import { open, state } from './record'
import { Rewound } from './rewinding'
import { here } from './route'
import { commandIn, commands, compactText, escaped } from './slash'
import { SentPrompt } from './prompt'
import { Top } from './top'
import { stopWords, TurnView } from './turn'
import { visible } from './visible'
import { may, type Me } from './words'

/** SessionView shows one conversation, live. turn is the turn of the address, which is scrolled into view. */
export function SessionView({ id, turn, me }: { id: string; turn?: string; me?: Me }) {
  const conversation = useMemo(() => new Conversation(id), [id])
  useEffect(() => () => conversation.close(), [conversation])
  return <Talk key={id} conversation={conversation} linked={turn} me={me} />
}

function Talk({ conversation: c, linked, me }: { conversation: Conversation; linked?: string; me?: Me }) {
  useChanges(c)
  const [draft, setDraft] = useState('')
  const [given, give] = useState<Attached[]>()
  const mayPrompt = may(me, 'prompt')
  const mayStop = may(me, 'stop')
  const mayUndo = may(me, 'undo')
  const running = c.running
  const sending = c.pending.find((p) => !p.failed)
  const target = running?.id ?? sending?.id
  const stopping = !!target && (c.delivery(target) === 'stopping' || (!!running && state(running) === 'stopping'))
  const session = c.session
  const title = visible(c.record.title ?? session?.title ?? '')

  useEffect(() => {
    const mark = running ? (stopping ? '■ ' : '● ') : ''
    document.title = `${mark}${title || 'New session'} – Bellcord`
  }, [title, !!running, stopping])

  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      const popup = document.querySelector('dialog[open], details.menu[open]')
      if (e.key !== 'Escape' || e.defaultPrevented || e.repeat || popup || !target || !mayStop) return
      e.preventDefault()
      c.stop(target)
    }
    addEventListener('keydown', keys)
    return () => removeEventListener('keydown', keys)
  }, [c, target, mayStop])

  const edit = (text: string, files: Attachments = noFiles) => {
    setDraft(text)
    give(attached(files))
    document.getElementById('composer')?.focus()
  }
  const send = async (text: string, files: Attachments) => {
    const command = commandIn(text)
    if (!command && running && open(running).length > 0 && looksLikeAnswer(text)) { c.tell('Not sent: a question is open. Choose one of its answers.'); return true }
    if (!command) return c.send(text, files)
    if (command.name === 'compact') return session?.agent ? c.send(text) : c.send(compactText(command.rest), { ...noFiles, task: 'compact' }) // a hosted agent has its own command
    if (!mayStop && command.name === 'stop') { c.tell('Not stopped: you are not allowed to stop turns in this session.'); return true }
    void c.obey(command, target)
    return true
  }
  const sendAsText = () => {
    const { text, ...files } = c.refused!
    edit('', noFiles)
    c.trouble = ''
    void c.send(escaped(text), files)
  }
  const removed = c.record.rewinds[c.record.rewinds.length - 1]
  const shown = c.turns.filter((t) => t.started || t.receipt)
  return (
    <main class="talk">
      <Top c={c} title={title} me={me} />
      {c.link === 'gone' && <p class="banner">This session does not exist or was deleted. {me && !may(me, 'admin') && <>To see other people’s sessions, log in with <code>bellcord open --admin</code>. </>}<a href="/" onClick={here}>New session</a></p>}
      {c.problem && <p class="banner">Cannot load the rest of this session: {visible(c.problem)}. Retrying…</p>}
      {c.link === 'lost' && !c.problem && <p class="banner">Connection lost. {target && 'The turn may still be running. '}Reconnecting…</p>}
      {c.trouble && <p class="banner">{c.trouble} {c.refused && mayPrompt && <button type="button" class="quiet" onClick={sendAsText}>Send as text</button>}<button type="button" class="quiet" onClick={() => { c.trouble = ''; c.changed(true) }}>Close</button></p>}
      {c.help && <Help onClose={() => { c.help = false; c.changed(true) }} />}
      {linked && c.caughtUp && c.link === 'live' && !c.record.turns.has(linked) && <p class="banner">This session has no such turn. <a href={`/s/${c.id}`} onClick={here}>Show the session</a></p>}
      <Scroll to={linked}>
        {shown.map((t) => [
          <TurnView key={t.id} conversation={c} turn={t} linked={t.id === linked} version={t.version} onEdit={edit} mayPrompt={mayPrompt} mayStop={mayStop} mayUndo={mayUndo} mayAll={may(me, 'admin')} busy={!!running} dir={session?.dir ?? ''} owner={session?.owner ?? ''} user={me?.owner ?? ''} />,
          removed && removed[removed.length - 1] === t && <Rewound key={'rewound ' + t.id} conversation={c} turns={removed} mayPrompt={mayPrompt} busy={!!running} />,
        ])}
        {c.pending.map((p) => (
          <article class="turn" key={p.id}>
            <div class="prompt"><SentPrompt text={p.text} files={p.files} /></div>
            <div class={'head' + (c.delivery(p.id) === 'stopping' && !p.failed ? ' stopping' : '')}>
              <span class="state">{p.failed && (!c.pressed.has(p.id) || c.pressed.get(p.id)!.delivered) ? `Not sent: ${p.failed}` : stopWords[c.delivery(p.id) ?? ''] ?? 'Sending…'}</span>
              {p.failed && <button type="button" onClick={() => void c.send(p.text, p, p.id)}>Try again</button>}
              {p.failed && <button type="button" onClick={() => { edit(p.text, p); c.discardPending(p.id) }}>Edit</button>}
              {!p.failed && mayStop && <button type="button" class="stop" onClick={() => c.stop(p.id)}>Stop</button>}
            </div>
          </article>
        ))}
        {shown.length === 0 && c.pending.length === 0 && c.caughtUp && <p class="faint empty">No messages yet.</p>}
      </Scroll>
      <div class="below">
        <Queue conversation={c} mayPrompt={mayPrompt} mayStop={mayStop} />
        {mayPrompt
          ? <Composer running={!!target} stopping={stopping} draft={draft} onDraft={setDraft} onSend={send} given={given}
              history={me && session && { owner: me.owner, project: projectOf(session.dir) }}
              onStop={mayStop && target ? () => c.stop(target) : undefined} placeholder={running ? 'Queue a prompt…' : 'Type a prompt…'} disabled={c.link === 'gone'} />
          : <p class="faint">You can watch this session but not send prompts.</p>}
      </div>
    </main>
  )
}

/** Help lists the page's commands. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <section class="banner help" aria-label="Commands">
      <dl>{commands.map(([word, does]) => <div key={word}><dt><code>{word}</code></dt><dd>{does}</dd></div>)}</dl>
      <p class="faint">To send text that starts with a slash, type two slashes.</p>
      <button type="button" class="quiet" onClick={onClose}>Close</button>
    </section>
  )
}

/** Scroll stays at the end while the answer grows, unless the user has scrolled up. If the address names a turn, it stays at that turn until the user does something. */
function Scroll({ to, children }: { to?: string; children: preact.ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const target = useRef('')
  const asked = useRef('')
  if (to !== asked.current) asked.current = target.current = to ?? ''
  const place = () => {
    const b = box.current!
    const turn = target.current && b.querySelector(`[data-turn="${target.current}"]`)
    if (turn) b.scrollTop += turn.getBoundingClientRect().top - b.getBoundingClientRect().top - parseFloat(getComputedStyle(turn).scrollMarginTop) // scrollIntoView also scrolls the page
    else if (atEnd.current) b.scrollTop = b.scrollHeight
  }
  useLayoutEffect(place)
  useEffect(() => {
    const b = box.current!
    const grown = new ResizeObserver(() => { if (box.current) place() }) // it may be called once more after the box was removed
    grown.observe(b)
    grown.observe(b.firstElementChild!)
    const release = () => { target.current = '' }
    const inputs = ['wheel', 'touchmove', 'pointerdown', 'keydown']
    for (const input of inputs) addEventListener(input, release, { passive: true })
    return () => {
      grown.disconnect()
      for (const input of inputs) removeEventListener(input, release)
    }
  }, [])
  const look = (e: Event) => { const b = e.currentTarget as HTMLElement; atEnd.current = !target.current && b.scrollHeight - b.scrollTop - b.clientHeight < 60 }
  return <div class="scroll" ref={box} onScroll={look} tabIndex={0} role="region" aria-label="Conversation"><div class="column" role="log" aria-live="off" aria-label="Messages">{children}</div></div>
}
