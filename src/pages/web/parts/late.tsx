import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadAgain } from './load-again.js';

/** A part that few visitors see, which loads when it is first shown. Without it the page loads again. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return (props) => {
    const [Part, setPart] = useState<ComponentType<Props> | null>(null);
    useEffect(() => {
      load().then((part) => setPart(() => part), loadAgain);
    }, []);
    return Part && <Part {...props} />;
  };
}
