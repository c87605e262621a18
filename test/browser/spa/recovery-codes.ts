import { onSubmit } from './form.js';
import { find, repeat, showPart } from './view.js';

/** Shows in a section recovery codes, which the service does not show again, until the user has kept them. */
export function showRecoveryCodes(
  section: HTMLElement,
  email: string,
  codes: string[],
  goOn: () => void,
): void {
  showPart(section, 'recovery-codes');
  repeat(find(section, '.codes'), codes, (row, code) => {
    find(row, 'code').textContent = code;
  });
  const file = [
    `Recovery codes of ${email}`,
    'The login takes each of them once, in place of a code from your phone.',
    '',
    ...codes,
    '',
  ];
  // No address of a file in memory, which would have to be given back.
  find<HTMLAnchorElement>(section, '#download').href =
    `data:text/plain;charset=utf-8,${encodeURIComponent(file.join('\r\n'))}`;
  onSubmit(find(section, '#copy'), async () => {
    find(section, '#copied').textContent = await copy(codes.join('\n'));
  });
  onSubmit(find(section, '#kept'), async () => goOn());
}

async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'The codes are copied. Paste them where you keep your passwords.';
  } catch {
    return 'This browser does not let the page copy. Download the codes, or write them down.';
  }
}
