/** The header with which the script requests the page. Such a request doesn't count as use of the session. */
export const liveHeader = 'x-infra-live';

/**
 * Keeps the page up to date: fetches it periodically and applies the changes. Boxes of calls that still wait stay the
 * same elements, so that focus and typed text survive. Everything else works without the script.
 */
export const liveScript = `'use strict';
(() => {
  const interval = 4000;
  const news = document.getElementById('news');
  let isConnected = true;
  let pages = 1;

  const say = (text) => { if (news.textContent !== text) news.textContent = text; };
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

  const poll = async () => {
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
    else if (!isConnected) say('The server responds again.');
    isConnected = true;
  };

  const fail = () => {
    if (isConnected) say('The server does not respond since ' + new Date().toISOString().slice(11, 19) + ' UTC. What is shown may be out of date.');
    isConnected = false;
  };

  document.getElementById('static').remove();
  const repeat = () => setTimeout(() => poll().catch(fail).finally(repeat), interval);
  repeat();
})();
`;
