/** Parameters as Stripe reads them from a form: `line_items[0][price]=price_1` is a list of one object. */
export type Parameters = { [name: string]: string | Parameters };

/** The parameters of a form, or of a query; a list is an object whose keys are its indices. */
export function parseForm(text: string): Parameters {
  const parameters: Parameters = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[|\]/).filter((part) => part !== '');
    const last = path.pop() ?? '';
    let inner = parameters;
    for (const part of path) {
      inner[part] ??= {};
      inner = inner[part] as Parameters;
    }
    inner[last] = value;
  }
  return parameters;
}
