package org.nyala.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.StaleReaders;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexProgress;

/**
 * The work on the indexes of a store beside the requests of clients: what an earlier run has left
 * over, and what is requested from now on. Frees the places of readers that were killed, too.
 *
 * <p>Thread-safe: all work is done by one thread. A change is on disk before {@link #begin}
 * returns, so it goes on even if the server ends.
 */
final class IndexRequests implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(IndexRequests.class.getName());

  /** The time between two looks for new requests, and reports of progress, during work. */
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The time after which the places of readers are freed whose processes were killed. */
  private static final long READER_CHECK_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int CLOSE_WAIT_MILLIS = 5000;

  private final LmdbBackend backend;
  private final NyalaConfig configuration;
  private final LongSupplier nanoClock;
  private final Queue<Request> requested = new ConcurrentLinkedQueue<>();
  private final List<Request> open = new ArrayList<>();
  private final Thread thread;
  private volatile boolean isClosing;
  private long readerCheckNanos;

  /** The state of a change. */
  enum State {
    /** The work continues. */
    WORKING,
    /** The store is indexed as requested. */
    DONE,
    /** The work has ended in another way. */
    FAILED
  }

  /**
   * A report on a change.
   *
   * @param line one line on how far it is, or its outcome
   */
  record Progress(State state, String line) {}

  /** A change that has begun, and the listener to its progress. */
  private record Request(IndexChange change, Consumer<Progress> listener) {}

  private IndexRequests(LmdbBackend backend, NyalaConfig configuration, LongSupplier nanoClock) {
    this.backend = backend;
    this.configuration = configuration;
    this.nanoClock = nanoClock;
    this.thread = Thread.ofPlatform().daemon().name("nyala-indexes").unstarted(this::run);
  }

  /** Starts to work. */
  static IndexRequests start(
      LmdbBackend backend, NyalaConfig configuration, LongSupplier nanoClock) {
    IndexRequests requests = new IndexRequests(backend, configuration, nanoClock);
    requests.thread.start();
    return requests;
  }

  /**
   * Begins a change at once; the rest is done beside the requests of clients.
   *
   * @param listener is called with its progress, by the thread that works
   * @throws CommandException if there cannot be such an index; nothing was changed
   */
  void begin(IndexChange.Action action, String subject, Consumer<Progress> listener) {
    IndexChange change = IndexChange.parse(backend, action, subject);
    change.requireUseful(backend, configuration);
    change.requireNotNeeded(configuration);
    change.begin(backend);
    LOG.log(
        System.Logger.Level.INFO,
        "index {0} {1}",
        action.name().toLowerCase(Locale.ROOT),
        change.definition().toString());
    requested.add(new Request(change, listener));
    LockSupport.unpark(thread);
  }

  private void run() {
    boolean isMore = true;
    long turnNanos = nanoClock.getAsLong() - TURN_NANOS;
    readerCheckNanos = turnNanos;
    while (!isClosing) {
      long nowNanos = nanoClock.getAsLong();
      if (!isMore || nowNanos - turnNanos >= TURN_NANOS) {
        turnNanos = nowNanos;
        isMore |= takeRequests();
        checkReaders(nowNanos);
      }
      if (isMore) {
        isMore = work();
      } else {
        awaitRequest();
      }
    }
  }

  /* A request that comes after the look has unparked this thread already. */
  private void awaitRequest() {
    long untilCheckNanos = readerCheckNanos + READER_CHECK_NANOS - nanoClock.getAsLong();
    if (requested.isEmpty() && !isClosing && untilCheckNanos > 0) {
      LockSupport.parkNanos(this, untilCheckNanos);
      // A set flag would turn parking into spinning.
      Thread.interrupted();
    }
  }

  private void checkReaders(long nowNanos) {
    if (nowNanos - readerCheckNanos < READER_CHECK_NANOS) {
      return;
    }
    readerCheckNanos = nowNanos;
    try {
      int freed = StaleReaders.free(backend);
      if (freed > 0) {
        LOG.log(
            System.Logger.Level.INFO,
            "{0} places of readers were freed, whose processes were killed",
            freed);
      }
    } catch (StoreException e) {
      log("looking for readers that were killed", e);
    }
  }

  /** Takes new requests and reports the progress of all; whether there is new work. */
  private boolean takeRequests() {
    int before = open.size();
    for (Request each = requested.poll(); each != null; each = requested.poll()) {
      open.add(each);
    }
    boolean isMore = open.size() > before;
    try {
      report();
    } catch (RuntimeException e) {
      failAll(e);
    }
    return isMore;
  }

  private void report() {
    if (open.isEmpty()) {
      return;
    }
    List<IndexProgress> work = backend.indexProgress();
    List<IndexDefinition> indexes = backend.indexes();
    for (Request each : List.copyOf(open)) {
      Progress progress = progress(each.change(), work, indexes);
      if (progress.state() != State.WORKING) {
        open.remove(each);
      }
      each.listener().accept(progress);
    }
  }

  private static Progress progress(
      IndexChange change, List<IndexProgress> work, List<IndexDefinition> indexes) {
    List<IndexProgress> left = change.leftOf(work);
    if (change.isFulfilled(indexes) && left.isEmpty()) {
      return new Progress(State.DONE, change.done());
    }
    return left.isEmpty() || change.action() == IndexChange.Action.DROP && isBuilt(left)
        ? new Progress(
            State.FAILED, change.definition() + " was changed by another command meanwhile")
        : new Progress(State.WORKING, IndexChange.text(left));
  }

  private static boolean isBuilt(List<IndexProgress> left) {
    return left.stream().allMatch(IndexProgress::isBuilding);
  }

  private boolean work() {
    try {
      return backend.workOnIndexes() || takeRequests();
    } catch (RuntimeException e) {
      failAll(e);
      return false;
    }
  }

  /** Gives the work up until another request comes, or another start of the server. */
  private void failAll(RuntimeException e) {
    if (isClosing) {
      return;
    }
    log("work on indexes stops", e);
    String line =
        "the work stops: "
            + ErrorMessages.explain(e)
            + "; it goes on with the next index command, or when the server starts again";
    List<Request> failed = List.copyOf(open);
    open.clear();
    failed.forEach(each -> each.listener().accept(new Progress(State.FAILED, line)));
  }

  /** Logs a failure of the store as a line, and an unforeseen one with its stack. */
  static void log(String what, RuntimeException e) {
    if (e instanceof StoreUnavailableException || e instanceof StoreException) {
      LOG.log(System.Logger.Level.WARNING, "{0}: {1}", what, ErrorMessages.line(e));
    } else {
      LOG.log(System.Logger.Level.ERROR, what, e);
    }
  }

  /** Ends after the slice of work that is under way; what is left goes on at the next start. */
  @Override
  public void close() {
    isClosing = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CLOSE_WAIT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
