import { openShortcuts } from './keys'
import { here } from './route'

// Suggestions fill the prompt; nothing is sent.
const suggestions: [title: string, prompt: string][] = [
  ['Explain this project', 'Explain this project: what it does, how it is organized, and where to start reading.'],
  ['Fix a failing test', 'Run the tests. If one fails, find the cause and fix it.'],
  ['Review my changes', 'Review the uncommitted changes. List bugs first, then anything that is hard to read.'],
  ['Write a plan', 'Read the code and write a plan for this task before you change anything: '],
]

/** Suggestions offers prompts to start with. */
export function Suggestions({ onPick }: { onPick: (prompt: string) => void }) {
  return (
    <ul class="suggestions" aria-label="Suggestions">
      {suggestions.map(([title, prompt]) => <li key={title}><button type="button" onClick={() => onPick(prompt)}>{title}</button></li>)}
    </ul>
  )
}

/** Abilities describes the page in a few lines. */
export function Abilities() {
  return (
    <section class="abilities" aria-label="About this page">
      <ul>
        <li><strong>Stop means stopped.</strong> Stop ends the turn and every process that it started. You see the proof.</li>
        <li><strong>You decide.</strong> Depending on the permissions, commands and edits wait for your answer. You see the whole command or diff.</li>
        <li><strong>Queue prompts.</strong> Type while a turn runs. A stop holds queued prompts until you send them.</li>
        <li><strong>Attach files.</strong> Drop or paste images and text files.</li>
      </ul>
      <p class="faint"><a href="/settings" onClick={here}>Settings</a> <span class="only-keys"><button type="button" class="quiet link" onClick={openShortcuts}>Keyboard shortcuts</button></span> <a href="/ops" onClick={here}>Operations</a></p>
    </section>
  )
}
