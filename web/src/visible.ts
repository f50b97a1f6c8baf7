// Characters that change what a line looks like without being seen themselves:
// controls (except tab and newline), directions of text, line and paragraph
// separators, invisible spaces and tags. Joiners stay: scripts and emoji need them.
const deceptive = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/** visible shows deceptive characters as escapes such as \u202E. It is for everything that a person decides by. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(deceptive, (c) => {
    const hex = c.codePointAt(0)!.toString(16).toUpperCase()
    return hex.length > 4 ? `\\u{${hex}}` : '\\u' + hex.padStart(4, '0')
  })
}

/** printed is the output of a program: colours are left out, the rest is visible. */
export const printed = (text: string) => visible(text.replace(/\u001b\[[0-9;]*m/g, ''))
