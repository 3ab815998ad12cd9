package org.nyala.core.replica;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.replica.Placeholders.LostNames;
import org.nyala.core.replica.ReplicaException.Kind;
import org.nyala.core.update.UpdateContext;

/**
 * A naming context that is a copy of another server's (RFC 4533).
 *
 * <pre>
 *   begin -> the cookie to ask with
 *   take  -> each message of the provider, in order
 *   end   -> once, whatever has ended it
 * </pre>
 *
 * <p>In the persist stage each change is one commit with its number, or shares it with others that
 * wait. In the refresh stage changes have no numbers: those of the naming context are raised at the
 * end alone, so that a refresh that is cut short begins again; the journal then tells of nothing
 * before, because the order was lost, and whoever follows this server is told to refresh, too.
 *
 * <p>{@link #progress}, {@link #isGuarded}, {@link #writingTerm} and {@link #confirm} may be called
 * by any thread, the rest by one thread at a time.
 */
public final class Replica {
  private static final System.Logger LOG = System.getLogger(Replica.class.getName());

  /** The misfits in a row after which the copy is refreshed from nothing. */
  private static final int MOST_MISFITS = 2;

  /** The time in which the provider has to say what became of an entry that has lost its name. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ContextRef current;
  private final ReplicaSettings settings;
  private final UpdateWindow window;
  private final WaitingEntries waiting;
  private final DeletionGuard guard;
  private final ProviderCheck check;
  private final LostNames lost = new LostNames();
  private final CopyEpochs epochs;
  private final CountedChanges changes = new CountedChanges();
  private final AtomicLong received = new AtomicLong();
  private ReplicaSession session;
  private Refresh refresh;
  private EntryReader reader;
  private long term;
  private boolean isFromNothing;

  /**
   * True between the end of the refresh stage and that of the refresh: some names are not known.
   */
  private boolean isLate;

  /** The changes without numbers when the last refresh ended. */
  private long unnumberedBefore;

  private int misfits;

  private long lostSince;

  /** The address of the provider, and the history that its cookies name; empty if not known. */
  private String provider = "";

  private String history = "";

  /** The history of the provider before the refresh begins; empty if it is not known. */
  private String offered = "";

  /** The note of the copy that was there when the refresh began; null if there was none. */
  private @Nullable CopySource kept;

  /** The history to note at the end of the refresh; null if it is known. */
  private @Nullable CopySource source;

  /** The note to make at the end of the refresh that this server was the writer; null for none. */
  private @Nullable Promotion former;

  /** The changes that were received. */
  private CsnVector known = CsnVector.EMPTY;

  /** The changes that the refresh stage has brought, as the provider has numbered them. */
  private CsnVector refreshed = CsnVector.EMPTY;

  /** The changes that are on disk. */
  private volatile CsnVector stored = CsnVector.EMPTY;

  private volatile ReplicaPhase phase = ReplicaPhase.WAITING;

  /**
   * Prepares a copy.
   *
   * @param current the directory
   * @param settings the naming context, which a store holds, and the bounds
   * @param memory the account of the messages that are held
   */
  public Replica(ContextRef current, ReplicaSettings settings, MemoryAccount memory) {
    this.current = current;
    this.settings = settings;
    this.window =
        new UpdateWindow(
            settings.queuedMessages(),
            settings.queuedBytes(),
            memory,
            current.get().runtime().writers());
    this.waiting = new WaitingEntries(settings.waitingBytes(), memory);
    this.guard = new DeletionGuard(settings);
    this.epochs = new CopyEpochs(current, settings.suffix());
    this.check = new ProviderCheck(settings.suffix(), guard);
    this.session = session(true, null);
    this.refresh = new Refresh(current, backend(), session, waiting, changes, lost);
    this.reader = new EntryReader(current.get(), settings.suffix());
    this.stored = KnownChanges.of(backend(), settings.suffix());
  }

  private ReplicaSession session(boolean isRefresh, @Nullable CopySource half) {
    CopiedTree tree =
        new CopiedTree(settings.suffix(), isRefresh, guard.mayReplaceTop(), changes, waiting, lost);
    return new ReplicaSession(current, backend(), window, tree, changes, term, half);
  }

  private Backend backend() {
    Backend backend = current.get().contexts().backendOf(settings.suffix());
    if (backend == null) {
      throw new IllegalArgumentException("no store holds " + settings.suffix());
    }
    return backend;
  }

  /**
   * Requires that the provider has all changes that are here, before {@link #begin}.
   *
   * @param provided the provider's {@code contextCSN}; empty if it is not known
   * @throws ReplicaException if it lacks changes, and nobody has confirmed that they are lost
   */
  public void provider(CsnVector provided) throws ReplicaException {
    check.look(backend(), provided, false, null);
  }

  /**
   * Requires that the provider has all changes that are here, before {@link #begin}.
   *
   * @param provided the provider's {@code contextCSN}; empty if it is not known
   * @param address the address of the provider
   * @param isComplete true if it shows numbers of all servers whose changes it has, as Nyala does
   * @param answer its answer to the question, with its history and the epochs that it knows; null
   *     if it does not tell
   * @throws ReplicaException if it lacks changes, or its data is of an earlier epoch, and nobody
   *     has confirmed that what is here is lost
   */
  public void provider(
      CsnVector provided, String address, boolean isComplete, @Nullable SyncCookie answer)
      throws ReplicaException {
    String named = answer == null ? null : answer.history();
    provider = address;
    offered = named == null ? "" : named;
    check.look(backend(), provided, isComplete, answer == null ? null : answer.epochs());
  }

  /** Returns the cookie to ask the provider for the epochs that it knows. */
  public SyncCookie question() {
    return epochs.question(backend(), settings.replicaId(), guard.isAnew());
  }

  /**
   * Takes note of the epochs that the provider knows: if one is news, this server changes nothing
   * any more. That of the provider's data is the one of a copy as soon as it is equal, and no news.
   *
   * @param isCopy false if this server changes the naming context
   * @throws ReplicaException if the note cannot be stored
   */
  public void hear(ContextEpochs known, boolean isCopy) throws ReplicaException {
    epochs.hear(backend(), known, isCopy);
  }

  /**
   * Requires that the provider was told of all epochs that are known here.
   *
   * @throws ReplicaException if this server has heard of another one meanwhile
   */
  public void requireTold() throws ReplicaException {
    if (phase == ReplicaPhase.FOLLOWING) {
      epochs.requireTold(backend());
    }
  }

  /** Returns the term of the store in which this server changes it; see {@link Backend}. */
  public long writingTerm() {
    return backend().writingTerm();
  }

  /** Returns whether the naming context was promoted, and is no copy for the time being. */
  public boolean isPromoted() {
    return KnownChanges.arePromoted(backend(), settings.suffix());
  }

  /** Has the next synchronization begin from nothing: what the provider lacks is to be lost. */
  public void discard() {
    guard.beginAnew();
  }

  /** Forgets what administrators have confirmed and synchronizations have left. */
  public void forget() {
    guard.used();
    lost.forget();
    misfits = 0;
  }

  /** Begins a synchronization; returns the cookie to ask with. */
  public SyncCookie begin() {
    // Before the store is read: what another member of a cluster writes after that ends it.
    term = writingTerm();
    known = KnownChanges.of(backend(), settings.suffix());
    stored = known;
    history = knownHistory();
    boolean isOther = isOfOtherRefresh();
    isFromNothing = isOther || misfits >= MOST_MISFITS || known.csns().isEmpty() || guard.isAnew();
    epochs.begin(backend());
    isLate = false;
    lostSince = 0;
    lost.begin(backend(), current.get().schema(), settings.suffix());
    session = session(true, halfNote());
    refresh = new Refresh(current, backend(), session, waiting, changes, lost);
    refresh.distrustAfter(isOther ? known : null);
    phase = ReplicaPhase.REFRESHING;
    return new SyncCookie(
        settings.replicaId(),
        SyncCookie.NO_SERVER,
        isFromNothing ? CsnVector.EMPTY : known.given(),
        isFromNothing ? "" : history,
        guard.isAnew() ? ContextEpochs.NONE : epochs.sent(),
        false,
        0);
  }

  /** Learns of which history the copy is, and whether this server has changed it before. */
  private String knownHistory() {
    try (ReadTransaction transaction = backend().beginRead()) {
      CopySource before = transaction.source(settings.suffix());
      kept = before;
      int own = current.get().updating().serverId();
      former = KnownChanges.ofFormerWriter(transaction, settings.suffix(), known, own, provider);
      if (before != null && before.provider().equals(provider)) {
        source = null;
        return before.history();
      }
      source = provider.isEmpty() ? null : new CopySource(provider, "");
      return "";
    }
  }

  /**
   * Returns whether a refresh has begun and not ended, and the provider may have lost what it has
   * sent then: it was started again, or is another one.
   */
  private boolean isOfOtherRefresh() {
    boolean isOther = kept != null && !kept.isContinuedBy(provider, offered);
    if (isOther) {
      LOG.log(
          System.Logger.Level.INFO,
          "{0} begins from nothing: a refresh was not ended before the provider was started again",
          settings.suffix());
    }
    return isOther;
  }

  /** Returns the note that a refresh has begun; null if there is one of an earlier one. */
  private @Nullable CopySource halfNote() {
    CopySource before = kept == null ? new CopySource(provider, "") : kept;
    return before.isHalf() ? null : before.refreshing(offered);
  }

  /** Has the next synchronization begin from nothing, as the provider demands it. */
  public void startOver() {
    misfits = MOST_MISFITS;
  }

  /**
   * Takes a message; waits while the writer has too many.
   *
   * @throws ReplicaException if the synchronization cannot go on
   */
  public void take(SyncMessage message) throws ReplicaException, InterruptedException {
    session.requireGoing();
    switch (message) {
      case SyncMessage.EntryState entry -> {
        received.incrementAndGet();
        take(entry);
      }
      case SyncMessage.IdSet set -> take(set);
      case SyncMessage.PhaseEnd end -> take(end);
      case SyncMessage.NewCookie cookie -> take(cookie.cookie().csns());
    }
  }

  private void take(SyncMessage.EntryState entry) throws ReplicaException, InterruptedException {
    if (phase == ReplicaPhase.FOLLOWING || isLate) {
      takeChange(entry);
      return;
    }
    if (entry.state() != SyncMessage.State.DELETE) {
      refresh.deleteFirst(guard);
    }
    switch (entry.state()) {
      case PRESENT -> session.list(List.of(entry.entryUuid()));
      case DELETE -> session.delete(List.of(entry.entryUuid()), null, () -> {});
      case ADD, MODIFY -> session.put(reader().read(entry));
    }
    refresh.relieve();
  }

  private EntryReader reader() {
    if (reader.schema() != current.get().schema()) {
      reader = new EntryReader(current.get(), settings.suffix());
    }
    return reader;
  }

  /** Takes a change of the persist stage. */
  private void takeChange(SyncMessage.EntryState entry)
      throws ReplicaException, InterruptedException {
    ChangeNumbers numbers = ChangeNumbers.of(entry);
    if (numbers.areIn(refreshed)) {
      return;
    }
    KnownChanges.requireNear(numbers.all(), known, current);
    if (entry.state() == SyncMessage.State.PRESENT) {
      throw new ReplicaException(
          Kind.AGAIN, "the provider calls an entry unchanged after the refresh stage");
    }
    if (isLate) {
      takeLate(entry, numbers.all());
      return;
    }
    Csn csn = numbers.change(known);
    if (csn == null) {
      throw new ReplicaException(
          Kind.AGAIN, "the provider sends a change of " + entry.dn() + " without its number");
    }
    Runnable done = () -> stored = stored.with(csn);
    known = known.with(csn);
    if (entry.state() == SyncMessage.State.DELETE) {
      session.delete(List.of(entry.entryUuid()), csn, done);
    } else {
      session.put(reader().read(entry), csn, done);
    }
    follow(numbers.all());
  }

  /** Takes a change while some entries have no names, or stay: it belongs to the refresh. */
  private void takeLate(SyncMessage.EntryState entry, CsnVector csns)
      throws ReplicaException, InterruptedException {
    if (entry.state() == SyncMessage.State.DELETE) {
      session.delete(List.of(entry.entryUuid()), null, () -> {});
    } else {
      session.put(reader().read(entry));
    }
    known = known.with(csns);
    session.settle();
    refresh.deleteLeft();
    if (!lacksNames()) {
      finish();
    }
  }

  private boolean lacksNames() {
    return !lost.isEmpty() || !waiting.isEmpty() || refresh.hasLeft();
  }

  private void take(SyncMessage.IdSet set) throws ReplicaException, InterruptedException {
    received.addAndGet(set.entryUuids().size());
    if (phase == ReplicaPhase.FOLLOWING || isLate) {
      throw new ReplicaException(
          Kind.AGAIN, "the provider sends a set of entries after the refresh stage");
    }
    if (set.refreshDeletes()) {
      session.delete(set.entryUuids(), null, () -> {});
    } else {
      refresh.deleteFirst(guard);
      session.list(set.entryUuids());
    }
  }

  private void take(CsnVector csns) throws ReplicaException, InterruptedException {
    if (isLate) {
      KnownChanges.requireNear(csns, known, current);
      known = known.with(csns);
    } else if (phase == ReplicaPhase.FOLLOWING) {
      KnownChanges.requireNear(csns, known, current);
      follow(csns);
    }
  }

  private void follow(CsnVector csns) throws ReplicaException, InterruptedException {
    CsnVector all = known.with(csns);
    if (all != known) {
      known = all;
      session.submit(
          context -> context.follow(settings.suffix(), csns),
          () -> stored = stored.with(csns),
          1,
          0);
    }
  }

  private void take(SyncMessage.PhaseEnd end) throws ReplicaException, InterruptedException {
    if (phase == ReplicaPhase.FOLLOWING || isLate) {
      throw new ReplicaException(Kind.AGAIN, "the provider ends the refresh stage twice");
    }
    CsnVector csns = KnownChanges.at(end, isFromNothing ? null : known.given());
    takeHistory(end.cookie());
    if (csns != null) {
      KnownChanges.requireNear(csns, known, current);
    }
    // A refresh that begins from nothing gets everything, whatever the provider calls it.
    boolean isPresent =
        !end.refreshDeletes() || isFromNothing && end.isDone() && !refresh.isJudged();
    refresh.end(isPresent, end.isDone(), csns, guard);
    if (end.isDone() && csns != null) {
      known = isAnew() ? csns : known.with(csns);
      refreshed = csns;
      if (refresh.hasAllNames()) {
        finish();
      } else {
        session.tree().late();
        isLate = true;
      }
    }
  }

  /** Takes the history that a cookie names, if it is another one than before. */
  private void takeHistory(@Nullable SyncCookie cookie) {
    String named = cookie == null ? null : cookie.history();
    if (cookie != null && named != null && !named.isEmpty()) {
      // A provider that keeps a history tells epochs, too, if there are any.
      epochs.told(cookie.epochs());
    }
    if (named != null && !named.isEmpty() && (isFromNothing || !named.equals(history))) {
      source = new CopySource(provider, named);
    }
  }

  /** Returns whether only the changes count that the provider has. */
  private boolean isAnew() {
    return isFromNothing && guard.coversAll(session.tree().isTopReplaced());
  }

  private void finish() throws ReplicaException, InterruptedException {
    CsnVector reached = known;
    boolean isAnew = isAnew();
    session.settle();
    boolean isHalf = session.isHalf() || kept != null && kept.isHalf();
    CopySource noted = source == null && isHalf ? new CopySource(provider, history) : source;
    Promotion writer = former;
    CopyEpochs.Note ofEpochs = epochs.note(isAnew);
    boolean isRepaired = isFromNothing;
    boolean isOther = isRepaired || isHalf || changes.unnumbered() != unnumberedBefore;
    boolean isRefreshed = isOther || !reached.equals(stored) || ofEpochs.isNews();
    if (isRefreshed || noted != null) {
      session.submit(
          context -> {
            noteHistories(context, isRepaired, noted);
            if (writer != null) {
              context.note(settings.suffix(), writer);
            }
            ofEpochs.put(context);
            if (isAnew) {
              context.replaceNumbers(settings.suffix(), reached);
            } else if (isRefreshed) {
              context.endRefresh(settings.suffix(), reached);
            }
          },
          () -> {
            stored = reached;
            // Those who follow this server need not know that its provider was only started again.
            if (isRefreshed) {
              current.get().runtime().feed().refreshed(settings.suffix(), isRepaired);
            }
          },
          1,
          0);
    }
    session.settle();
    epochs.noted(ofEpochs);
    source = null;
    former = null;
    unnumberedBefore = changes.unnumbered();
    misfits = 0;
    lostSince = 0;
    isLate = false;
    guard.used();
    session = session(false, null);
    phase = ReplicaPhase.FOLLOWING;
  }

  /** Notes of which history the copy is; one from nothing begins a history of its own. */
  private void noteHistories(
      UpdateContext context, boolean isFromNothing, @Nullable CopySource noted) {
    if (isFromNothing) {
      Instant now = current.get().updating().instant();
      context.note(settings.suffix(), ContextHistory.refreshed(now));
    }
    if (noted != null) {
      context.noteSource(settings.suffix(), noted);
    }
  }

  /**
   * Requires that the copy is whole, when no message has come for a while, or before it follows.
   *
   * @param nanoTime the server's clock, in nanoseconds
   * @throws ReplicaException if the synchronization cannot go on
   */
  public void idle(long nanoTime) throws ReplicaException {
    session.requireGoing();
    if (phase != ReplicaPhase.FOLLOWING && !isLate || window.messages() > 0) {
      return;
    }
    if (!lacksNames()) {
      lostSince = 0;
    } else if (lostSince == 0) {
      lostSince = nanoTime;
    } else if (nanoTime - lostSince > LOST_NANOS) {
      throw refresh.nothingSaid();
    }
  }

  /**
   * Ends the synchronization; returns once the writer has nothing of it.
   *
   * @param reason what it has thrown; null if the provider or the connection has ended it
   */
  public void end(@Nullable ReplicaException reason) {
    session.discard();
    window.awaitEmptyInAnyCase();
    session.over();
    waiting.clear();
    if (session.isUnsure()) {
      lost.forget();
    }
    isLate = false;
    phase = ReplicaPhase.WAITING;
    // The writer may have failed after the last message was taken.
    ReplicaException failure = reason == null ? session.failure() : reason;
    if (failure == null) {
      return;
    }
    misfits += failure.kind() == Kind.MISFIT ? 1 : 0;
    if (failure.kind() == Kind.GUARDED) {
      boolean isAll = failure.absent() == ReplicaException.ALL;
      guard.stop(isAll, isAll ? ContextWalk.count(backend(), settings.suffix()) : failure.absent());
    }
  }

  /** Returns whether nothing is to be synchronized before an administrator confirms it. */
  public boolean isGuarded() {
    return guard.isStopped();
  }

  /**
   * Allows the next refresh to delete as many entries as the stopped one would have; or to begin
   * from nothing, if the provider is another one, or lacks changes that are here.
   *
   * @param entries the number of entries, as {@link ReplicaProgress#guarded}
   * @return false if nothing was stopped, or the number is another one
   */
  public boolean confirm(long entries) {
    return guard.confirm(entries);
  }

  public ReplicaProgress progress() {
    return new ReplicaProgress(
        guard.isStopped() ? ReplicaPhase.GUARDED : phase,
        stored.given(),
        received.get(),
        changes.written(),
        window.messages(),
        waiting.size(),
        guard.guarded());
  }
}
