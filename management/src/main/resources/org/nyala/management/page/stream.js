/*
 * Follows the server: by its events, or by questions each five seconds if something between holds the events back. Says how that goes,
 * and begins again by itself. Does nothing while the page cannot be seen.
 */

const PAUSES = [1, 2, 4, 8, 15];
const SILENCE_MILLIS = 5000;
const QUESTION_MILLIS = 4000;

/* Events that are older when they arrive were held back. */
const LATE_MILLIS = 3000;

/* As many in time, one after the other, show that events are not held back any more. */
const ENOUGH_IN_TIME = 5;
const BETWEEN_MILLIS = 300;

/* A stream that ended sooner may have made way for another page, which is not to make way for this one in turn. */
const LONG_MILLIS = 30000;

const STOPPED = "The server is stopping";
const SILENT = "The server does not answer";
const HELD_BACK = "A proxy between this page and the server holds back its events, so the page asks every 5 seconds instead. "
  + "Let the proxy pass them on at once, as the header \"X-Accel-Buffering: no\" of the answer asks it to (nginx: proxy_buffering off).";
const NO_EVENTS = "The server sends this page no events now, as many pages are open: the page asks every 5 seconds instead.";

/*
 * Begins to follow. onSample(sample) gets each object; onState(state, text, seconds) the state: connecting, live, late or lost, with a
 * sentence of what is wrong, and the seconds until the next try if it is lost.
 */
export const follow = (onSample, onState) => {
  let source = null;
  let opened = 0;
  let arrived = 0;
  let inTime = 0;
  let hasReopened = false;
  let isHeldBack = false;
  let isRefused = false;
  let isAsking = false;
  let tries = 0;
  let reason = SILENT;
  let nextTry = null;
  let ticker = null;
  let skewMillis = null;
  let lastQuestion = 0;

  /* The clocks of the server and the browser differ: the event that came soonest tells by how much at most. */
  const ageOf = timeMillis => {
    const difference = Date.now() - timeMillis;
    skewMillis = skewMillis === null ? difference : Math.min(skewMillis, difference);
    return difference - skewMillis;
  };

  const close = () => {
    if (source !== null) {
      source.close();
      source = null;
    }
  };

  const report = () => {
    if (nextTry !== null) {
      onState("lost", reason, Math.max(0, Math.ceil((nextTry - performance.now()) / 1000)));
    } else if (isHeldBack || isRefused) {
      onState("late", isHeldBack ? HELD_BACK : NO_EVENTS, 0);
    } else if (arrived > 0) {
      onState("live", "", 0);
    } else {
      onState("connecting", "", 0);
    }
  };

  const lose = why => {
    close();
    reason = why;
    isHeldBack = false;
    isRefused = false;
    nextTry = performance.now() + 1000 * PAUSES[Math.min(tries, PAUSES.length - 1)];
    tries++;
    report();
  };

  const take = (sample, isEvent) => {
    const age = ageOf(sample.timeMillis);
    const now = performance.now();
    if (isEvent) {
      inTime = age < LATE_MILLIS && now - arrived > BETWEEN_MILLIS ? inTime + 1 : 0;
      arrived = now;
      isRefused = false;
      if (inTime >= ENOUGH_IN_TIME) {
        isHeldBack = false;
        hasReopened = false;
      }
    }
    tries = 0;
    nextTry = null;
    onSample(sample);
    report();
  };

  /* Asks once. Returns the sentence of what is wrong, or null. */
  const ask = async () => {
    lastQuestion = performance.now();
    let sample;
    try {
      const answer = await fetch("/page/data", {cache: "no-store", redirect: "error", signal: AbortSignal.timeout(QUESTION_MILLIS)});
      if (!answer.ok) {
        const text = (await answer.text()).trim().slice(0, 300);
        return "The server answers " + answer.status + (text ? ": " + text : "");
      }
      sample = await answer.json();
    } catch (failure) {
      return SILENT;
    }
    take(sample, false);
    return null;
  };

  const open = () => {
    close();
    nextTry = null;
    opened = performance.now();
    arrived = 0;
    inTime = 0;
    skewMillis = null;
    const own = new EventSource("/page/events");
    source = own;
    own.addEventListener("sample", event => own === source && take(JSON.parse(event.data), true));
    own.addEventListener("bye", () => own === source && lose(STOPPED));
    own.addEventListener("error", () => own === source && fail());
    report();
  };

  /* The stream has ended, or was refused: only a question tells why. */
  const fail = async () => {
    const wasLong = arrived > 0 && performance.now() - opened >= LONG_MILLIS;
    close();
    const wrong = await whileAsking(ask);
    if (ticker === null || source !== null || nextTry !== null) {
      return;
    }
    if (wrong !== null) {
      lose(wrong);
    } else if (wasLong) {
      open();
    } else {
      isRefused = true;
      report();
    }
  };

  /* The stream is open and silent. */
  const doubt = async () => {
    const own = source;
    const hadEvents = arrived > 0;
    const wrong = await whileAsking(ask);
    if (ticker === null || own !== source) {
      return;
    }
    if (wrong !== null) {
      lose(wrong);
    } else if (performance.now() - Math.max(opened, arrived) < SILENCE_MILLIS) {
      return;
    } else if (hadEvents && !hasReopened && !isHeldBack) {
      hasReopened = true;
      open();
    } else {
      isHeldBack = true;
      report();
    }
  };

  const whileAsking = async question => {
    isAsking = true;
    try {
      return await question();
    } finally {
      isAsking = false;
    }
  };

  const tick = () => {
    const now = performance.now();
    if (isAsking) {
      return;
    }
    if (nextTry !== null) {
      if (now >= nextTry) {
        whileAsking(ask).then(wrong => ticker === null || (wrong === null ? open() : lose(wrong)));
      } else {
        report();
      }
    } else if (source === null) {
      if (now - lastQuestion >= SILENCE_MILLIS) {
        isRefused ? open() : fail();
      }
    } else if (now - Math.max(opened, arrived) >= SILENCE_MILLIS && now - lastQuestion >= SILENCE_MILLIS - 100) {
      doubt();
    }
  };

  const begin = () => {
    if (ticker === null && !document.hidden) {
      tries = 0;
      ticker = setInterval(tick, 1000);
      open();
    }
  };

  const end = () => {
    if (ticker !== null) {
      clearInterval(ticker);
      ticker = null;
      nextTry = null;
      close();
    }
  };

  document.addEventListener("visibilitychange", () => document.hidden ? end() : begin());
  window.addEventListener("pagehide", end);
  window.addEventListener("pageshow", begin);
  begin();
};
