package org.nyala.core.operation.sync;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.SyncRequest;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.directory.ChangeWriters;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.operation.search.SeenEntries;
import org.nyala.core.operation.search.StoreStage;
import org.nyala.core.session.Operation;
import org.nyala.core.update.EpochNotice;
import org.nyala.core.update.RefusedConsumers;
import org.nyala.core.update.UpdateContext;

/**
 * The stage of a search that keeps the copy of its client up to date (RFC 4533).
 *
 * <pre>
 *   begin: which changes has the client, and has it heard of another writer?
 *   catch up: if the client has more, a member of a cluster waits for what the others have
 *   write: if nothing was committed since the start, the writer continues the history
 *   join (refreshAndPersist): join the feed, let the writer pass: later changes are in the feed
 *   refresh
 *     none, or more than the journal tells   scan: all entries, or the unchanged ones by name
 *     some                                   delta: the entries changed since, from the journal
 *   follow (refreshAndPersist): the feed, from the snapshot at the begin of the refresh on
 * </pre>
 *
 * <p>A refresh is either a present or a delete phase, never one after the other, which RFC 4533
 * allows: at the end of the second one OpenLDAP's consumer deletes what the first one listed.
 * Whatever fails ends the search with an error, so that a client never takes the beginning of a
 * list for the whole.
 *
 * <p>Confined to one running operation, but for {@link #isReady}, which any thread may call.
 */
public final class SyncStage implements StoreStage, SearchWalk.AfterWalk {
  private enum Phase {
    BEGIN,
    CATCH_UP,
    WRITE,
    HEAR,
    JOIN,
    REFRESH,
    SCAN,
    DELTA,
    UPDATE,
    FOLLOW
  }

  private final SearchPlan plan;
  private final SyncRequest request;
  private final Backend backend;
  private final Dn base;
  private final long baseId;
  private SyncClient client;
  private final Dn suffix;
  private @Nullable SyncContent content;
  private final RightsRenewal renewal = new RightsRenewal();
  private boolean hasOtherRights;
  private boolean hasHeard;
  private boolean isCurrent;
  private boolean isToBeCompared;
  private volatile Phase phase = Phase.BEGIN;
  private @Nullable CsnVector from;
  private CsnVector scanned = CsnVector.EMPTY;
  private @Nullable SyncMarks marks;
  private @Nullable SearchWalk walk;
  private @Nullable SyncDelta delta;
  private @Nullable SyncUpdate update;
  private volatile @Nullable SyncFollower follower;
  private @Nullable FollowerMemory held;

  /**
   * Prepares a synchronization.
   *
   * @param plan the search, aimed at its base
   * @param backend the store that has the base
   * @param base the name of the base
   * @param baseId the entry id of the base
   */
  public SyncStage(SearchPlan plan, SyncRequest request, Backend backend, Dn base, long baseId) {
    this.plan = plan;
    this.request = request;
    this.backend = backend;
    this.base = base;
    this.baseId = baseId;
    OperationContext directory = plan.directory();
    this.client = SyncClient.of(request, directory.runtime().writers().serverId());
    Dn top = directory.contexts().suffixOf(base);
    this.suffix = top == null ? base : top;
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public boolean isReady() {
    SyncFollower following = follower;
    return phase != Phase.FOLLOW || following == null || following.isReady();
  }

  @Override
  public Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (phase == Phase.JOIN) {
      return join(operation);
    }
    if (phase == Phase.CATCH_UP) {
      phase = Phase.BEGIN;
      isCurrent = true;
      return CatchingUp.begin(backend, operation);
    }
    if (phase == Phase.HEAR) {
      return hear(operation);
    }
    if (phase == Phase.WRITE) {
      return write(operation);
    }
    if (phase == Phase.FOLLOW && !following().isReady()) {
      return Outcome.AWAITING_CLIENT;
    }
    if (phase == Phase.FOLLOW && !renew(operation, budget)) {
      return Outcome.YIELDED;
    }
    return StoreStage.super.slice(operation, budget);
  }

  @Override
  public Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    if (phase != Phase.FOLLOW
        && base.rdnCount() > 0
        && plan.seen().find(transaction, base) != baseId) {
      throw client.refreshRequired(null, "the base of the search is gone or has another name");
    }
    plan.beginSlice(backend, transaction);
    if (hasOtherRights) {
      requireSameContent(transaction);
    }
    if (phase == Phase.FOLLOW) {
      if (isToBeCompared) {
        isToBeCompared = false;
        requireSameNames(transaction, following().reached());
      }
      return following().slice(operation, transaction, budget);
    }
    try {
      return steps(operation, transaction, budget);
    } catch (LdapOperationException e) {
      if (e.result().code() == ResultCode.UNWILLING_TO_PERFORM && isConsumer(operation)) {
        refused()
            .refused(
                consumer(operation), e.getMessage(), operation.session().nanoClock().getAsLong());
      }
      throw e;
    }
  }

  /** Returns whether the client says what it has, and who it is. */
  private boolean isConsumer(Operation operation) {
    return client.known() != null && !operation.identity().isAnonymous();
  }

  private RefusedConsumers refused() {
    return plan.directory().runtime().refusedConsumers();
  }

  private RefusedConsumers.Consumer consumer(Operation operation) {
    InetSocketAddress address = operation.session().connection().source().client();
    return new RefusedConsumers.Consumer(
        address == null ? "this machine" : address.getAddress().getHostAddress(),
        operation.identity().dn(),
        base,
        client.replicaId());
  }

  /** Notes that the consumer is as the server is. */
  private void refreshed(Operation operation) {
    if (refused().hasAny()) {
      refused().refreshed(consumer(operation));
    }
  }

  private Outcome steps(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    Phase begun = phase;
    Outcome outcome = step(operation, transaction, budget);
    // The steps of a refresh read one snapshot, if they are short.
    while (outcome == Outcome.YIELDED && phase != begun && isRefreshing()) {
      begun = phase;
      outcome = step(operation, transaction, budget);
    }
    return outcome;
  }

  private boolean isRefreshing() {
    return switch (phase) {
      case REFRESH, DELTA, UPDATE -> true;
      case BEGIN, CATCH_UP, WRITE, HEAR, JOIN, SCAN, FOLLOW -> false;
    };
  }

  private Outcome step(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    if (phase != Phase.BEGIN) {
      content().requireWhole(transaction.source(suffix));
    }
    return switch (phase) {
      case BEGIN -> begin(operation, transaction);
      case REFRESH -> refresh(transaction);
      case SCAN -> scan().slice(operation, transaction, budget);
      case DELTA -> readDelta(operation, transaction, budget);
      case UPDATE -> update(operation, transaction, budget);
      case CATCH_UP, WRITE, HEAR, JOIN, FOLLOW ->
          throw new IllegalStateException("this is no step of a refresh");
    };
  }

  private ChangeJournal journal(ReadTransaction transaction) throws LdapOperationException {
    ChangeJournal journal = transaction.journal(base);
    if (journal == null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the store keeps no journal of changes");
    }
    return journal;
  }

  /** Chooses how the copy is refreshed. */
  private Outcome begin(Operation operation, ReadTransaction transaction)
      throws LdapOperationException {
    SyncContent wanted = new SyncContent(plan, base, suffix, transaction.attributes());
    content = wanted;
    if (request.isPersistent()) {
      wanted.requireFollowable();
    }
    if (!isCurrent && backend.isReplicated() && isAhead(transaction)) {
      phase = Phase.CATCH_UP;
      return Outcome.YIELDED;
    }
    ContextHistory history = transaction.history(suffix);
    OperationContext directory = plan.directory();
    if (history != null
        && !directory.updating().isReadOnly()
        && !directory.runtime().writers().hasBegun(backend)) {
      phase = Phase.WRITE;
      return Outcome.YIELDED;
    }
    ContextEpochs epochs = transaction.epochs(suffix);
    if (!hasHeard
        && epochs.hear(client.epochs()) != epochs
        && wanted.isOfCopy(operation.identity().isRoot())) {
      phase = Phase.HEAR;
      return Outcome.YIELDED;
    }
    client = client.of(history, epochs);
    if (client.isQuestion()) {
      int lag = directory.updating().consumed().lagSeconds(suffix);
      answer(operation, client.answer(lag), true);
      return Outcome.DONE;
    }
    wanted.requireWhole(transaction.source(suffix));
    try (ChangeJournal journal = journal(transaction)) {
      CsnVector present = journal.present();
      client.requireNotAhead(present, journal.floor());
      client.requireHistory(history, present);
      CsnVector known = client.known();
      boolean isUpToDate = known != null && known.covers(present);
      if (isUpToDate && !request.isPersistent()) {
        return end(operation, present, true);
      }
      from = known;
    }
    phase = request.isPersistent() ? Phase.JOIN : Phase.REFRESH;
    return Outcome.YIELDED;
  }

  /** Returns whether the client has changes that are not here: other members may have them. */
  private boolean isAhead(ReadTransaction transaction) throws LdapOperationException {
    CsnVector known = client.known();
    try (ChangeJournal journal = journal(transaction)) {
      return known != null && !journal.present().covers(known);
    }
  }

  /**
   * Has the writer make the first commit since the start, with which it continues the history: a
   * data file that was copied back before is known by that.
   */
  private Outcome write(Operation operation) throws LdapOperationException {
    phase = Phase.BEGIN;
    plan.directory()
        .runtime()
        .writers()
        .submit(backend, new WriterPassage(operation, backend, UpdateContext::touch));
    return Outcome.PARKED;
  }

  /** Has the writer take note of what the client has heard: if this server is that, it ends. */
  private Outcome hear(Operation operation) throws LdapOperationException {
    OperationContext directory = plan.directory();
    hasHeard = true;
    phase = Phase.BEGIN;
    ChangeWriters writers = directory.runtime().writers();
    writers.submit(
        backend,
        new EpochNotice(
            suffix,
            client.epochs(),
            directory.updating().consumed(),
            directory.runtime().feed(),
            result -> heard(operation, result)));
    return Outcome.PARKED;
  }

  private static void heard(Operation operation, LdapResult result) {
    if (result.code() == ResultCode.SUCCESS) {
      operation.unpark();
    } else {
      // The client is to come again: the note is not on disk.
      operation.finish(result);
    }
  }

  /** Begins the refresh: with the journal, if it has all changes that the client lacks. */
  private Outcome refresh(ReadTransaction transaction) throws LdapOperationException {
    CsnVector known = from;
    // A promotion or a refresh from nothing before the feed was joined is not told of by that.
    requireSameNames(transaction, known);
    try (ChangeJournal journal = journal(transaction)) {
      CsnVector present = journal.present();
      if (known == null) {
        return beginScan(present, null);
      }
      SyncDelta reading =
          new SyncDelta(
              known, present, transaction.snapshot(), content().dependsOnPlace(), plan.memory());
      delta = content().mayUseJournal() ? reading : reading.ofProofOnly();
    }
    plan.mark(new SyncMarks(plan.seen(), null));
    phase = Phase.DELTA;
    return Outcome.YIELDED;
  }

  /**
   * Requires that the cookies of the client name the history and the epochs as they are now.
   *
   * @param reached the changes that the client has
   * @throws LdapOperationException if there are others: the client is to ask again, and be told
   */
  private void requireSameNames(ReadTransaction transaction, @Nullable CsnVector reached)
      throws LdapOperationException {
    SyncClient now = client.of(transaction.history(suffix), transaction.epochs(suffix));
    if (!now.namesTheSame(client)) {
      throw now.askAgain(reached);
    }
  }

  /**
   * Begins a scan of the content.
   *
   * @param known the changes that the client has, if unchanged entries are only named; else null
   */
  private Outcome beginScan(CsnVector present, @Nullable CsnVector known) {
    SyncMarks used = new SyncMarks(plan.seen(), known);
    marks = used;
    scanned = present;
    walk = new SearchWalk(plan.mark(used), backend, baseId).endWith(this);
    phase = Phase.SCAN;
    return Outcome.YIELDED;
  }

  private SyncContent content() {
    return Objects.requireNonNull(content, "not begun");
  }

  private SearchWalk scan() {
    return Objects.requireNonNull(walk, "no scan was begun");
  }

  private SyncFollower following() {
    return Objects.requireNonNull(follower, "the feed was not joined");
  }

  /** The scan is through. */
  @Override
  public void begin() {
    phase = Phase.UPDATE;
  }

  @Override
  public void sent(SeenEntries seen, ReadTransaction transaction, EntryView view) {
    // Changes since the begin of the scan come again: nothing has to be remembered.
  }

  /** Joins the feed, and lets the writer pass by: from then on every change is in it. */
  private Outcome join(Operation operation) throws LdapOperationException {
    held = FollowerMemory.take(plan.directory().limits(), operation);
    follower = SyncFollower.join(plan, content(), client, operation);
    phase = Phase.REFRESH;
    plan.directory()
        .runtime()
        .writers()
        .submit(backend, new WriterPassage(operation, backend, _ -> {}));
    return Outcome.PARKED;
  }

  private Outcome readDelta(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    plan.bounds().time().check(plan.directory().nanoTime());
    SyncDelta reading = delta();
    try (ChangeJournal journal = journal(transaction)) {
      SyncDelta.Step step = reading.read(journal, plan.pace().begin(operation, budget));
      if (step == SyncDelta.Step.GOES_ON) {
        return Outcome.YIELDED;
      }
      requireProof(transaction.history(suffix), journal.floor(), step, reading.proof());
      if (step != SyncDelta.Step.COMPLETE) {
        // Entries may have moved without a change of their own.
        boolean isMoved =
            step == SyncDelta.Step.MOVED
                || content().dependsOnPlace()
                || !content().mayUseJournal();
        CsnVector known = isMoved ? null : reading.from();
        giveBackDelta();
        return beginScan(journal.present(), known);
      }
    }
    update = new SyncUpdate(plan, content(), client, reading);
    phase = Phase.UPDATE;
    return Outcome.YIELDED;
  }

  /** Requires that the client has its numbers from this history. */
  private void requireProof(
      @Nullable ContextHistory history, CsnVector floor, SyncDelta.Step step, HistoryProof proof)
      throws LdapOperationException {
    boolean isTrimmed = step == SyncDelta.Step.TRIMMED;
    Csn foreign =
        isTrimmed && client.isOf(history)
            ? null
            : isTrimmed ? proof.suspect(history) : proof.foreign(floor, history);
    if (foreign != null) {
      throw client.foreign(foreign);
    }
  }

  private SyncDelta delta() {
    return Objects.requireNonNull(delta, "no delta is read");
  }

  private Outcome update(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    SyncUpdate going = update;
    if (going == null) {
      return endScan(operation);
    }
    Outcome outcome = going.slice(operation, transaction, budget);
    if (outcome != Outcome.DONE) {
      return outcome;
    }
    CsnVector reached = delta().to();
    requireOneTime(operation);
    giveBackDelta();
    if (!request.isPersistent()) {
      return end(operation, reached, true);
    }
    tell(operation, SyncResponse.refreshDelete(client.cookie(reached), true));
    refreshed(operation);
    return follow(reached);
  }

  private void requireOneTime(Operation operation) throws LdapOperationException {
    SyncFollower joined = follower;
    if (joined != null) {
      joined.requireOneTime(operation);
    }
  }

  private Outcome endScan(Operation operation) throws LdapOperationException {
    requireOneTime(operation);
    if (marks != null) {
      marks.flush(operation.sink());
    }
    if (!request.isPersistent()) {
      return end(operation, scanned, false);
    }
    tell(operation, SyncResponse.refreshPresent(client.cookie(scanned), true));
    refreshed(operation);
    return follow(scanned);
  }

  private Outcome follow(CsnVector reached) {
    following().beginAfter(reached);
    phase = Phase.FOLLOW;
    return Outcome.YIELDED;
  }

  private static void tell(Operation operation, byte[] message) {
    operation.sink().intermediate(SyncResponse.INFO, message);
  }

  private void answer(Operation operation, byte[] cookie, boolean refreshDeletes) {
    LdapResult result = LdapResult.SUCCESS.with(List.of(SyncResponse.done(cookie, refreshDeletes)));
    operation.sink().result(plan.request(), result);
  }

  /** Ends a refresh without a persist stage. */
  private Outcome end(Operation operation, CsnVector reached, boolean refreshDeletes) {
    answer(operation, client.cookie(reached), refreshDeletes);
    refreshed(operation);
    return Outcome.DONE;
  }

  /**
   * Renews the rights of the client.
   *
   * @return false if the slice ends before
   * @throws LdapOperationException insufficientAccessRights if there are none
   */
  private boolean renew(Operation operation, SliceBudget budget) throws LdapOperationException {
    SyncFollower joined = following();
    if (joined.isToBeJudged()) {
      isToBeCompared = true;
      RightsRenewal.requireReader(plan.directory().current(), operation.identity());
    }
    if (plan.directory().current().control() != plan.directory().control()) {
      throw client.refreshRequired(null, "the access rules or the schema have changed");
    }
    if (!renewal.go(operation, plan, budget)) {
      return false;
    }
    hasOtherRights |= renewal.takesOthers();
    return true;
  }

  /**
   * Requires that the content is the same by other rights. Groups that change may be hidden from
   * the client: those alone end it that give it another content.
   *
   * @throws LdapOperationException syncRefreshRequired if it is not: entries may have entered or
   *     left it without a change
   */
  private void requireSameContent(ReadTransaction transaction) throws LdapOperationException {
    hasOtherRights = false;
    if (!content().isSameByRights(transaction.attributes())) {
      throw client.refreshRequired(null, "the rights have changed");
    }
  }

  private void giveBackDelta() {
    SyncDelta read = delta;
    if (read != null) {
      read.close();
      delta = null;
      update = null;
    }
  }

  /** Leaves the feed, and gives back the memory. Idempotent. */
  @Override
  public void ended() {
    SyncFollower joined = follower;
    if (joined != null) {
      joined.close();
    }
    if (walk != null) {
      walk.ended();
    }
    giveBackDelta();
    plan.ended();
    if (held != null) {
      held.giveBack();
    }
  }
}
