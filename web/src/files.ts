// Files attached to a prompt: images unchanged, text files as text.
import { bytes } from './figures'
import type { Image } from './words'

/** Attached is a file in the composer. A refused file has a reason and is not sent. */
export type Attached =
  | { kind: 'image'; name: string; size: number; image: Image }
  | { kind: 'text'; name: string; size: number; text: string }
  | { kind: 'refused'; name: string; why: string }

// A prompt with its images has at most 32 MiB on the wire.
const mostImage = 20 << 20
const mostText = 200 << 10

// Files of these types are never treated as text.
const binary = /^(audio|video|font)\/|^application\/(pdf|zip|gzip|x-tar|x-7z|x-rar|vnd\.|msword|octet-stream|wasm|x-sqlite)/

/** attach reads a file. */
export async function attach(file: File): Promise<Attached> {
  const { name, size } = file
  const isImage = file.type.startsWith('image/') && file.type !== 'image/svg+xml'
  const most = isImage ? mostImage : mostText
  if (size > most) return { kind: 'refused', name, why: `too large: ${bytes(size)}, limit ${bytes(most)}` }
  if (isImage) return { kind: 'image', name, size, image: { type: file.type, data: await encoded(file) } }
  const text = binary.test(file.type) ? undefined : decoded(await file.arrayBuffer())
  return text === undefined ? { kind: 'refused', name, why: 'not an image or UTF-8 text' } : { kind: 'text', name, size, text }
}

/** decoded returns the text of a file, or undefined if its bytes are not text. */
function decoded(data: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data)
    return text.includes('\0') || text.startsWith('%PDF-') ? undefined : text
  } catch {
    return undefined
  }
}

function encoded(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}

/** withFiles returns a prompt's text followed by its text files, each in a fence that its content cannot close. */
export function withFiles(text: string, files: Attached[]): string {
  const parts = files.flatMap((f) => {
    if (f.kind !== 'text') return []
    const fence = '`'.repeat(Math.max(4, ...[...f.text.matchAll(/`+/g)].map((run) => run[0].length + 1)))
    return [`${f.name}:\n${fence}\n${f.text}${f.text.endsWith('\n') ? '' : '\n'}${fence}`]
  })
  return [text, ...parts].filter(Boolean).join('\n\n')
}

/** Sent is a prompt as it was typed, with its text files. */
export interface Sent { text: string; files: { name: string; text: string }[] }

/** withoutFiles separates a prompt that withFiles returned. Other text is returned unchanged. */
export function withoutFiles(prompt: string): Sent {
  const files: Sent['files'] = []
  for (let text = prompt; ;) {
    const fence = /\n(`{4,})$/.exec(text)?.[1]
    const end = text.length - (fence?.length ?? 0) - 1
    const open = fence ? text.lastIndexOf(`:\n${fence}\n`, end) : -1
    const from = open < 0 ? -1 : text.lastIndexOf('\n', open - 1) + 1
    const name = open < 0 ? '' : text.slice(from, open)
    if (!fence || !name || name.length > 255 || (from > 0 && text.slice(from - 2, from) !== '\n\n')) return { text, files }
    files.unshift({ name, text: text.slice(open + fence.length + 3, end + 1) })
    text = text.slice(0, Math.max(0, from - 2))
  }
}
