import { useEffect, useRef } from 'preact/hooks'
import { CallDetails } from './call'
import { span } from './figures'
import { titleOf, type Call } from './record'
import { printed, visible } from './visible'

const outcomes: { [state: string]: string } = {
  asked: 'waiting', running: 'running', finished: 'finished', failed: 'failed', stopped: 'stopped', not_started: 'not run', unknown: 'outcome unknown',
}

/** ToolCard shows a call with its live output and its outcome. */
export function ToolCard({ call }: { call: Call }) {
  const output = printed(call.output || call.result || '')
  const took = call.from && call.to ? span(call.to - call.from) : ''
  const isOpen = call.state === 'running' || call.state === 'stopped' || call.state === 'failed'
  return (
    <details class={'tool ' + call.state} open={isOpen}>
      <summary>
        <span class="name">{visible(call.name)}</span>
        <code class="title">{titleOf(call).replace(new RegExp(`^${call.name.replace(/\W/g, '\\$&')} `), '')}</code>
        <span class="outcome">{call.state === 'running' && <i class="pulse" aria-hidden="true" />}{outcomes[call.state]}{took && <span class="faint"> {took}</span>}</span>
      </summary>
      <div class="inside">
        <CallDetails name={call.name} args={call.args} />
        {call.problem && <p class="plain">{visible(call.problem)}</p>}
        {output && <Output text={output} live={call.state === 'running'} label={call.state === 'stopped' ? 'Last output' : 'Output'} />}
        {call.state === 'stopped' && call.output && call.result && call.result !== call.output && <p class="faint plain">{visible(lastLine(call.result))}</p>}
      </div>
    </details>
  )
}

const lastLine = (text: string) => text.trim().split('\n').pop() ?? ''

/** Output stays at its end while it grows, unless the user has scrolled up. */
function Output({ text, live, label }: { text: string; live: boolean; label: string }) {
  const box = useRef<HTMLPreElement>(null)
  const atEnd = useRef(true)
  useEffect(() => { if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight }, [text, live])
  const look = (e: Event) => { const b = e.currentTarget as HTMLElement; atEnd.current = b.scrollHeight - b.scrollTop - b.clientHeight < 24 }
  return (
    <>
      <p class="label" aria-hidden="true">{label}</p>
      <pre ref={box} class="output" tabIndex={0} role="region" aria-label={label} onScroll={look}>{text}</pre>
    </>
  )
}
