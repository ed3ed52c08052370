/** The one script of the pages: keys, times, and the lease of a case. Every page works without it. */

const KEYS_OFF = 'verdict-keys-off';

/** The keys of fields, buttons and links are in their attribute `data-key`. */
function startKeys(): void {
  const part = document.getElementById('keys');
  const box = document.querySelector<HTMLInputElement>('#keys-on');
  if (!part || !box) return;
  part.hidden = false;
  box.checked = localStorage.getItem(KEYS_OFF) === null;
  box.addEventListener('change', () => {
    if (box.checked) localStorage.removeItem(KEYS_OFF);
    else localStorage.setItem(KEYS_OFF, '1');
  });
  let isGoing = false;
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (key === 'Escape' && isWritten(target)) (target as HTMLElement).blur();
    if (!box.checked || event.ctrlKey || event.metaKey || event.altKey || isWritten(target)) return;
    const isInNavigation = isGoing;
    isGoing = key === 'g' && !isGoing;
    const found = isGoing || key.length !== 1 ? null : elementOf(key, isInNavigation);
    if (key === '?') part.querySelector('details')?.setAttribute('open', '');
    if (!found && key !== '?') return;
    event.preventDefault();
    if (found) use(found);
    else part.querySelector('summary')?.focus();
  });
}

function elementOf(key: string, isInNavigation: boolean): HTMLElement | null {
  const attribute = `[data-key="${CSS.escape(key)}"]`;
  const all = document.querySelectorAll<HTMLElement>(isInNavigation ? `nav ${attribute}` : `${attribute}:not(nav *)`);
  // What is hidden belongs to a choice that was not made.
  return [...all].find((each) => each.checkVisibility()) ?? null;
}

/** Whether a key is for a field that takes text. */
function isWritten(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['radio', 'checkbox', 'submit'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Chooses, goes to a field, or presses. A form that asks why gets its field focused: a key alone sends no reason. */
function use(element: HTMLElement): void {
  const form = element.closest('form');
  const why = form?.querySelector<HTMLElement>('[name="why"]');
  if (element instanceof HTMLInputElement && element.type === 'radio') {
    element.checked = true;
    element.focus();
  } else if (why) why.focus();
  else if (element instanceof HTMLInputElement || element.hasAttribute('tabindex')) element.focus();
  else element.click();
}

/** Shows instants in the zone of the reader; the title has them as the server wrote them, in UTC. */
function startTimes(): void {
  const dated = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    const written = time.textContent;
    const more = /:\d\d:\d\d/.test(written) ? ({ second: '2-digit' } as const) : {};
    time.title = written;
    // The format of Sweden is that of ISO 8601.
    time.textContent = new Date(time.dateTime).toLocaleString('sv-SE', { ...dated, ...more });
  }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const zone = document.querySelector('.zone');
  if (zone && timeZone !== 'UTC') zone.textContent = `Times are those of your zone, ${timeZone}; point at one for UTC.`;
}

/** Enter sends the words of a resolution, as it does in a field of one line; with Shift it begins a new line. */
function startWords(): void {
  const words = document.querySelector<HTMLTextAreaElement>('#resolve textarea');
  words?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    // A form whose button is off is sent by no key either.
    if (words.form?.querySelector('button:disabled') === null) words.form.requestSubmit();
  });
}

const MINUTE_MS = 60_000;
/** Renewed while the page is visible, once this much is left; below the second, the reviewer is warned. */
const [RENEW_BELOW_MS, WARN_BELOW_MS, EVERY_MS] = [12 * MINUTE_MS, 2 * MINUTE_MS, 5000];

const HELD = 'You hold it while you look at this page.';

/** Holds the case while its page is looked at. Once it is lost, nothing is sent, and the words stay. */
function startLease(): void {
  const lease = document.getElementById('lease');
  const form = document.querySelector<HTMLFormElement>('#resolve');
  if (!lease || !form) return;
  const { case: id = '', token = '', left = '0' } = lease.dataset;
  // Not the time of this machine, which may be wrong, but what is left by the clock of the service.
  let [granted, since] = [Number(left), marks()];
  const leftMs = () => granted - passedMs(since);
  let [isOver, isWarned] = [false, false];
  const say = (words: string) => {
    if (lease.textContent !== words) lease.textContent = words;
  };
  const lose = (words: string) => {
    isOver = true;
    lease.classList.add('warning');
    say(`${words} What you wrote stays here: copy it. Nothing was sent.`);
    for (const button of document.querySelectorAll<HTMLButtonElement>('#resolve button, #release button')) {
      button.disabled = true;
    }
  };
  const renew = async () => {
    const csrf = form.querySelector<HTMLInputElement>('[name="csrf"]')?.value ?? '';
    const answer = await fetch(`/cases/${id}/renew`, { method: 'POST', body: new URLSearchParams({ csrf, token }) });
    if (answer.status === 409 || answer.status === 401) return lose('You no longer hold this case.');
    if (!answer.ok) return;
    const given = (await answer.json()) as { readonly leftMs: number };
    [granted, since] = [given.leftMs, marks()];
    if (isWarned) say(HELD);
    isWarned = false;
  };
  let isAsking = false;
  /** `isBack`: the page is looked at again. Another window of the person may have given the case back. */
  const look = async (isBack = false) => {
    const now = leftMs();
    if (isOver || isAsking) return;
    if (now <= 0 && document.visibilityState === 'visible' && !(await asked())) return lose('Your time is over.');
    if (now > 0 && (isBack || now < RENEW_BELOW_MS) && document.visibilityState === 'visible') await asked();
    if (isOver || leftMs() >= WARN_BELOW_MS) return;
    isWarned = true;
    say('Less than 2 minutes are left: the service does not answer, or you looked at another page.');
  };
  /** Whether the service answered. */
  const asked = async (): Promise<boolean> => {
    isAsking = true;
    try {
      await renew();
      return true;
    } catch {
      return false;
    } finally {
      isAsking = false;
    }
  };
  // No time, which each renewal would change, and a screen reader say.
  say(HELD);
  setInterval(look, EVERY_MS);
  document.addEventListener('visibilitychange', () => look(true));
}

/** The first clock stands still in some systems while a machine sleeps; the second one may be set. */
function marks(): readonly [ticks: number, time: number] {
  return [performance.now(), Date.now()];
}

function passedMs([ticks, time]: ReturnType<typeof marks>): number {
  return Math.max(performance.now() - ticks, Date.now() - time);
}

/** A page that the browser kept may be of a session that ended: it is not seen until the service has answered. */
async function comeBack(): Promise<void> {
  document.documentElement.hidden = true;
  // Loading it again would lose what was written in it.
  if (await isOfSession()) document.documentElement.hidden = false;
  else location.reload();
}

/** Whether whoever has this browser now is the reader of the page: each session has another token. */
async function isOfSession(): Promise<boolean> {
  const token = document.querySelector<HTMLInputElement>('[name="csrf"]')?.value;
  const answer = await fetch(location.href, { redirect: 'manual' }).catch(() => undefined);
  return token !== undefined && answer?.ok === true && (await answer.text()).includes(`value="${token}"`);
}

/** Loads a page again whose data is being made, unless something is being written on it. */
function startFilling(): void {
  if (!document.getElementById('filling')) return;
  setInterval(() => isWritten(document.activeElement) || location.reload(), 2000);
}

window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void comeBack();
});
startTimes();
startFilling();
startKeys();
startWords();
startLease();
