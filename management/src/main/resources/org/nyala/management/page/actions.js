/* What an administrator can do: log in, and carry out actions, each after a confirmation. The password is in this module's memory alone. */

import {byId, make, setText} from "./parts.js";

/* A page that is left alone forgets its login. */
const FORGET_MILLIS = 15 * 60 * 1000;

const ACTION_MILLIS = 60000;

let authorization = null;
let used = 0;

export const isLoggedIn = () => authorization !== null;

const showLogin = () => {
  byId("login").hidden = authorization !== null;
  byId("logout").hidden = authorization === null;
};

const forget = () => {
  authorization = null;
  showLogin();
};

/* Is called now and then. */
export const forgetIfLeftAlone = () => {
  if (authorization !== null && performance.now() - used > FORGET_MILLIS) {
    forget();
  }
};

const basic = (name, password) => {
  const octets = new TextEncoder().encode(name + ":" + password);
  return "Basic " + btoa(Array.from(octets, octet => String.fromCharCode(octet)).join(""));
};

/* Carries out an action. Returns the answer, {done, sentence, ...}, with the status; status 0 if there was none. */
const send = async (name, body, credentials) => {
  const headers = {"Content-Type": "application/json", "X-Nyala-Page": "1"};
  if (credentials !== null) {
    headers.Authorization = credentials;
  }
  used = performance.now();
  try {
    const answer = await fetch("/page/actions/" + name, {
      method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin", cache: "no-store", redirect: "error",
      signal: AbortSignal.timeout(ACTION_MILLIS)});
    const text = await answer.text();
    try {
      return Object.assign(JSON.parse(text), {status: answer.status});
    } catch (failure) {
      return {done: false, status: answer.status, sentence: "The server answers " + answer.status + ": " + text.trim().slice(0, 300)};
    }
  } catch (failure) {
    return {done: false, status: 0, sentence: "There was no answer: whether it was done is not known."};
  }
};

/* Carries out an action with the account that has logged in, and forgets a login that is not accepted any more. */
export const act = async (name, body) => {
  const answer = await send(name, body, authorization);
  if (answer.status === 401) {
    forget();
  }
  return answer;
};

const say = (element, answer) => {
  setText(element, answer.sentence);
  element.className = "answer " + (answer.done ? "done" : "refused");
};

const clear = element => {
  element.textContent = "";
  element.className = "answer";
};

const closed = dialog => new Promise(resolve => dialog.addEventListener("close", resolve, {once: true}));

/* Asks for name and password unless somebody has logged in. Returns whether somebody has then. */
export const login = async () => {
  if (authorization !== null) {
    return true;
  }
  const dialog = byId("login-dialog");
  clear(byId("login-answer"));
  dialog.showModal();
  byId("login-name").focus();
  await closed(dialog);
  byId("login-password").value = "";
  return authorization !== null;
};

const tryLogin = async () => {
  const submit = byId("login-submit");
  const credentials = basic(byId("login-name").value, byId("login-password").value);
  submit.disabled = true;
  clear(byId("login-answer"));
  const answer = await send("login", {}, credentials);
  submit.disabled = false;
  byId("login-password").value = "";
  if (!byId("login-dialog").open) {
    return;
  }
  if (answer.done) {
    authorization = credentials;
    showLogin();
    byId("login-dialog").close();
  } else {
    say(byId("login-answer"), answer);
    byId("login-password").focus();
  }
};

let pending = null;

/* Carries out {title, texts, verb, name, body} after a login and a confirmation. Returns the answer; null if it was not confirmed. */
export const confirmed = async action => {
  if (!await login()) {
    return null;
  }
  const dialog = byId("confirm-dialog");
  pending = {action, answer: null};
  const own = pending;
  setText(byId("confirm-title"), action.title);
  byId("confirm-text").replaceChildren(...action.texts.map(text => make("p", "", text)));
  setText(byId("confirm-submit"), action.verb);
  byId("confirm-submit").hidden = false;
  byId("confirm-submit").disabled = false;
  setText(byId("confirm-cancel"), "Leave it");
  clear(byId("confirm-answer"));
  dialog.showModal();
  byId("confirm-cancel").focus();
  await closed(dialog);
  return own.answer;
};

const carryOut = async () => {
  const own = pending;
  byId("confirm-submit").disabled = true;
  setText(byId("confirm-answer"), "Asking the server");
  const answer = await act(own.action.name, own.action.body);
  own.answer = answer;
  if (own !== pending) {
    return;
  }
  say(byId("confirm-answer"), answer);
  byId("confirm-submit").hidden = true;
  setText(byId("confirm-cancel"), "Close");
  byId("confirm-cancel").focus();
};

/* Has the values of a form taken by the script: nothing is sent by the form itself. */
export const onForm = (form, run) => byId(form).addEventListener("submit", event => {
  event.preventDefault();
  run();
});

/* Connects the dialogs and the buttons of the login. */
export const prepare = () => {
  byId("login").addEventListener("click", login);
  byId("logout").addEventListener("click", () => {
    forget();
    byId("login").focus();
  });
  onForm("login-form", tryLogin);
  byId("login-cancel").addEventListener("click", () => byId("login-dialog").close());
  onForm("confirm-form", () => byId("confirm-submit").hidden || byId("confirm-submit").disabled || carryOut());
  byId("confirm-cancel").addEventListener("click", () => byId("confirm-dialog").close());
};
