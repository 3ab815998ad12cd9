package org.nyala.core.operation.sync;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.SyncRequest;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.operation.search.StoreStage;
import org.nyala.core.session.Operation;
import org.nyala.core.session.TimeLimit;
import org.nyala.core.update.CommitSignal;

/**
 * The stage of a search that follows the log of modifications of a naming context, as OpenLDAP's
 * consumers do with {@code syncdata=accesslog}: the changes after the cookie in the order of
 * commits, each with its own number in a cookie, and then those that are made.
 *
 * <p>Everything is read from the journal, also what is new: a client that reads slowly holds no
 * memory, until the journal no longer has what it wants. It is then told to read the directory
 * itself (e-syncRefreshRequired), as are clients without a cookie.
 *
 * <p>Confined to one running operation, but for {@link #isReady}, which any thread may call.
 */
public final class LogStage implements StoreStage {
  private enum Phase {
    BEGIN,
    CATCH_UP,
    FIND,
    REFRESH,
    FOLLOW
  }

  private final OperationContext directory;
  private final SyncRequest request;
  private final Backend backend;
  private final Dn context;
  private final SyncClient client;
  private final LogSender sender;
  private final SlicePace pace;
  private volatile Phase phase = Phase.BEGIN;
  private boolean isCurrent;
  private volatile CommitSignal.@Nullable Waiter waiter;
  private @Nullable FollowerMemory held;
  private @Nullable LogStart start;
  private @Nullable TimeLimit timeLimit;
  private CsnVector reached = CsnVector.EMPTY;
  private long next;

  /** The last change to send to a client that polls: those of one moment. */
  private long until = Long.MAX_VALUE;

  /** The changes that such a client has then. */
  private CsnVector target = CsnVector.EMPTY;

  /** The last change that the client was not told of, though it has all before it. */
  private @Nullable Csn passedOver;

  /**
   * Prepares to follow a log.
   *
   * @param search the search, whose base is the log
   * @param base the name of the log
   * @param context the naming context
   * @throws LdapOperationException adminLimitExceeded if the filter is too large
   */
  public LogStage(
      OperationContext directory,
      Request.Search search,
      SyncRequest request,
      Dn base,
      Dn context,
      Backend backend)
      throws LdapOperationException {
    this.directory = directory;
    this.request = request;
    this.backend = backend;
    this.context = context;
    this.client = SyncClient.ofLog(request, directory.runtime().writers().serverId());
    this.pace = new SlicePace(directory.nanoClock());
    this.sender = new LogSender(directory, search, base, client, pace);
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public boolean isReady() {
    CommitSignal.Waiter joined = waiter;
    return phase != Phase.FOLLOW || joined == null || joined.isReady();
  }

  @Override
  public Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException {
    CommitSignal.Waiter joined = waiter;
    if (joined != null) {
      joined.begin();
      if (joined.isLost()) {
        throw disordered();
      }
      if (joined.isDisplaced()) {
        throw FollowerMemory.displaced(operation);
      }
    }
    if (phase == Phase.CATCH_UP) {
      phase = Phase.BEGIN;
      isCurrent = true;
      return CatchingUp.begin(backend, operation);
    }
    if (phase == Phase.FOLLOW) {
      RightsRenewal.requireReader(directory.current(), operation.identity());
    } else {
      timeLimit(operation).check(directory.nanoTime());
    }
    return StoreStage.super.slice(operation, budget);
  }

  private TimeLimit timeLimit(Operation operation) {
    TimeLimit known = timeLimit;
    if (known == null) {
      known = TimeLimit.of(directory.limits(), operation, sender.search().timeLimitSeconds());
      timeLimit = known;
    }
    return known;
  }

  @Override
  public Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    pace.begin(operation, budget);
    try (ChangeJournal journal = journal(transaction)) {
      return switch (phase) {
        case BEGIN -> begin(operation, journal);
        case CATCH_UP -> throw new IllegalStateException("the store is not read now");
        case FIND -> find(journal, transaction.history(context));
        case REFRESH, FOLLOW -> send(operation, journal, budget);
      };
    }
  }

  private ChangeJournal journal(ReadTransaction transaction) throws LdapOperationException {
    ChangeJournal journal = transaction.journal(context);
    if (journal == null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the store keeps no journal of changes");
    }
    return journal;
  }

  private Outcome begin(Operation operation, ChangeJournal journal) throws LdapOperationException {
    CsnVector present = journal.present();
    CsnVector known = client.known();
    if (!isCurrent && backend.isReplicated() && known != null && !present.covers(known)) {
      phase = Phase.CATCH_UP;
      return Outcome.YIELDED;
    }
    client.requireNotAhead(present, journal.floor());
    if (known == null && !present.csns().isEmpty()) {
      throw client.refreshRequired(null, "the log is for those who have a copy");
    }
    if (request.isPersistent()) {
      join(operation);
    }
    reached = known == null ? CsnVector.EMPTY : known;
    start = new LogStart(reached);
    phase = Phase.FIND;
    return Outcome.YIELDED;
  }

  private void join(Operation operation) throws LdapOperationException {
    held = FollowerMemory.take(directory.limits(), operation);
    waiter =
        directory
            .runtime()
            .signal()
            .join(operation.session().memory().owner(), context, operation::wake);
    if (waiter == null) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "too many persistent searches");
    }
  }

  private Outcome find(ChangeJournal journal, @Nullable ContextHistory history)
      throws LdapOperationException {
    LogStart finding = Objects.requireNonNull(start, "not begun");
    switch (finding.read(journal, pace)) {
      case GOES_ON -> {}
      case MISSING -> throw trimmed();
      case FOUND -> {
        Csn foreign = finding.proof().foreign(journal.floor(), history);
        if (foreign != null) {
          throw client.foreign(foreign);
        }
        next = finding.sequence();
        if (!request.isPersistent()) {
          until = finding.last();
          target = finding.present();
        }
        start = null;
        phase = Phase.REFRESH;
      }
    }
    return Outcome.YIELDED;
  }

  private LdapOperationException trimmed() {
    return client.refreshRequired(
        reached, "the log no longer has all modifications since then: read the directory");
  }

  /** Sends what the journal has, as far as the slice goes. */
  private Outcome send(Operation operation, ChangeJournal journal, SliceBudget budget)
      throws LdapOperationException {
    client.requireKept(reached, journal.present(), journal.floor());
    for (int left = budget.steps(); left > 0; left--) {
      if (operation.isAbandoned()) {
        throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
      }
      if (!operation.sink().isWritable()) {
        return pause(Outcome.AWAITING_CLIENT);
      }
      JournalEntry change = next > until ? null : journal.seek(next);
      if (change == null) {
        return end(operation, journal);
      }
      if (!take(operation, journal, change) || !pace.goesOn()) {
        return pause(Outcome.YIELDED);
      }
    }
    return pause(Outcome.YIELDED);
  }

  /** Ends a slice before everything was sent. */
  private Outcome pause(Outcome outcome) {
    CommitSignal.Waiter joined = waiter;
    if (joined != null) {
      joined.goOn();
    }
    return outcome;
  }

  /** Deals with the next change; false if the slice ends before. */
  private boolean take(Operation operation, ChangeJournal journal, JournalEntry change)
      throws LdapOperationException {
    if (change.sequence() != next) {
      throw trimmed();
    }
    Csn csn = change.csn();
    if (change.context() == journal.context() && !reached.covers(csn)) {
      Boolean isSent =
          client.hasMade(csn) || change.entryId() == ReadTransaction.NO_ENTRY
              ? Boolean.FALSE
              : sender.send(operation, journal, change);
      if (isSent == null) {
        return false;
      }
      reached = reached.with(csn);
      passedOver = isSent ? null : csn;
    }
    next++;
    return true;
  }

  /** Deals with the end of the journal. */
  private Outcome end(Operation operation, ChangeJournal journal) throws LdapOperationException {
    if (!request.isPersistent()) {
      reached = reached.with(target);
      operation
          .sink()
          .result(
              sender.search(),
              LdapResult.SUCCESS.with(List.of(SyncResponse.done(client.cookie(reached), true))));
      return Outcome.DONE;
    }
    CsnVector present = journal.present();
    requireTold(journal.floor(), present);
    boolean isFurther = !reached.covers(present);
    reached = reached.with(present);
    Csn last = passedOver;
    passedOver = null;
    if (phase == Phase.REFRESH) {
      phase = Phase.FOLLOW;
      tell(operation, SyncResponse.refreshDelete(client.cookie(reached), true));
    } else if (isFurther) {
      tell(operation, SyncResponse.newCookie(client.cookie(reached)));
    } else if (last != null) {
      tell(operation, SyncResponse.newCookie(client.cookie(last)));
    }
    return Outcome.AWAITING_CLIENT;
  }

  /**
   * Requires that the naming context has no changes which the journal does not tell of: a refresh
   * from another server has put them there. Who follows is told of others by the signal.
   */
  private void requireTold(CsnVector floor, CsnVector present) throws LdapOperationException {
    for (Csn csn : present.csns()) {
      if (!reached.covers(csn) && floor.covers(csn)) {
        throw disordered();
      }
    }
  }

  private LdapOperationException disordered() {
    return client.refreshRequired(null, "entries have changed in an unknown order");
  }

  private static void tell(Operation operation, byte[] message) {
    operation.sink().intermediate(SyncResponse.INFO, message);
  }

  /** Leaves the signal, and gives back the memory. Idempotent. */
  @Override
  public void ended() {
    CommitSignal.Waiter joined = waiter;
    if (joined != null) {
      joined.close();
    }
    sender.ended();
    if (held != null) {
      held.giveBack();
    }
  }

  /**
   * The place in the journal after which a client lacks changes, found backwards: numbers of one
   * server rise in the journal, so that one change that the client has proves that it has all
   * before it.
   *
   * <p>Confined to one running operation.
   */
  static final class LogStart {
    /** The outcome of a slice. */
    enum Step {
      /** There is more to read. */
      GOES_ON,
      /** The place is known. */
      FOUND,
      /** The journal no longer has all changes, or not their modifications. */
      MISSING
    }

    private static final int PACE = 64;

    private final CsnVector known;
    private Set<Integer> servers = Set.of();
    private @Nullable HistoryProof proof;
    private long next;
    private long start;
    private CsnVector present = CsnVector.EMPTY;
    private long last;
    private boolean isBegun;

    /**
     * Prepares to read.
     *
     * @param known the changes that the client has
     */
    LogStart(CsnVector known) {
      this.known = known;
    }

    /**
     * Reads as far as the slice goes. What is committed after the first slice has its place later.
     */
    Step read(ChangeJournal journal, Pace pace) {
      if (!isBegun) {
        begin(journal);
      }
      if (SyncDelta.lacks(servers, known, journal.floor())) {
        return Step.MISSING;
      }
      while (!servers.isEmpty()) {
        JournalEntry entry = SyncDelta.newest(journal, next);
        if (entry == null) {
          break;
        }
        next = entry.sequence() - 1;
        // Another naming context may have changes of the same server in another order.
        boolean isHere = entry.context() == journal.context();
        if (isHere && known.covers(entry.csn())) {
          proof().take(entry.csn());
          servers.remove(entry.csn().serverId());
        } else if (isHere) {
          start = entry.sequence();
        }
        if (entry.sequence() % PACE == 0 && !pace.goesOn()) {
          return Step.GOES_ON;
        }
      }
      return start < journal.firstModifications() ? Step.MISSING : Step.FOUND;
    }

    private void begin(ChangeJournal journal) {
      present = journal.present();
      servers = SyncDelta.lacking(known, present);
      proof = new HistoryProof(known, servers);
      JournalEntry newest = journal.last();
      last = newest == null ? 0 : newest.sequence();
      next = last;
      start = last + 1;
      isBegun = true;
    }

    /** Returns the proof that the client has its numbers from this history, when all was read. */
    HistoryProof proof() {
      return Objects.requireNonNull(proof, "not begun");
    }

    /** Returns the changes of the naming context in the first slice. */
    CsnVector present() {
      return present;
    }

    /** Returns the sequence of the newest change in the first slice; 0 if there was none. */
    long last() {
      return last;
    }

    /** Returns the sequence of the first change that the client lacks. */
    long sequence() {
      return start;
    }
  }
}
