/** An email address in its one form -> the address of the mailbox behind it, as its provider reads addresses. */

/** How a provider reads the addresses of its domains. */
interface Provider {
  readonly domains: RegExp;
  /** The one domain of a mailbox that has the same name at each. */
  readonly domain?: string;
  /** What a tag begins with. */
  readonly tag: RegExp;
  /** Characters that make no difference. */
  readonly ignored?: RegExp;
}

const PLUS = /[+]/;
const COUNTRY = '(?:com|(?:com?[.])?[a-z]{2})';

/** Any other domain may read its addresses as it likes. docs/policies.md has the sources. */
const PROVIDERS: readonly Provider[] = [
  { domains: /^g(?:oogle)?mail[.]com$/, domain: 'gmail.com', tag: PLUS, ignored: /[.]/g },
  { domains: new RegExp(`^(?:(?:outlook|hotmail|live)[.]${COUNTRY}|msn[.]com)$`), tag: PLUS },
  { domains: /^(?:icloud|me|mac)[.]com$/, domain: 'icloud.com', tag: PLUS },
  { domains: new RegExp(`^(?:yahoo[.]${COUNTRY}|(?:y|rocket)mail[.]com)$`), tag: /[-+]/ },
  { domains: /^(?:proton[.]me|pm[.]me|protonmail[.](?:com|ch))$/, domain: 'proton.me', tag: PLUS, ignored: /[._-]/g },
  { domains: /^fastmail[.](?:com|fm)$/, tag: PLUS },
];

/** Fastmail has `anything@pat.fastmail.com` for `pat@fastmail.com`. */
const SUBDOMAIN = /^([^.]+)[.](fastmail[.](?:com|fm))$/;

/** The address itself if its provider is not in the table. INVARIANT: a mailbox is its own mailbox. */
export function mailboxOf(email: string): string {
  const [address = '', host = ''] = email.split('@');
  const [, local = address, domain = host] = SUBDOMAIN.exec(host) ?? [];
  const provider = PROVIDERS.find(({ domains }) => domains.test(domain));
  if (!provider) return email;
  const { tag, ignored, domain: one = domain } = provider;
  // A tag follows a name, which does not end in a dot.
  const length = local.slice(1).search(tag) + 1;
  const name = length === 0 ? local : local.slice(0, length).replace(/[.]$/, '');
  return `${(ignored && name.replace(ignored, '')) || name}@${one}`;
}
