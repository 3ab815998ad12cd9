/* The live page of the server: follows it, shows what it sends, and connects the forms. */

import {act, confirmed, forgetIfLeftAlone, login, onForm, prepare} from "./actions.js";
import {append, load, recolour} from "./charts.js";
import {byId, facts, setText, table} from "./parts.js";
import {show, unlock} from "./show.js";
import {follow} from "./stream.js";
import {bytes, clock, count, counted, micros, millis, plain, quoted} from "./text.js";

/* Colours: as the system has them, light, or dark. */

const COLOURS_KEY = "nyala.colours";
const COLOURS = {system: "as the system", light: "light", dark: "dark"};
const NEXT = {system: "light", light: "dark", dark: "system"};

const readColours = () => {
  try {
    const kept = localStorage.getItem(COLOURS_KEY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch (failure) {
    return "system";
  }
};

let colours = readColours();

const showColours = () => {
  if (colours === "system") {
    delete document.documentElement.dataset.colours;
  } else {
    document.documentElement.dataset.colours = colours;
  }
  setText(byId("theme"), "Colours: " + COLOURS[colours]);
  recolour();
};

const nextColours = () => {
  colours = NEXT[colours];
  try {
    localStorage.setItem(COLOURS_KEY, colours);
  } catch (failure) {
    /* The browser keeps nothing: the choice holds until the page is closed. */
  }
  showColours();
};

/* The hour: fetched at the start and after a gap, and then kept up by the points of the samples. */

const HISTORY_MILLIS = 30000;
let intervalSeconds = 5;
let isFetching = false;
let fetched = -HISTORY_MILLIS;
let startMillis = 0;

const fetchHour = async () => {
  if (isFetching || performance.now() - fetched < 5000) {
    return;
  }
  isFetching = true;
  fetched = performance.now();
  let history = null;
  try {
    const answer = await fetch("/page/history", {cache: "no-store", redirect: "error", signal: AbortSignal.timeout(10000)});
    history = answer.ok ? await answer.json() : null;
  } catch (failure) {
    /* The banner says that the server does not answer; the next sample asks again. */
  } finally {
    isFetching = false;
  }
  if (history !== null) {
    intervalSeconds = history.intervalSeconds;
    load(history);
  }
};

const keepUp = sample => {
  const isOther = sample.server.startMillis !== startMillis;
  startMillis = sample.server.startMillis;
  if (isOther) {
    fetched = -HISTORY_MILLIS;
    fetchHour();
  } else if (sample.point === undefined ? performance.now() - fetched > HISTORY_MILLIS : sample.point !== null && append(sample.point, intervalSeconds)) {
    fetchHour();
  }
};

/* What is said aloud: alarms that come and go, and whether the page is live. */

let alarms = null;
const withoutNumbers = text => text.replace(/\d+/g, "0");

const speakAlarms = findings => {
  const current = new Map(findings.filter(finding => finding.weight === "fault" || finding.weight === "warning")
    .map(finding => [finding.weight + withoutNumbers(finding.sentence), finding]));
  const sentence = finding => finding.weight + ": " + finding.sentence;
  if (alarms === null) {
    setText(byId("spoken-alarms"), current.size === 0 ? "No alarm." : counted(current.size, "alarm", "alarms") + ". " + [...current.values()].map(sentence).join(". "));
  } else {
    const come = [...current].filter(([key]) => !alarms.has(key)).map(([, finding]) => sentence(finding));
    const gone = [...alarms].filter(([key]) => !current.has(key)).map(([, finding]) => "Over: " + finding.sentence);
    if (come.length + gone.length > 0) {
      setText(byId("spoken-alarms"), come.concat(gone).join(". "));
    }
  }
  alarms = current;
  document.title = (current.size > 0 ? "(" + current.size + ") " : "") + "Nyala, " + location.hostname;
};

let spoken = "connecting";
let shownMillis = 0;

const STATES = {connecting: "Connecting", live: "Live", late: "Every 5 seconds", lost: "Not connected"};

const onState = (state, text, remaining) => {
  byId("state").className = state;
  setText(byId("state-text"), STATES[state] + (shownMillis > 0 ? ", as of " + clock(new Date(shownMillis)) : ""));
  const banner = byId("banner");
  banner.hidden = text === "";
  banner.className = "banner " + state;
  setText(byId("banner-text"), state === "lost" ? text + ": trying again in " + remaining + " s." : text);
  if (state !== "connecting" && state !== spoken) {
    spoken = state;
    setText(byId("spoken-state"), state === "lost" ? text + ". The page tries again by itself." : text || "The page is live.");
  }
};

const onSample = sample => {
  shownMillis = sample.timeMillis;
  forgetIfLeftAlone();
  show(sample);
  showAccount(sample.account);
  speakAlarms(sample.findings);
  keepUp(sample);
};

const showAccount = account => {
  byId("readonly-note").hidden = account.actions;
  setText(byId("readonly-note"), account.sentence);
};

/* Forms. */

const startBackup = directory => confirmed({
  title: "Start a backup?", verb: "Start the backup", name: "backup", body: {directory},
  texts: ["The data is copied into " + quoted(directory) + " on the server's machine, while the server goes on. The folder has to be new or empty."]});

const buildIndex = index => confirmed({
  title: "Build an index?", verb: "Build the index", name: "index", body: {index},
  texts: ["The index " + quoted(index) + " is built while the server goes on, and takes room in the data file. Searches use it once it is complete."]});

const switchStrategy = strategy => confirmed({
  title: "Switch the strategy?", verb: "Switch", name: "strategy", body: {strategy},
  texts: ["New operations run by " + quoted(strategy) + "; those that run are finished first. It lasts until the server ends: the configuration is not changed."]});

const showTerms = table("explain-terms", "Parts of the filter", "none", [
  {name: "Part", kind: "long", text: term => term.text, indent: term => term.depth},
  {name: "Index", kind: "short", text: term => term.index || "none"},
  {name: "Candidates", kind: "number", text: term => count(term.candidates)},
  {name: "Matches", kind: "number", text: term => count(term.matches)},
  {name: "Note", kind: "long", text: term => term.note}]);

const showStages = table("explain-stages", "Where the time went", "none", [
  {name: "Stage", kind: "long", text: stage => stage.name},
  {name: "Time", kind: "number", text: stage => micros(stage.micros)}]);

const showAdvice = table("explain-advice", "Indexes that would help", "none", [
  {name: "Index", kind: "short", text: advice => advice.index},
  {name: "Why", kind: "long", text: advice => advice.reason},
  {name: "Size, about", kind: "number", text: advice => bytes(advice.bytes)},
  {name: "Time to build, about", kind: "number", text: advice => millis(advice.millis)},
  {name: "Action", kind: "short", action: advice => ({label: "Build this index", name: "Build the index " + advice.index, run: () => buildIndex(advice.index)})}]);

const showExplanation = explanation => {
  byId("explain-plan").className = "";
  setText(byId("explain-plan"), explanation.plan);
  const unknown = explanation.unknownAttributes;
  facts("explain-facts", [
    ["Entries found", count(explanation.results)],
    ["Entries read", count(explanation.entriesRead) + " of " + count(explanation.storeEntries)],
    ["Tested", explanation.exact ? "no: the indexes decide for certain" : "yes: each entry that was read"],
    ["Complete", explanation.complete ? "yes" : "no: the time was over before the end"],
    ["Not in the schema", unknown.length === 0 ? "" : unknown.map(plain).join(", ") + ": no entry matches a part with it"]]);
  showTerms(explanation.terms);
  showStages(explanation.stages);
  showAdvice(explanation.advice);
};

const explain = async () => {
  const body = {base: byId("explain-base").value, scope: byId("explain-scope").value, filter: byId("explain-filter").value};
  if (!await login()) {
    return;
  }
  byId("explain-result").hidden = false;
  byId("explain-plan").className = "";
  setText(byId("explain-plan"), "Asking the server");
  facts("explain-facts", []);
  [showTerms, showStages, showAdvice].forEach(shown => shown([]));
  const answer = await act("explain", body);
  if (answer.done) {
    showExplanation(answer.explanation);
  } else {
    byId("explain-plan").className = "answer refused";
    setText(byId("explain-plan"), answer.sentence);
  }
};

const valueOf = id => byId(id).value.trim();

prepare();
showColours();
byId("theme").addEventListener("click", nextColours);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
onForm("strategy-form", () => switchStrategy(byId("strategy").value));
onForm("backup-form", () => startBackup(valueOf("backup-directory")));
onForm("index-form", () => buildIndex(valueOf("index-name")));
onForm("unlock-form", () => unlock(valueOf("unlock-dn")));
onForm("explain-form", explain);
follow(onSample, onState);
