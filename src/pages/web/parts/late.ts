import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadAgain } from './load-again.js';

/** A part of a page that few visitors see, once it is wanted and has come; null until then. Without it the page loads again. */
export function useLate<Props>(
  isWanted: boolean,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> | null {
  const [part, setPart] = useState<ComponentType<Props> | null>(null);
  useEffect(() => {
    if (isWanted) load().then((loaded) => setPart(() => loaded), loadAgain);
  }, [isWanted]);
  return isWanted ? part : null;
}
