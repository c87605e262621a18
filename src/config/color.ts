// Colours as `#rrggbb`, and whether one can be read on another (WCAG 2.2).

/** The ratio of two colours' luminances, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** White or black, whichever is easier to read on a colour: one of them always reaches 4.58. */
export function onColor(color: string): string {
  return contrast(color, '#ffffff') >= contrast(color, '#000000') ? '#ffffff' : '#000000';
}

/** A colour with a part, from 0 to 1, of another in it. */
export function mixed(color: string, other: string, part: number): string {
  const theirs = channels(other);
  const mixture = channels(color).map((channel, index) => channel + ((theirs[index] ?? 0) - channel) * part);
  return `#${mixture.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
