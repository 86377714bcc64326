/** The header with which a script requests a page. Such a request doesn't count as use of the session. */
export const liveHeader = 'x-infra-live';

/**
 * Keeps a page up to date: a stream of events says when to fetch it again, and the changes are applied. Without the
 * stream it is fetched periodically, and says since when. Boxes of calls that still wait stay the same elements, so that
 * focus and typed text survive. Everything else works without the script.
 */
export const liveScript = `'use strict';
(() => {
  // How often the page is fetched without events, and after what silence the stream counts as lost, in milliseconds.
  const interval = 4000;
  const silence = 25000;
  const news = document.getElementById('news');
  const liveState = document.getElementById('live');
  let pages = 1;

  const tell = (place, text) => { if (place.textContent !== text) place.textContent = text; };
  const say = (text) => tell(news, text);
  const hasFocus = (element) => element.contains(document.activeElement);
  const callsIn = (root) => new Map(Array.from(root.querySelectorAll('article'), (call) => [call.id, call.dataset.about]));

  const noteIn = (call) => call.querySelector(':scope > .said');

  const markGone = (call) => {
    const note = noteIn(call) ?? document.createElement('p');
    call.classList.add('gone');
    note.className = 'said';
    // With several pages, it may only have moved to another one.
    note.textContent = pages > 1 ? 'It is no longer on this page.' : 'It no longer waits: it was decided elsewhere, or expired.';
    if (!note.isConnected) call.prepend(note);
  };

  const markPresent = (call) => {
    call.classList.remove('gone');
    noteIn(call)?.remove();
  };

  // What has the focus stays until the focus leaves it.
  const remove = (element) => {
    if (!hasFocus(element)) element.remove();
    else for (const call of element.matches('article') ? [element] : element.querySelectorAll('article')) markGone(call);
  };

  const takeTimes = (present, wanted) => {
    const times = wanted.querySelectorAll('time');
    present.querySelectorAll('time').forEach((time, index) => { if (times[index]) time.textContent = times[index].textContent; });
  };

  const takePart = (present, wanted) => {
    if (present.hasAttribute('data-own')) return present;
    if (present.matches('article')) {
      markPresent(present);
      takeTimes(present, wanted);
    } else if (present.hasAttribute('data-parts')) takeParts(present, wanted);
    else if (!present.isEqualNode(wanted) && !hasFocus(present)) {
      present.replaceWith(wanted);
      return wanted;
    }
    return present;
  };

  // Every part has an id.
  const takeParts = (present, wanted) => {
    const ids = new Set(Array.from(wanted.children, ({ id }) => id));
    for (const part of Array.from(present.children)) if (!ids.has(part.id)) remove(part);
    let previous;
    for (const part of Array.from(wanted.children)) {
      const own = Array.from(present.children).find(({ id }) => id === part.id);
      if (own) previous = takePart(own, part);
      else {
        if (previous) previous.after(part);
        else present.prepend(part);
        previous = part;
      }
    }
  };

  const changeText = (before, now, total) => {
    const added = [...now].filter(([id]) => !before.has(id));
    const gone = [...before].filter(([id]) => !now.has(id));
    if (added.length + gone.length === 0) return undefined;
    // With several pages, a call may only have moved to another one.
    if (pages > 1) return total + ' calls wait.';
    const texts = [];
    if (added.length === 1) texts.push('A new call waits: ' + added[0][1] + '.');
    if (added.length > 1) texts.push(added.length + ' new calls wait.');
    if (gone.length === 1) texts.push('No longer waits: ' + gone[0][1] + '.');
    if (gone.length > 1) texts.push(gone.length + ' calls no longer wait.');
    return texts.join(' ');
  };

  let before = callsIn(document);

  const fetchPage = async () => {
    const answer = await fetch(location.href, { headers: { '${liveHeader}': '1' }, cache: 'no-store', signal: AbortSignal.timeout(10000) });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const wanted = page.getElementById('parts');
    // The session ended: the server shows the way in, and nothing else may stay on the screen.
    if (!wanted) return location.reload();
    const now = callsIn(wanted);
    pages = Number(wanted.dataset.pages);
    const text = changeText(before, now, wanted.dataset.total);
    before = now;
    takeParts(document.getElementById('parts'), wanted);
    document.title = page.title;
    if (text !== undefined) say(text);
  };

  const clockTime = () => new Date().toISOString().slice(11, 19) + ' UTC';
  let stream;
  let heard = 0;
  let lostAt;
  let isResponding = true;

  const isLive = () => stream?.readyState === 1 && Date.now() - heard < silence;

  const sayLost = () => {
    tell(liveState, 'Not live since ' + lostAt + (isResponding ? ': the page looks every ' + interval / 1000 + ' seconds instead.' : ': the server does not respond. What is shown may be out of date.'));
  };

  let looking = false;
  let again = false;
  const look = async () => {
    again = looking;
    if (looking) return;
    looking = true;
    try {
      await fetchPage();
      isResponding = true;
    } catch {
      isResponding = false;
      lostAt ??= clockTime();
    }
    looking = false;
    if (!isResponding) sayLost();
    else if (lostAt !== undefined && isLive()) {
      lostAt = undefined;
      tell(liveState, 'Live again.');
    }
    if (again) await look();
  };

  const listen = () => {
    stream?.close();
    heard = Date.now();
    stream = new EventSource(document.getElementById('parts').dataset.events);
    const hear = () => { heard = Date.now(); };
    stream.addEventListener('open', () => { hear(); look(); });
    stream.addEventListener('here', hear);
    stream.addEventListener('changed', () => {
      hear();
      document.dispatchEvent(new Event('infra-changed'));
      look();
    });
  };

  // What stayed only because it had the focus goes now.
  document.addEventListener('focusout', () => setTimeout(() => { if (document.querySelector('.gone')) look(); }));

  document.getElementById('static').remove();
  listen();
  let lostFor = 0;
  setInterval(() => {
    if (isLive() && isResponding) {
      lostFor = 0;
      return;
    }
    lostFor += 1;
    // A short interruption is no news: the stream connects again by itself.
    if (lostFor > 1 && !isLive()) {
      lostAt ??= clockTime();
      if (stream.readyState === 2 || Date.now() - heard >= silence) listen();
      sayLost();
    }
    look();
  }, interval);
})();
`;
