import { contrast, mixed, onColor } from '../config/color.js';
import { PRODUCT_COLOR } from '../config/environment.js';

/** The surfaces that links and focus rings stand on: page, card and sunken, as in `web/style/tokens.css`. */
const LIGHT = ['#f5f6f8', '#ffffff', '#eceef2'];
const DARK = ['#0e1014', '#16191f', '#1e222a'];

/** What WCAG 2.2 asks of text (1.4.3); a focus ring would do with 3. */
const LEAST_CONTRAST = 4.5;

const STEP = 0.04;

/**
 * The style sheet of a product's colour, which replaces tokens of the style sheet of the pages; null for the colour
 * that they are made with. Buttons take the colour as it is. Links and focus rings are mixed towards black, in the dark
 * towards white, until they can be read on every surface.
 */
export function themeCss(color: string): string | null {
  if (color.toLowerCase() === PRODUCT_COLOR) return null;
  const light = readable(color, '#000000', LIGHT);
  const dark = readable(color, '#ffffff', DARK);
  return `:root {
  --brand: ${color};
  --on-brand: ${onColor(color)};
  --link: ${light};
  --focus: ${light};
}
@media (prefers-color-scheme: dark) {
  :root {
    --link: ${dark};
    --focus: ${dark};
  }
}
`;
}

function readable(color: string, towards: string, surfaces: string[]): string {
  for (let part = 0; ; part += STEP) {
    const candidate = mixed(color, towards, Math.min(part, 1));
    if (surfaces.every((surface) => contrast(candidate, surface) >= LEAST_CONTRAST)) return candidate;
  }
}
