import { useState } from 'preact/hooks';

let count = 0;

/** An id that no other element of the document has, in any root that it is rendered in. */
export function useUniqueId(name: string): string {
  const [id] = useState(() => {
    count += 1;
    return `${name}-${count}`;
  });
  return id;
}
