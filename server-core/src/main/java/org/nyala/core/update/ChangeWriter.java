package org.nyala.core.update;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.Parker;
import org.nyala.core.contention.Threads;
import org.nyala.core.contention.WaitSite;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The single writer of a store: everything that queued while one commit went to disk goes into the
 * next one, and is answered when that is on disk. One wait for the disk answers many.
 *
 * <p>Thread-safe. An update that fails harms none of its neighbours: one that is refused has
 * changed nothing, and when a transaction fails as a whole, each of its updates is tried in one of
 * its own; in another one where the store makes room for it.
 */
public final class ChangeWriter implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ChangeWriter.class.getName());
  private static final int SPINS = 100;

  /** An entry of the queue that stands for no update: it wakes the writer. */
  private static final Object NUDGE = new Object();

  /** The interval at which a resting writer checks for a full commit. */
  private static final long LONGEST_NAP_NANOS = 5_000_000;

  /**
   * The limits and parts of a writer.
   *
   * @param queueLimit updates that may wait; more are refused. At least 2
   * @param batchLimit the maximum number of updates in one commit: limits the memory of a
   *     transaction. At least 1
   * @param serverId the server's number in change sequence numbers, 0 to 4095
   * @param clock the time of day
   * @param steady a clock that nobody sets, which began with the server; null to take all times
   * @param random for the first number after a start
   * @param threads the factory of the writer's thread; if it returns none, the work is done by
   *     those who wait for it ({@link #writeInTurn})
   * @param policy the writer's policy; read before each commit
   * @param listeners notified of commits
   * @param pace the pauses of the writer between commits
   * @param contention the factory of the site of the queue
   */
  public record Settings(
      int queueLimit,
      int batchLimit,
      int serverId,
      InstantSource clock,
      ChangeClock.@Nullable Steady steady,
      RandomGenerator random,
      ThreadFactory threads,
      Supplier<ChangePolicy> policy,
      List<ChangeListener> listeners,
      CommitPacer.Source pace,
      Contention contention) {
    public Settings {
      listeners = List.copyOf(listeners);
    }
  }

  private record Outcome(Update update, LdapResult result) {}

  private final Backend backend;
  private final Settings settings;
  private final MpscArrayQueue<Object> queue;
  private final WaitSite site;
  private final Parker parker;
  private final @Nullable Thread thread;

  /** The update that goes before those of the queue; null if there is none. */
  private final AtomicReference<@Nullable Update> ahead = new AtomicReference<>();

  private volatile @Nullable ChangeClock clock;
  private volatile boolean hasBegun;

  private ChangeWriter(Backend backend, Settings settings) {
    this.backend = backend;
    this.settings = settings;
    this.queue = new MpscArrayQueue<>(settings.queueLimit());
    this.site = settings.contention().waits("writer: queue");
    this.parker = new Parker(queue, SPINS, site);
    this.hasBegun = backend.isReplicated();
    this.thread = settings.threads().newThread(this::run);
  }

  /** Starts the writer of a store. */
  public static ChangeWriter start(Backend backend, Settings settings) {
    ChangeWriter writer = new ChangeWriter(backend, settings);
    if (writer.thread != null) {
      writer.thread.start();
    }
    return writer;
  }

  /**
   * Takes an update; never blocks. Any thread.
   *
   * @return false if it cannot be taken, because too many wait or the writer has ended: the caller
   *     answers
   */
  public boolean submit(Update update) {
    if (parker.isStopping() || !queue.offer(QueuedUpdate.arriving(update, site))) {
      return false;
    }
    parker.wake();
    return true;
  }

  /**
   * Takes an update that goes before those of the queue, and so has a place when that is full;
   * never blocks. Any thread.
   *
   * @param update is alone in its transaction
   * @return false if it cannot be taken, because there is such an update or the writer has ended
   */
  public boolean submitAhead(Update update) {
    if (parker.isStopping() || !ahead.compareAndSet(null, update)) {
      return false;
    }
    // The writer looks after each batch; if the queue is full, there will be another one.
    queue.offer(NUDGE);
    parker.wake();
    return true;
  }

  /** Returns the number of waiting updates. Any thread. */
  public int queued() {
    return queue.size();
  }

  /** Returns the reason why no change gets a number; null if there is none. Any thread. */
  public @Nullable String leap() {
    ChangeClock known = clock;
    return known == null ? null : known.leap();
  }

  /**
   * Returns whether something has been committed since the start: the histories of the store were
   * continued by that. Any thread.
   */
  public boolean hasBegun() {
    return hasBegun;
  }

  private void run() {
    CommitPacer pace = settings.pace().start();
    List<Update> batch = new ArrayList<>();
    do {
      writeQueued(pace, batch);
    } while (parker.await());
  }

  private void writeQueued(CommitPacer pace, List<Update> batch) {
    while (takeQueued(batch) || !batch.isEmpty()) {
      writeAhead();
      if (batch.isEmpty()) {
        continue;
      }
      List<Update> left = writeInParts(batch);
      rest(pace.restNanos(batch.size()));
      batch.clear();
      batch.addAll(left);
    }
    writeAhead();
  }

  /** Takes updates out of the queue; returns whether there was anything in it. */
  private boolean takeQueued(List<Update> batch) {
    MessagePassingQueue.Consumer<Object> taker =
        queued -> {
          if (queued != NUDGE) {
            batch.add(QueuedUpdate.leaving(queued, site));
          }
        };
    return queue.drain(taker, settings.batchLimit()) > 0;
  }

  private void writeAhead() {
    for (Update first = ahead.getAndSet(null); first != null; first = ahead.getAndSet(null)) {
      writeAll(List.of(first));
    }
  }

  /**
   * Writes the waiting updates on the calling thread, if the writer has none of its own. Such a
   * writer, and all who submit to it, are confined to one thread.
   *
   * @return false if it has one, which does so
   */
  public boolean writeInTurn() {
    if (thread != null) {
      return false;
    }
    writeQueued(CommitPacer.UNPACED, new ArrayList<>());
    return true;
  }

  /**
   * Waits while updates gather, until the time is over or they are as many as go into one commit.
   */
  private void rest(long nanos) {
    long left = nanos;
    while (left > 0 && !parker.isStopping() && queue.size() < settings.batchLimit()) {
      long nap = Math.min(left, LONGEST_NAP_NANOS);
      LockSupport.parkNanos(this, nap);
      Thread.interrupted();
      left -= nap;
    }
  }

  /**
   * Writes a batch, with transactions of their own for updates that need that; returns the updates
   * that go into the next one.
   */
  private List<Update> writeInParts(List<Update> batch) {
    int from = 0;
    for (int i = 0; i < batch.size(); i++) {
      if (batch.get(i).isAlone()) {
        writeAll(batch.subList(from, i));
        writeAll(List.of(batch.get(i)));
        from = i + 1;
      }
    }
    List<Update> last = from == 0 ? batch : batch.subList(from, batch.size());
    return last.isEmpty() ? List.of() : write(last);
  }

  private void writeAll(List<Update> batch) {
    for (List<Update> left = batch; !left.isEmpty(); ) {
      left = write(left);
    }
  }

  /**
   * Writes updates, with as many commits as their memory requires; returns those whose owner has
   * used up its share until others of its updates are answered. They go with the next batch:
   * updates of other owners do not wait for their commits. The first update is never among them.
   */
  private List<Update> write(List<Update> batch) {
    List<Update> left = batch;
    boolean isFull;
    do {
      List<Update> next = new ArrayList<>(0);
      isFull = writeSome(left, next);
      left = next;
    } while (isFull && !left.isEmpty());
    return left;
  }

  /**
   * Writes some of the updates and adds the others to {@code left}; returns whether a commit was
   * full.
   */
  private boolean writeSome(List<Update> batch, List<Update> left) {
    List<Outcome> outcomes = new ArrayList<>(batch.size());
    List<CommittedChange> committed = List.of();
    BatchMemory memory = new BatchMemory();
    try {
      committed = commit(batch, outcomes, left, memory);
    } catch (Throwable e) {
      memory.giveBack();
      if (e instanceof StoreUnavailableException unavailable && unavailable.isOfTransaction()) {
        answerAll(batch, left, failure(e));
        return false;
      }
      left.clear();
      if (batch.size() > 1) {
        LOG.log(
            batchFailure(e), "the changes of a batch are written one by one: {0}", e.toString());
        batch.forEach(update -> writeAll(List.of(update)));
        return false;
      }
      if (e instanceof StoreUnavailableException unavailable && unavailable.isWorthAnother()) {
        LOG.log(System.Logger.Level.INFO, "a change is written again: {0}", e.getMessage());
        writeAll(batch);
        return false;
      }
      outcomes.clear();
      outcomes.add(new Outcome(batch.getFirst(), failure(e)));
    }
    tell(committed);
    for (Outcome outcome : outcomes) {
      answer(outcome);
    }
    boolean isFull = isFull(outcomes, memory) || endsCommit(committed, 0);
    memory.giveBack();
    return isFull;
  }

  /** Answers all updates of a batch but those that have had no turn. */
  private static void answerAll(List<Update> batch, List<Update> left, LdapResult result) {
    Set<Update> waiting = Collections.newSetFromMap(new IdentityHashMap<>());
    waiting.addAll(left);
    for (Update update : batch) {
      if (!waiting.contains(update)) {
        answer(new Outcome(update, result));
      }
    }
  }

  /** Returns whether a listener ends the commit because of one of the changes from a place on. */
  private boolean endsCommit(List<CommittedChange> changes, int from) {
    for (int i = from; i < changes.size(); i++) {
      for (ChangeListener listener : settings.listeners()) {
        if (listener.endsCommit(changes.get(i).change())) {
          return true;
        }
      }
    }
    return false;
  }

  private static System.Logger.Level batchFailure(Throwable e) {
    return e instanceof StoreUnavailableException
        ? System.Logger.Level.DEBUG
        : System.Logger.Level.INFO;
  }

  private static LdapResult failure(Throwable e) {
    if (e instanceof StoreUnavailableException unavailable) {
      // The store monitor logs this once; here it would be logged per change.
      LOG.log(System.Logger.Level.DEBUG, "a change could not be stored: {0}", e.getMessage());
      String message = unavailable.getMessage();
      return LdapResult.of(
          unavailable.isTooLarge() ? ResultCode.ADMIN_LIMIT_EXCEEDED : ResultCode.UNAVAILABLE,
          message == null ? "" : message);
    }
    LOG.log(System.Logger.Level.ERROR, "internal error in a change", e);
    return LdapResult.of(ResultCode.OTHER, "internal error");
  }

  private boolean isFull(List<Outcome> outcomes, BatchMemory memory) {
    return memory.isFull() || outcomes.size() >= settings.batchLimit();
  }

  private UpdateContext context(WriteTransaction transaction, BatchMemory memory) {
    return new UpdateContext(
        backend, transaction, clock(transaction), settings.policy().get(), images(), memory);
  }

  /** Continues the histories in a commit of its own, before an update that may have no company. */
  private void beginRun(BatchMemory memory) {
    try (WriteTransaction transaction = backend.beginWrite()) {
      UpdateContext context = context(transaction, memory);
      context.beginRun();
      context.touch();
      transaction.commit();
      hasBegun = true;
    }
  }

  private List<CommittedChange> commit(
      List<Update> batch, List<Outcome> outcomes, List<Update> left, BatchMemory memory) {
    boolean isAlone = batch.size() == 1 && batch.getFirst().isAlone();
    if (isAlone && !hasBegun) {
      beginRun(memory);
    }
    try (WriteTransaction transaction =
        isAlone ? batch.getFirst().begin(backend) : backend.beginWrite()) {
      UpdateContext context = context(transaction, memory);
      if (isAlone) {
        context.alone();
      }
      if (!hasBegun) {
        context.beginRun();
      }
      boolean isEnded = false;
      for (Update update : batch) {
        int seen = context.log().size();
        if (isEnded || isFull(outcomes, memory)) {
          left.add(update);
        } else if (memory.isBehindOneThatWaits(update)) {
          leave(update, outcomes, left);
        } else {
          context.begin(update);
          LdapResult result = attempt(update, context);
          isEnded = endsCommit(context.log(), seen);
          if (memory.isToWait()) {
            leave(update, outcomes, left);
          } else {
            outcomes.add(new Outcome(update, result));
          }
        }
      }
      if (context.hasChanges()) {
        transaction.commit();
        hasBegun = true;
      }
      if (context.isReplaced()) {
        tell(ChangeListener::replaced);
      }
      return List.copyOf(context.log());
    }
  }

  /** Defers an update to the next commit, unless as many as go into one are waiting already. */
  private void leave(Update update, List<Outcome> outcomes, List<Update> left) {
    if (left.size() < settings.batchLimit()) {
      left.add(update);
    } else {
      LdapResult busy = LdapResult.of(ResultCode.BUSY, "too many changes wait for memory");
      outcomes.add(new Outcome(update, busy));
    }
  }

  private ChangeListener.Images images() {
    ChangeListener.Images most = ChangeListener.Images.NONE;
    for (ChangeListener listener : settings.listeners()) {
      ChangeListener.Images wanted = listener.images();
      most = wanted.compareTo(most) > 0 ? wanted : most;
    }
    return most;
  }

  private ChangeClock clock(WriteTransaction transaction) {
    ChangeClock known = clock;
    if (known == null) {
      known =
          new ChangeClock(
              settings.clock(),
              settings.serverId(),
              transaction.largestCsns(),
              settings.steady(),
              settings.random());
      clock = known;
    }
    return known;
  }

  private static LdapResult attempt(Update update, UpdateContext context) {
    if (!update.isWanted()) {
      return LdapResult.of(ResultCode.CANCELED);
    }
    int mark = context.log().size();
    boolean composite = update.isComposite();
    if (composite) {
      context.transaction().beginPart();
    }
    try {
      LdapResult result = update.apply(context);
      if (composite) {
        context.transaction().keepPart();
      }
      return result;
    } catch (LdapOperationException e) {
      if (composite) {
        context.transaction().undoPart();
        context.truncateLog(mark);
      } else if (context.log().size() > mark) {
        throw new IllegalStateException("an update was refused after it had changed something", e);
      }
      return e.result();
    }
  }

  /* A commit is final: whatever listeners do, the requests are answered. */
  private void tell(List<CommittedChange> changes) {
    if (!changes.isEmpty()) {
      tell(listener -> listener.committed(changes));
    }
  }

  private void tell(Consumer<ChangeListener> news) {
    for (ChangeListener listener : settings.listeners()) {
      try {
        news.accept(listener);
      } catch (Throwable e) {
        LOG.log(System.Logger.Level.ERROR, "a listener failed", e);
      }
    }
  }

  private static void answer(Outcome outcome) {
    try {
      outcome.update().answer(outcome.result());
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "a change could not be answered", e);
    }
  }

  /**
   * Writes the waiting updates, then ends the thread. Idempotent; not to be called on the writer's
   * thread.
   */
  @Override
  public void close() {
    parker.stop();
    if (thread != null) {
      // It may rest between two commits.
      LockSupport.unpark(thread);
      Threads.join(thread);
    }
    site.close();
    LdapResult stopped = LdapResult.of(ResultCode.UNAVAILABLE, "the server stops");
    Update first = ahead.getAndSet(null);
    if (first != null) {
      answer(new Outcome(first, stopped));
    }
    for (Object queued = queue.poll(); queued != null; queued = queue.poll()) {
      if (queued != NUDGE) {
        answer(new Outcome(QueuedUpdate.update(queued), stopped));
      }
    }
  }
}
