package org.nyala.server;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.StaleReaders;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexProgress;
import org.nyala.service.RequestFolder;
import org.nyala.service.RunDirectory;

/**
 * Works on the indexes of a store beside what its clients do: on what was left of an earlier run,
 * and on what commands ask for in a {@link RequestFolder}. Frees the places of readers that were
 * killed, too.
 *
 * <p>Thread-safe: all work is done by one thread. What a command asked for is on disk before the
 * command hears of it, so it goes on whatever happens to either.
 */
final class IndexRequests implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(IndexRequests.class.getName());

  /** How often requests are looked for while there is no work. */
  private static final int POLL_MILLIS = 500;

  /** How often they are looked for, and their progress is told, while there is. */
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** How often the places of readers are freed whose processes were killed. */
  private static final long READER_CHECK_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int CLOSE_WAIT_MILLIS = 5000;

  /** Requests under way at a time; others wait in the folder. */
  private static final int MAXIMUM_OPEN = 64;

  private final LmdbBackend backend;
  private final NyalaConfig configuration;
  private final RequestFolder folder;
  private final String name;
  private final LongSupplier nanoClock;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Map<String, IndexChange> open = new LinkedHashMap<>();
  private final Map<String, RequestFolder.Answer> unsaid = new HashMap<>();
  private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
  private final Map<String, Consumer<RequestFolder.Answer>> listeners = new HashMap<>();
  private final Thread thread;
  private boolean isFolderBroken;
  private long readerCheckNanos;

  /** A change that somebody in this process has begun, and who is told how it comes along. */
  private record Asked(String id, IndexChange change, Consumer<RequestFolder.Answer> listener) {}

  private IndexRequests(
      LmdbBackend backend,
      NyalaConfig configuration,
      RequestFolder folder,
      String name,
      LongSupplier nanoClock) {
    this.backend = backend;
    this.configuration = configuration;
    this.folder = folder;
    this.name = name;
    this.nanoClock = nanoClock;
    this.thread = Thread.ofPlatform().daemon().name("nyala-indexes").unstarted(this::run);
  }

  /**
   * Starts to work.
   *
   * @throws CommandException when the folder for requests cannot be made
   */
  static IndexRequests start(
      LmdbBackend backend, NyalaConfig configuration, LongSupplier nanoClock) {
    RequestFolder folder = RunDirectory.of(configuration).requests();
    try {
      IndexRequests requests =
          new IndexRequests(backend, configuration, folder, folder.open(), nanoClock);
      requests.thread.start();
      return requests;
    } catch (IOException e) {
      throw CommandException.failed(
          "cannot make the folder for requests: " + ErrorMessages.reason(e));
    }
  }

  /**
   * Begins with a change at once, for somebody in this process; the work is done as for commands.
   *
   * @param listener is told how it comes along, by the thread that works
   * @throws CommandException when that cannot be; nothing was changed
   */
  void ask(IndexChange.Action action, String subject, Consumer<RequestFolder.Answer> listener) {
    IndexChange change = beginNow(action, subject);
    asked.add(new Asked("asked " + UUID.randomUUID(), change, listener));
  }

  private IndexChange beginNow(IndexChange.Action action, String subject) {
    IndexChange change = IndexChange.parse(backend, action, subject);
    change.requireUseful(backend, configuration);
    change.requireNotNeeded(configuration);
    change.begin(backend);
    LOG.log(
        System.Logger.Level.INFO,
        "index {0} {1}",
        action.name().toLowerCase(Locale.ROOT),
        change.definition().toString());
    return change;
  }

  private void run() {
    boolean isMore = true;
    long turnNanos = nanoClock.getAsLong() - TURN_NANOS;
    readerCheckNanos = turnNanos;
    while (!isClosing(isMore ? 0 : POLL_MILLIS)) {
      if (!isMore || nanoClock.getAsLong() - turnNanos >= TURN_NANOS) {
        turnNanos = nanoClock.getAsLong();
        isMore |= takeRequests();
        checkReaders(turnNanos);
      }
      if (isMore) {
        isMore = work();
      }
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
        LOG.log(System.Logger.Level.INFO, "{0} readers had ended without saying so", freed);
      }
    } catch (StoreException e) {
      log("looking for readers that were killed", e);
    }
  }

  private boolean isClosing(int waitMillis) {
    try {
      return closing.await(waitMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // Nobody interrupts this thread but to end it.
      return true;
    }
  }

  /** Begins with new requests and tells how the others come along; whether there is new work. */
  private boolean takeRequests() {
    boolean isMore = false;
    try {
      isMore |= takeAsked();
      for (RequestFolder.Request request : folder.requests(name, MAXIMUM_OPEN - open.size())) {
        isMore |= begin(request);
        tell();
        folder.deleteRequest(request.id());
      }
      tell();
      isFolderBroken = false;
    } catch (IOException e) {
      if (!isFolderBroken) {
        LOG.log(
            System.Logger.Level.WARNING,
            "commands cannot reach this server: {0}",
            ErrorMessages.reason(e));
      }
      isFolderBroken = true;
    } catch (RuntimeException e) {
      failAll(e);
    }
    return isMore;
  }

  private boolean takeAsked() {
    boolean isMore = false;
    for (Asked each = asked.poll(); each != null; each = asked.poll()) {
      listeners.put(each.id(), each.listener());
      open.put(each.id(), each.change());
      isMore = true;
    }
    return isMore;
  }

  private boolean begin(RequestFolder.Request request) {
    if (open.containsKey(request.id()) || unsaid.containsKey(request.id())) {
      // Its file could not be deleted.
      return false;
    }
    try {
      open.put(request.id(), beginNow(action(request), request.subject()));
      return true;
    } catch (CommandException e) {
      unsaid.put(request.id(), RequestFolder.Answer.ended(e.exitCode(), ErrorMessages.line(e)));
    } catch (RuntimeException e) {
      log("index " + request.action() + " failed", e);
      unsaid.put(
          request.id(), RequestFolder.Answer.ended(ExitCode.FAILED, ErrorMessages.explain(e)));
    }
    return false;
  }

  private static IndexChange.Action action(RequestFolder.Request request) {
    for (IndexChange.Action action : IndexChange.Action.values()) {
      if (action.name().toLowerCase(Locale.ROOT).equals(request.action())) {
        return action;
      }
    }
    throw new CommandException(
        ExitCode.USAGE, "the server does not know the action '" + request.action() + "'");
  }

  private void tell() throws IOException {
    if (!open.isEmpty()) {
      List<IndexProgress> work = backend.indexProgress();
      List<IndexDefinition> indexes = backend.indexes();
      for (Map.Entry<String, IndexChange> each : open.entrySet()) {
        unsaid.put(each.getKey(), answer(each.getValue(), work, indexes));
      }
    }
    for (Map.Entry<String, RequestFolder.Answer> each : Map.copyOf(unsaid).entrySet()) {
      String id = each.getKey();
      say(id, each.getValue());
      // Said once: a command that has read its last answer takes it away.
      unsaid.remove(id);
      if (each.getValue().hasEnded()) {
        open.remove(id);
      }
    }
  }

  private void say(String id, RequestFolder.Answer answer) throws IOException {
    Consumer<RequestFolder.Answer> listener = listeners.get(id);
    if (listener == null) {
      folder.answer(id, answer);
      return;
    }
    listener.accept(answer);
    if (answer.hasEnded()) {
      listeners.remove(id);
    }
  }

  private static RequestFolder.Answer answer(
      IndexChange change, List<IndexProgress> work, List<IndexDefinition> indexes) {
    List<IndexProgress> left = change.leftOf(work);
    if (change.isFulfilled(indexes) && left.isEmpty()) {
      return RequestFolder.Answer.ended(ExitCode.OK, IndexChange.done(indexes));
    }
    return left.isEmpty() || change.action() == IndexChange.Action.DROP && isBuilt(left)
        ? RequestFolder.Answer.ended(
            ExitCode.FAILED, change.definition() + " was changed by another command meanwhile")
        : RequestFolder.Answer.working(IndexChange.text(left));
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
    if (isClosing(0)) {
      return;
    }
    log("work on indexes stops", e);
    String line =
        "the work stops: "
            + ErrorMessages.explain(e)
            + "; it goes on with the next index command, or when the server starts again";
    for (String id : open.keySet()) {
      unsaid.put(id, RequestFolder.Answer.ended(ExitCode.FAILED, line));
    }
    open.clear();
  }

  private static void log(String what, RuntimeException e) {
    if (e instanceof StoreUnavailableException || e instanceof StoreException) {
      LOG.log(System.Logger.Level.WARNING, "{0}: {1}", what, ErrorMessages.line(e));
    } else {
      LOG.log(System.Logger.Level.ERROR, what, e);
    }
  }

  /** Ends after the slice of work that is under way; what is left goes on at the next start. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(CLOSE_WAIT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
