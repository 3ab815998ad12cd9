package org.nyala.management.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.StaleReaders;
import org.nyala.lmdb.StoreStatus.ReadingProcess;
import org.nyala.lmdb.explain.SearchExplanation;
import org.nyala.log.Administrator;
import org.nyala.management.ConnectionsManagement;
import org.nyala.management.OperationsManagement;
import org.nyala.management.ServerComponents;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.management.page.ActionAnswer.Outcome;

/**
 * The actions of an administrator by the page. Each is done by the bean that JMX has for it, on
 * behalf of the account, and is written to the security log, whatever becomes of it.
 *
 * <p>Thread-safe. A few actions are done at a time, and one explanation; further ones are refused.
 */
public final class PageActions implements AutoCloseable {
  private static final int AT_ONCE = 4;
  private static final int EXPLAIN_SECONDS = 10;
  private static final int MOST_TERMS = 200;
  private static final int END_SECONDS = 3;
  private static final int MOST_DESCRIPTORS = 100_000;
  private static final String LOCK_FILE = "lock.mdb";

  private final PageSources sources;
  private final ConnectionsMXBean connections;
  private final OperationsMXBean operations;
  private final Runnable accountsChanged;
  private final Semaphore places = new Semaphore(AT_ONCE);
  private final Semaphore explanations = new Semaphore(1);
  private volatile boolean isOver;

  /** An action cannot be done; the message says why. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    private Refusal(String sentence) {
      super(sentence);
    }
  }

  /** Creates the actions of a page. */
  PageActions(PageSources sources, Runnable accountsChanged) {
    this.sources = sources;
    this.connections = new ConnectionsManagement(sources.parts());
    this.operations = new OperationsManagement(sources.parts());
    this.accountsChanged = accountsChanged;
  }

  /** An action that an administrator has asked for. Immutable. */
  private record Asked(String action, Map<String, Object> values) {
    String text(String name) {
      if (values.get(name) instanceof String text) {
        return text;
      }
      throw new IllegalArgumentException(action + ": expected the text " + name);
    }

    int number(String name) {
      if (values.get(name) instanceof Long number && number == number.intValue()) {
        return number.intValue();
      }
      throw new IllegalArgumentException(action + ": expected the whole number " + name);
    }

    /** Returns what it is about, for the log. */
    String target() {
      StringBuilder text = new StringBuilder();
      values.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(
              each ->
                  text.append(text.isEmpty() ? "" : " ")
                      .append(each.getKey())
                      .append('=')
                      .append(each.getValue()));
      return text.toString();
    }
  }

  /**
   * Does an action, which may take some seconds.
   *
   * @param body its values as a JSON object
   * @param user the account, which has shown its password
   * @param address the address of the client
   */
  public ActionAnswer act(String name, String body, String user, String address) {
    Asked asked;
    try {
      asked = new Asked(name, FlatJson.read(body));
    } catch (IllegalArgumentException e) {
      return ActionAnswer.of(Outcome.WRONG, ErrorMessages.line(e));
    }
    if (!places.tryAcquire()) {
      return ActionAnswer.of(Outcome.BUSY, "other actions go on: try again");
    }
    try {
      return isOver
          ? ActionAnswer.of(Outcome.ENDING, "the server is stopping")
          : logged(asked, user, address);
    } finally {
      places.release();
    }
  }

  private ActionAnswer logged(Asked asked, String user, String address) {
    ActionAnswer answer = null;
    try {
      answer = new Administrator(Administrator.Way.HTTP, user).call(() -> act(asked));
      return answer;
    } finally {
      if (answer == null || answer.outcome() != Outcome.UNKNOWN) {
        boolean isDone = answer != null && answer.outcome() == Outcome.DONE;
        sources.log().acted("http", user, address, asked.action(), asked.target(), isDone);
      }
    }
  }

  private ActionAnswer act(Asked asked) {
    try {
      return switch (asked.action()) {
        case "login" -> ActionAnswer.of(Outcome.DONE, "the account may act");
        case "strategy" -> strategy(asked);
        case "disconnect" -> disconnect(asked);
        case "cancel" -> cancel(asked);
        case "end-reader" -> endReader(asked);
        case "unlock" -> unlock(asked);
        case "backup" -> {
          String directory = asked.text("directory");
          long job = sources.jobs().backUp(directory);
          yield begun(job, "the backup to " + directory + " has begun");
        }
        case "index" -> {
          String index = asked.text("index");
          long job = sources.jobs().addIndex(index);
          yield begun(job, "the index " + index + " is being built");
        }
        case "explain" -> explain(asked);
        default -> ActionAnswer.of(Outcome.UNKNOWN, "there is no such action");
      };
    } catch (IllegalArgumentException e) {
      return ActionAnswer.of(Outcome.WRONG, ErrorMessages.line(e));
    } catch (IllegalStateException | Refusal e) {
      return ActionAnswer.of(Outcome.REFUSED, ErrorMessages.line(e));
    }
  }

  private static ActionAnswer begun(long job, String sentence) {
    return new ActionAnswer(
        Outcome.DONE, ActionAnswer.begin(true, sentence).with("job", job).endObject().toString());
  }

  private ActionAnswer strategy(Asked asked) {
    String wanted = asked.text("strategy");
    String before = sources.dispatch().switchStrategy(wanted);
    return ActionAnswer.of(Outcome.DONE, "the strategy is " + wanted + ", it was " + before);
  }

  private ActionAnswer disconnect(Asked asked) throws Refusal {
    int connection = asked.number("connection");
    if (!connections.disconnect(connection)) {
      throw new Refusal("there is no connection " + connection + " any more");
    }
    return ActionAnswer.of(Outcome.DONE, "connection " + connection + " is ended");
  }

  private ActionAnswer cancel(Asked asked) throws Refusal {
    int connection = asked.number("connection");
    int message = asked.number("messageId");
    if (!operations.cancel(connection, message)) {
      throw new Refusal(
          "operation "
              + message
              + " of connection "
              + connection
              + " has ended, or is one that cannot be canceled");
    }
    return ActionAnswer.of(
        Outcome.DONE, "operation " + message + " of connection " + connection + " is canceled");
  }

  private ActionAnswer unlock(Asked asked) {
    String name = asked.text("dn");
    boolean isUsable = sources.accounts().change("unlock", name, "").usable();
    accountsChanged.run();
    return ActionAnswer.of(
        Outcome.DONE,
        name
            + " is unlocked"
            + (isUsable ? "" : ", and cannot log in for another reason: see nyala account show"));
  }

  /**
   * Ends a process that reads the store, such as an export. The number must be that of a process
   * that LMDB knows to be alive, and that has the lock file of this store open: numbers are used
   * again, and those of containers mean nothing outside.
   */
  private ActionAnswer endReader(Asked asked) throws Refusal {
    long process = asked.number("process");
    ServerComponents parts = sources.parts();
    if (process == ProcessHandle.current().pid()) {
      throw new Refusal("that is the server itself: cancel the operation that reads");
    }
    int _ = StaleReaders.free(parts.store());
    if (!isReading(parts.store(), process)) {
      throw new Refusal("process " + process + " does not read the store any more");
    }
    ProcessHandle handle =
        ProcessHandle.of(process)
            .filter(each -> hasLockFile(process, parts.data()))
            .orElseThrow(
                () ->
                    new Refusal(
                        "process "
                            + process
                            + " cannot be seen by the server, as in another container or of"
                            + " another user: end it there"));
    if (!handle.destroy()) {
      throw new Refusal("process " + process + " cannot be ended by the user of the server");
    }
    boolean hasEnded = hasEnded(handle);
    if (hasEnded) {
      int _ = StaleReaders.free(parts.store());
    }
    return ActionAnswer.of(
        Outcome.DONE,
        "process " + process + (hasEnded ? " has ended" : " was asked to end, and goes on so far"));
  }

  private static boolean isReading(LmdbBackend store, long process) {
    return store.status().readers().processes().stream()
        .map(ReadingProcess::process)
        .anyMatch(each -> each == process);
  }

  /** Returns whether a process has the lock file of a store open, as far as Linux tells that. */
  private static boolean hasLockFile(long process, Path data) {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + process + "/fd"))) {
      Path folder = data.toRealPath();
      return descriptors.limit(MOST_DESCRIPTORS).anyMatch(each -> isLockFile(each, folder));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isLockFile(Path descriptor, Path folder) {
    try {
      Path file = Files.readSymbolicLink(descriptor);
      return file.startsWith(folder) && file.endsWith(LOCK_FILE);
    } catch (IOException e) {
      // Closed meanwhile.
      return false;
    }
  }

  private static boolean hasEnded(ProcessHandle handle) {
    try {
      ProcessHandle _ = handle.onExit().get(END_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  private ActionAnswer explain(Asked asked) {
    String base = asked.text("base");
    String scope = asked.text("scope");
    String filter = asked.text("filter");
    if (!explanations.tryAcquire()) {
      return ActionAnswer.of(Outcome.BUSY, "another search is being explained: try again");
    }
    try {
      SearchExplanation found = sources.explain().explain(base, scope, filter, EXPLAIN_SECONDS);
      PageJson json =
          ActionAnswer.begin(true, found.results() + " entries match").object("explanation");
      explanation(found, json);
      return new ActionAnswer(Outcome.DONE, json.endObject().endObject().toString());
    } finally {
      explanations.release();
    }
  }

  private static void explanation(SearchExplanation found, PageJson json) {
    json.with("plan", found.plan()).list("terms");
    for (SearchExplanation.Term each : limited(found.terms())) {
      json.object()
          .with("depth", each.depth())
          .with("text", each.text())
          .with("index", each.index())
          .with("estimate", known(each.estimate()))
          .with("candidates", known(each.candidates()))
          .with("matches", known(each.matches()))
          .with("note", each.note())
          .endObject();
    }
    json.endList()
        .with("storeEntries", found.storeEntries())
        .with("entriesRead", found.entriesRead())
        .with("results", found.results())
        .with("complete", found.isComplete())
        .with("exact", found.isExact())
        .list("stages");
    for (SearchExplanation.Stage each : limited(found.stages())) {
      json.object().with("name", each.name()).with("micros", each.micros()).endObject();
    }
    json.endList().list("advice");
    for (SearchExplanation.Advice each : limited(found.advice())) {
      json.object()
          .with("index", each.index())
          .with("reason", each.reason())
          .with("bytes", each.bytes())
          .with("millis", each.millis())
          .endObject();
    }
    json.endList().list("unknownAttributes");
    limited(found.unknownAttributes()).forEach(json::item);
    json.endList();
  }

  private static <T> List<T> limited(List<T> all) {
    return all.subList(0, Math.min(MOST_TERMS, all.size()));
  }

  private static double known(long number) {
    return number == SearchExplanation.UNKNOWN ? Double.NaN : number;
  }

  /** Refuses all further actions. */
  @Override
  public void close() {
    isOver = true;
  }
}
