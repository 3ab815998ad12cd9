/* Shows a sample of the server, part by part. Everything in it may come from clients or the directory: it is text, never markup. */

import {confirmed} from "./actions.js";
import {byId, facts, keep, make, setText, table, tiles, words} from "./parts.js";
import {bytes, count, counted, figure, isNumber, micros, millis, moment, perSecond, plain, quoted, seconds} from "./text.js";

const WARN_DAYS = 14;
const anonymous = identity => identity === "" ? "anonymous" : identity;
const yesNo = value => value ? "yes" : "no";
const numberColumn = (name, text) => ({name, kind: "number", text});
const shortColumn = (name, text) => ({name, kind: "short", text});
const longColumn = (name, text) => ({name, kind: "long", text});
const actionColumn = action => ({name: "Action", kind: "short", action});

let now = 0;

/* Findings. */

const findingParts = finding => finding.area + "|" + finding.sentence + "|" + finding.command;

const newFinding = () => {
  const item = make("li");
  const text = make("div", "finding");
  const todo = make("p", "todo");
  todo.append("What to do: ", make("code"));
  text.append(make("p"), todo);
  item.append(make("span", "weight"), text);
  return item;
};

const showFinding = (item, finding) => {
  const weight = item.firstElementChild;
  weight.className = "weight " + (["fault", "warning", "advice", "unknown", "ok"].includes(finding.weight) ? finding.weight : "unknown");
  setText(weight, finding.weight === "ok" ? "in order" : finding.weight);
  const [sentence, todo] = item.lastElementChild.children;
  setText(sentence, finding.area + ": " + finding.sentence);
  todo.hidden = finding.command === "";
  setText(todo.lastElementChild, finding.command);
};

const showFindings = sample => {
  const isWell = finding => finding.weight === "ok";
  const troubles = sample.findings.filter(finding => !isWell(finding));
  const well = sample.findings.filter(isWell);
  const none = byId("findings-none");
  none.hidden = troubles.length > 0;
  none.classList.toggle("calm", sample.findingsSeconds !== null);
  setText(none, sample.findingsSeconds === null ? "No alarm. The server is being examined." : "Nothing needs attention.");
  keep(byId("findings-list"), troubles, findingParts, newFinding, showFinding);
  byId("findings-well").hidden = well.length === 0;
  setText(byId("findings-well-title"), "In order: " + count(well.length));
  keep(byId("findings-well-list"), well, findingParts, newFinding, showFinding);
  setText(byId("findings-age"), sample.findingsSeconds === null ? ""
    : "Alarms are of this second, the others of " + seconds(sample.findingsSeconds) + " ago. nyala doctor lists the same, and looks at files and entries, too.");
};

/* The figures at a glance. */

const certificateTile = certificates => {
  if (certificates === null) {
    return [];
  }
  const days = certificates.days;
  return [{
    name: "Certificate", text: days === null ? "not known" : days < 0 ? "over" : counted(days, "day", "days"),
    more: certificates.failure !== "" ? "cannot be renewed" : days === null ? "" : (days < 0 ? "ended " : "ends ") + moment(certificates.endMillis, now),
    weight: days !== null && days < 0 ? "fault" : days !== null && days < WARN_DAYS || certificates.failure !== "" ? "warning" : ""}];
};

const copyTiles = copies => copies.length === 0 ? [] : [{
  name: "Copies", text: counted(copies.filter(copy => copy.ready).length, "ready", "ready") + " of " + count(copies.length),
  more: "behind by " + seconds(Math.max(...copies.map(copy => copy.lagSeconds))),
  weight: copies.every(copy => copy.ready) ? "" : "warning"}];

const clusterTile = cluster => cluster === null ? [] : [
  {name: "Cluster", text: cluster.role, more: "leader " + plain(cluster.leader) + ", term " + plain(cluster.term)}];

const storeTiles = store => {
  if (store === null) {
    return [{name: "Store", text: "cannot be read", weight: "fault"}];
  }
  const oldest = store.oldestRead;
  return [
    {name: "Commits", text: perSecond(store.commitsPerSecond), more: isNumber(store.batchMean) ? figure(store.batchMean) + " changes in each" : "no change in the last seconds"},
    {name: "Store", text: bytes(store.usedBytes), more: counted(store.entries, "entry", "entries")},
    {name: "Free disk", text: bytes(store.diskFreeBytes), more: "of " + bytes(store.diskBytes)},
    {name: "Oldest read", text: oldest.process === 0 ? "none" : seconds(oldest.seconds),
      more: oldest.process === 0 ? "" : counted(oldest.commits, "commit", "commits") + " behind"}];
};

const lockedTile = accounts => ({
  name: "Locked accounts", text: accounts.locked === null ? "not yet known" : count(accounts.locked.length) + (accounts.more || !accounts.complete ? " or more" : ""),
  more: count(accounts.lockedSinceStart) + " since the start"});

const showNow = sample => {
  const {operations, connections, dispatch, store, server, accounts} = sample;
  const phase = name => operations.phases.find(each => each.phase === name) || {};
  tiles("now-list", [
    {name: "Operations", text: perSecond(operations.perSecond), more: count(operations.active) + " running, " + count(operations.refused) + " refused"},
    {name: "Duration, p99", text: micros(operations.percentile99Micros), more: isNumber(operations.medianMicros) ? "p50 " + micros(operations.medianMicros) : "no operation has ended lately"},
    {name: "Connections", text: count(connections.open), more: perSecond(connections.openedPerSecond) + " new"},
    {name: "Permits and queue", text: count(dispatch.inFlight), more: "operations that hold a place"},
    {name: "Wait for a permit, p99", text: micros(phase("admission").percentile99Micros), more: "for a thread " + micros(phase("queue").percentile99Micros)},
    {name: "Strategy", text: dispatch.strategy, more: counted(dispatch.workers, "worker", "workers")},
    {name: "Changes that wait", text: count(dispatch.waitingChanges), more: count(dispatch.refusedChanges) + " refused"},
    ...storeTiles(store),
    ...certificateTile(sample.certificates),
    lockedTile(accounts),
    {name: "Followers", text: count(sample.followersCount), more: "searches that go on"},
    ...copyTiles(sample.copies),
    ...clusterTile(sample.cluster),
    {name: "Held for clients", text: bytes(connections.heldBytes), more: "at most " + bytes(connections.heldBytesBound)},
    {name: "Processor", text: isNumber(server.processorPercent) ? figure(server.processorPercent) + " %" : "not known", more: "of one; there are " + count(server.processors)}]);
};

/* Operations. */

const showKinds = table("kinds", "Kinds of operations", "none", [
  shortColumn("Kind", kind => kind.operation),
  numberColumn("Per second", kind => figure(kind.perSecond)),
  numberColumn("p50", kind => micros(kind.medianMicros)),
  numberColumn("p99", kind => micros(kind.percentile99Micros)),
  numberColumn("p99.9", kind => micros(kind.percentile999Micros)),
  numberColumn("Since the start", kind => count(kind.completed))], {keyOf: kind => kind.operation});

const showPhases = table("phases", "Phases of operations", "none", [
  shortColumn("Phase", phase => phase.phase),
  numberColumn("Per second", phase => figure(phase.perSecond)),
  numberColumn("p50", phase => micros(phase.medianMicros)),
  numberColumn("p99", phase => micros(phase.percentile99Micros)),
  {name: "Doing", kind: "long", text: phase => phase.doing}], {keyOf: phase => phase.phase});

const showRunning = table("running", "Operations that run now, the longest first", "none", [
  shortColumn("Running for", one => millis(one.millis)),
  shortColumn("Kind", one => one.operation),
  longColumn("Client", one => anonymous(one.identity)),
  longColumn("Request", one => one.request),
  actionColumn(one => ({label: "Cancel", name: "Cancel operation " + one.messageId + " of connection " + one.connection, run: () => cancel(one)}))],
{keyOf: one => one.connection + "/" + one.messageId});

const cancel = one => confirmed({
  title: "Cancel an operation?", verb: "Cancel the operation", name: "cancel", body: {connection: one.connection, messageId: one.messageId},
  texts: ["The " + one.operation + " of " + quoted(anonymous(one.identity)) + " on connection " + one.connection
    + " ends with the result canceled. A change that is being stored is stored nevertheless. The client may send it again.", "Request: " + plain(one.request)]});

const showOperations = sample => {
  const {operations, dispatch} = sample;
  setText(byId("operations-note"), (operations.windowSeconds >= 1
    ? "Percentiles are of the operations that ended in the last " + seconds(operations.windowSeconds) + " or so. " : "Percentiles come in some seconds. ") + count(operations.malformed) + " malformed requests since the start.");
  showKinds(operations.kinds);
  showPhases(operations.phases);
  facts("dispatch-list", [
    ["Strategy", dispatch.strategy],
    ["Workers", count(dispatch.workers)],
    ["With a permit or a place in a queue", counted(dispatch.inFlight, "operation", "operations")],
    ["Refused as busy", counted(operations.refused, "operation", "operations")],
    ["Switched since the start", counted(dispatch.switches, "time", "times")]]);
  const select = byId("strategy");
  const isChosen = select === document.activeElement || select.value !== "" && select.value !== select.dataset.current;
  keep(select, dispatch.strategies, name => name, name => {
    const option = make("option");
    option.value = name;
    return option;
  }, (option, name) => setText(option, name));
  if (!isChosen) {
    select.value = dispatch.strategy;
  }
  select.dataset.current = dispatch.strategy;
  showRunning(sample.running);
};

/* Connections. */

const showBusiest = table("busiest", "Busiest connections", "none", [
  shortColumn("Number", one => String(one.number)),
  longColumn("Client", one => anonymous(one.identity)),
  shortColumn("From", one => one.peer),
  numberColumn("Per second", one => figure(one.perSecond)),
  numberColumn("Ended", one => count(one.completed)),
  numberColumn("Running", one => count(one.executing)),
  numberColumn("Waiting", one => count(one.pending)),
  numberColumn("Open for", one => seconds(one.ageSeconds)),
  numberColumn("Idle for", one => seconds(one.idleSeconds)),
  {name: "State", kind: "", text: one => [one.reading ? "" : "not read from", one.writable ? "" : "does not read"].filter(text => text !== "").join(", ") || "well"},
  actionColumn(one => ({label: "Disconnect", name: "Disconnect connection " + one.number, run: () => disconnect(one)}))],
{keyOf: one => one.number, isTrouble: one => !one.reading || !one.writable});

const disconnect = one => confirmed({
  title: "Disconnect a client?", verb: "Disconnect", name: "disconnect", body: {connection: one.number},
  texts: ["Connection " + one.number + " of " + quoted(anonymous(one.identity)) + " from " + plain(one.peer) + " ends with a notice. "
    + "Its operations end without an answer, and the client may connect again."]});

const showConnections = ({connections}) => {
  facts("connections-list", [
    ["Open", count(connections.open)],
    ["Opened since the start", count(connections.opened)],
    ["Refused", count(connections.refused)],
    ["Closed, as clients did not read", count(connections.stalled)],
    ["Held for clients", bytes(connections.heldBytes) + " of at most " + bytes(connections.heldBytesBound)],
    ["Age of the list", connections.busiestSeconds > 1 ? seconds(connections.busiestSeconds) : ""]]);
  showBusiest(connections.busiest);
};

/* Slow requests. */

const showSlowRequests = table("slow-requests", "Slow requests, the greatest total time first", "none", [
  longColumn("Client", one => one.client),
  shortColumn("Kind", one => one.operation),
  longColumn("Shape", one => one.shape),
  numberColumn("Number", one => count(one.count)),
  numberColumn("Longest", one => millis(one.longestMillis)),
  numberColumn("Total", one => millis(one.totalMillis)),
  shortColumn("Last", one => moment(Date.parse(one.last), now))], {keyOf: one => one.client + "|" + one.operation + "|" + one.shape});

const showSlowClients = table("slow-clients", "Clients with slow requests", "none", [
  longColumn("Client", one => one.client),
  numberColumn("Number", one => count(one.count)),
  numberColumn("Longest", one => millis(one.longestMillis)),
  numberColumn("Total", one => millis(one.totalMillis))], {keyOf: one => one.client});

const showSlow = ({slow}) => {
  setText(byId("slow-note"), slow.leastMillis === 0 ? "Slow requests are not recorded (log.slowMillis is 0)."
    : "Requests that took " + count(slow.leastMillis) + " ms or longer (log.slowMillis), by client, kind and shape."
      + (slow.dropped > 0 ? " " + counted(slow.dropped, "row", "rows") + " made way for others." : ""));
  showSlowRequests(slow.requests);
  showSlowClients(slow.clients);
};

/* The store. */

const showReaders = table("readers", "Processes with open reads", "none", [
  shortColumn("Process", one => String(one.process)),
  {name: "Program", kind: "", text: one => one.own ? "this server" : one.command || "not known"},
  numberColumn("Reads", one => count(one.reads)),
  numberColumn("Commits behind", one => count(one.commits)),
  actionColumn(one => one.own ? null : {label: "End", name: "End process " + one.process, run: () => endReader(one)})], {keyOf: one => one.process});

const endReader = one => confirmed({
  title: "End a process that reads?", verb: "End the process", name: "end-reader", body: {process: one.process},
  texts: ["Process " + one.process + " (" + (one.command ? plain(one.command) : "program not known") + ") is asked to end (SIGTERM): an export, a backup or a check that it makes is not finished. "
    + "Space that it kept from being used again becomes free."]});

const showStore = ({store}) => {
  if (store === null) {
    facts("store-list", [["Store", "cannot be read"]]);
    showReaders([]);
    return;
  }
  const oldest = store.oldestRead;
  facts("store-list", [
    ["Entries", count(store.entries)],
    ["Size", bytes(store.usedBytes) + " of at most " + bytes(store.maximumBytes)],
    ["Free disk", store.diskFreeBytes < 0 ? "not known" : bytes(store.diskFreeBytes) + " of " + bytes(store.diskBytes)],
    ["Commits", perSecond(store.commitsPerSecond) + ", " + count(store.commits) + " since the start"],
    ["Changes", perSecond(store.changesPerSecond) + ", " + count(store.changes) + " since the start"],
    ["Duration of a commit", isNumber(store.commitMedianMicros) ? "p50 " + micros(store.commitMedianMicros) + ", p99 " + micros(store.commitPercentile99Micros) : ""],
    ["Changes in a commit", (isNumber(store.batchMean) ? figure(store.batchMean) + " on average, p99 " + count(store.batchPercentile99) + ", " : "")
      + count(store.largestCommit) + " at most since the start"],
    ["Last commit", store.lastCommitMillis > 0 ? moment(store.lastCommitMillis, now) : "before the start"],
    ["Failed commits", count(store.commitFailures) + (store.lastCommitFailure ? ", the last one: " + store.lastCommitFailure : "")],
    ["Open reads", count(store.openReads) + " here, " + count(store.otherReads) + " of other processes"],
    ["Slots of readers", count(store.readerSlots) + " of " + count(store.maximumReaderSlots)],
    ["Oldest read", oldest.process === 0 ? "none is behind"
      : "process " + oldest.process + (oldest.own ? " (this server)" : "") + ", " + seconds(oldest.seconds) + ", " + counted(oldest.commits, "commit", "commits") + " behind"]]);
  facts("index-work", [["Work on indexes", store.indexWork.join("; ")]]);
  showReaders(store.readers);
  setText(byId("indexes-title"), counted(store.indexes.length, "index", "indexes"));
  words("indexes", store.indexes);
};

const progress = job => job.total > 0 ? Math.min(100, Math.floor(100 * job.done / job.total)) + " %" : "";

const showJobs = table("jobs-list", "Jobs since the start, the latest first", "none", [
  shortColumn("Job", job => String(job.number)),
  longColumn("Work", job => job.work),
  shortColumn("State", job => job.state + (job.state === "running" && progress(job) ? ", " + progress(job) : "")),
  shortColumn("Begun", job => moment(job.startMillis, now)),
  longColumn("Message", job => job.message)], {keyOf: job => job.number, isTrouble: job => job.state === "failed"});

/* Followers, copies and members. */

const showFollowers = table("followers", "Followers: searches that go on", "none", [
  longColumn("Client", one => anonymous(one.identity)),
  shortColumn("Connection", one => String(one.connection)),
  numberColumn("For", one => seconds(one.seconds)),
  longColumn("Request", one => one.request),
  actionColumn(one => ({label: "Cancel", name: "Cancel operation " + one.messageId + " of connection " + one.connection, run: () => cancel(one)}))], {keyOf: one => one.connection + "/" + one.messageId});

const showCopies = table("copied", "Copies of other servers", "none", [
  longColumn("Naming context", copy => copy.suffix),
  longColumn("Provider", copy => copy.provider),
  shortColumn("Phase", copy => copy.phase),
  numberColumn("Behind by", copy => copy.lagSeconds < 0 ? "not known" : seconds(copy.lagSeconds)),
  shortColumn("Ready", copy => yesNo(copy.ready)),
  numberColumn("Guarded", copy => count(copy.guarded)),
  longColumn("Last failure", copy => copy.error || "none")], {keyOf: copy => copy.suffix + "|" + copy.provider, isTrouble: copy => !copy.ready});

const showEpochs = table("epochs", "Epochs of naming contexts", "no server was promoted", [
  longColumn("Naming context", one => one.suffix),
  numberColumn("Epoch", one => String(one.epoch)),
  numberColumn("Changed by server", one => one.writer === 0 ? "" : String(one.writer)),
  shortColumn("Another promoted", one => yesNo(one.superseded)),
  longColumn("What to do", one => one.remedy || "nothing")], {keyOf: one => one.suffix, isTrouble: one => one.superseded});

const showMembers = table("cluster", "Members of the cluster", "this server is in none", [
  longColumn("Member", one => one.text),
  numberColumn("Entries behind", one => one.lag === null ? "the leader knows" : count(one.lag))], {keyOf: one => one.text.split(/[\s,]+/).slice(0, 2).join(" ")});

const showCopied = sample => {
  const {cluster} = sample;
  facts("cluster-list", cluster === null ? [] : [["Role here", cluster.role], ["Leader", cluster.leader], ["Term", cluster.term], ["Log", cluster.log]]);
  showMembers(cluster === null ? [] : cluster.members);
  showFollowers(sample.followers);
  showCopies(sample.copies);
  showEpochs(sample.epochs.filter(one => one.epoch > 0 || one.superseded));
};

/* Accounts. */

const showLocked = table("locked", "Accounts that are locked now", "none", [
  longColumn("Account", one => one.dn),
  actionColumn(one => ({label: "Unlock", name: "Unlock " + one.dn, run: () => unlock(one.dn)}))], {keyOf: one => one.dn});

export const unlock = dn => confirmed({
  title: "Unlock an account?", verb: "Unlock", name: "unlock", body: {dn},
  texts: ["Locks, delays and wrong passwords of " + quoted(dn) + " are forgotten: the right password lets its user in again."]});

const showAccounts = ({accounts}) => {
  setText(byId("accounts-note"), accounts.locked === null ? "The accounts are being looked at."
    : count(accounts.lockedSinceStart) + " locked since the start. The list is of " + seconds(accounts.seconds) + " ago"
      + (accounts.complete ? "" : ", and not whole: there was no time for all accounts") + (accounts.more ? "; there are more" : "") + ".");
  showLocked((accounts.locked || []).map(dn => ({dn})));
};

/* Notices. */

const showNotices = table("notices-list", "Notices, the latest first", "none", [
  shortColumn("Time", notice => moment(notice.timeMillis, now)),
  {name: "Kind", kind: "short", text: notice => notice.kind + (notice.over ? ", over" : "")},
  longColumn("Notice", notice => notice.message)], {keyOf: notice => notice.timeMillis + "|" + notice.kind + "|" + notice.over});

/* The server. */

const showExtensions = table("extensions", "States of extensions", "none", [
  shortColumn("Extension", one => one.extension),
  shortColumn("Name", one => one.name),
  longColumn("State", one => one.text)], {keyOf: one => one.extension + "|" + one.name});

const showServer = sample => {
  const {server, certificates, page} = sample;
  setText(byId("program"), server.program + ", " + server.namingContexts.join("; ") + (server.readOnly ? ", read-only: every change is refused" : "")
    + (sample.state === "stopping" ? ", stopping" : ""));
  facts("server-list", [
    ["Program", server.program],
    ["Process", String(server.pid)],
    ["Up", seconds(server.uptimeSeconds) + ", since " + moment(server.startMillis, now)],
    ["Data", server.data],
    ["Listens on", server.listeners.join(", ")],
    ["Naming contexts", server.namingContexts.join("; ")],
    ["Read-only", yesNo(server.readOnly)],
    ["Transport", server.transport],
    ["Processors", count(server.processors)],
    ["Heap", bytes(server.heapUsedBytes) + " of at most " + bytes(server.heapMaximumBytes)],
    ["Certificate", certificates === null ? "none" : certificates.subject + ", ends " + moment(certificates.endMillis, now) + (certificates.failure ? "; " + certificates.failure : "")]]);
  showExtensions(sample.extensions.flatMap(each => each.state.map(({name, text}) => ({extension: each.name, name, text}))));
  setText(byId("cost"), "Pages that are open: " + count(page.open) + ". The last look at the server took " + micros(page.microsPerLook) + ".");
};

const PARTS = [showFindings, showNow, showOperations, showConnections, showSlow, showStore, sample => showJobs(sample.jobs), showCopied, showAccounts,
  sample => showNotices(sample.notices), showServer];

/* Shows all parts; a mistake in one of them does not keep the others from being shown. */
export const show = sample => {
  now = sample.timeMillis;
  document.body.classList.toggle("readonly", !sample.account.actions);
  PARTS.forEach(part => {
    try {
      part(sample);
    } catch (failure) {
      console.error(failure);
    }
  });
};
