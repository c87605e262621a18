/** The variable that holds a setting: `sessionCookieName` → `SVC_SESSION_COOKIE_NAME`. */
export function variableName(setting: string): string {
  return `SVC_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
