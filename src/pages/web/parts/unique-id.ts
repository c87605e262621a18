import { useState } from 'preact/hooks';

let count = 0;

/** An id that no other element of the document has, in whatever root it is rendered. */
export function useUniqueId(name: string): string {
  const [id] = useState(() => {
    count += 1;
    return `${name}-${count}`;
  });
  return id;
}
