/** The HTML of a mail whose links open beside it. Nothing stands before its doctype, or browsers would lay it out as in old times. */
export function withLinksApart(mail: string): string {
  const [place = ''] = /<head(\s[^>]*)?>/i.exec(mail) ?? /^\s*<!doctype[^>]*>/i.exec(mail) ?? [];
  return mail.replace(place, (found) => `${found}<base target="_blank">`);
}
