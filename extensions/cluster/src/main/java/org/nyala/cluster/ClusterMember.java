package org.nyala.cluster;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.Proposal.Delivered;
import org.nyala.cluster.Proposal.Verdict;
import org.nyala.cluster.batch.BatchId;
import org.nyala.cluster.batch.BatchReader;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.update.Update;

/**
 * The state between a log and the writer of a store: what was delivered and is not applied yet, the
 * one proposal whose outcome is open, and whether the member leads.
 *
 * <p>Thread-safe: the log's threads tell it what happens, the writer's thread acts upon it. Whether
 * it leads follows the entries that were delivered before, so that no batch is made from a state
 * that lacks any of them.
 */
final class ClusterMember implements ReplicatedLog.Member {
  private static final System.Logger LOG = System.getLogger(ClusterMember.class.getName());

  private static final long NO_TERM = -1;

  /** A message of the log, kept in its order, as far as it waits for entries to be applied. */
  private sealed interface Event {
    record Entry(Delivered delivered) implements Event {}

    record Passed(LogPosition at) implements Event {}

    record Leads(long term) implements Event {}
  }

  private record Reader(LogPosition at, CompletableFuture<Void> reached) {}

  private final ReplicatedBackend store;
  private final ClusterSettings settings;
  private final Deque<Event> events = new ArrayDeque<>();
  private final List<Reader> readers = new ArrayList<>();
  private @Nullable ReplicatedLog log;
  private Predicate<Update> writer = _ -> false;
  private LogPosition applied = LogPosition.NONE;
  private LogPosition reached = LogPosition.NONE;
  private long leads = NO_TERM;
  private @Nullable Proposal open;

  /** A batch whose deadline is over; nothing is proposed in its term until it is delivered. */
  private @Nullable Proposal doubted;

  private @Nullable String failure;
  private boolean isFollowing;

  ClusterMember(ReplicatedBackend store, ClusterSettings settings) {
    this.store = store;
    this.settings = settings;
  }

  synchronized void start(ReplicatedLog started, Predicate<Update> ahead) {
    log = started;
    writer = ahead;
    applied = store.position();
    follow();
  }

  @Override
  public LogPosition applied() {
    LogPosition kept = store.position();
    synchronized (this) {
      applied = kept;
    }
    return kept;
  }

  @Override
  public synchronized CompletionStage<Void> committed(LogPosition at, ByteBuffer entry) {
    if (failure != null) {
      return CompletableFuture.failedFuture(new IllegalStateException(failure));
    }
    if (at.index() <= applied.index()) {
      return CompletableFuture.completedFuture(null);
    }
    Delivered delivered = new Delivered(at, entry, new CompletableFuture<>());
    Proposal waiting = open;
    if (waiting != null && waiting.isUndecided()) {
      if (waiting.id.equals(BatchReader.id(entry))) {
        waiting.delivered = delivered;
        decide(waiting, Verdict.DELIVERED);
        return delivered.done();
      }
      // An entry of a later term has a place that the batch could have had, or a later one.
      decide(waiting, at.term() > waiting.term ? Verdict.NOT_DONE : Verdict.LOST);
    }
    events.add(new Event.Entry(delivered));
    follow();
    return delivered.done();
  }

  @Override
  public synchronized void passed(LogPosition at) {
    Proposal waiting = open;
    if (waiting != null && waiting.isUndecided() && at.term() > waiting.term) {
      decide(waiting, Verdict.NOT_DONE);
    }
    if (events.peekLast() instanceof Event.Passed) {
      events.removeLast();
    }
    events.add(new Event.Passed(at));
    settle();
  }

  @Override
  public synchronized void leads(long term) {
    Proposal waiting = open;
    if (waiting != null && waiting.isUndecided() && term > waiting.term) {
      // All that is in the log of the new leader was delivered before.
      decide(waiting, Verdict.NOT_DONE);
    }
    events.add(new Event.Leads(term));
    settle();
  }

  @Override
  public synchronized void follows() {
    leads = NO_TERM;
    events.removeIf(Event.Leads.class::isInstance);
    Proposal waiting = open;
    if (waiting != null && waiting.isUndecided()) {
      decide(waiting, Verdict.LOST);
    }
  }

  @Override
  public CompletionStage<LogPosition> copy(LogPosition first) {
    return settings.copying().fetch(first).thenApply(_ -> copied());
  }

  private LogPosition copied() {
    LogPosition now = applied();
    List<CompletableFuture<Void>> done = new ArrayList<>();
    synchronized (this) {
      events.removeIf(event -> event instanceof Event.Entry entry && isDone(entry, now, done));
      reach(now);
      // The copy may have had the writer's turn that entries were waiting for.
      settle();
    }
    done.forEach(each -> each.complete(null));
    return now;
  }

  private static boolean isDone(
      Event.Entry entry, LogPosition now, List<CompletableFuture<Void>> done) {
    boolean isIn = entry.delivered.at().compareTo(now) <= 0;
    if (isIn) {
      done.add(entry.delivered.done());
    }
    return isIn;
  }

  @Override
  public void failed(Throwable cause) {
    fail("the log of the cluster has failed: " + cause.getMessage());
  }

  /** Stops the member for good: it applies and proposes nothing more. Idempotent. */
  void fail(String sentence) {
    List<CompletableFuture<Void>> left = new ArrayList<>();
    ReplicatedLog running;
    synchronized (this) {
      if (failure != null) {
        return;
      }
      failure = sentence;
      leads = NO_TERM;
      Proposal waiting = open;
      if (waiting != null && waiting.isUndecided()) {
        decide(waiting, Verdict.STOPPED);
      }
      if (waiting != null && waiting.delivered != null) {
        left.add(waiting.delivered.done());
      }
      running = log;
      for (Event event : events) {
        if (event instanceof Event.Entry entry) {
          left.add(entry.delivered.done());
        }
      }
      events.clear();
      readers.forEach(reader -> left.add(reader.reached));
      readers.clear();
    }
    LOG.log(System.Logger.Level.ERROR, "this member of the cluster has stopped: {0}", sentence);
    settings.failures().accept(sentence);
    left.forEach(each -> each.completeExceptionally(new IllegalStateException(sentence)));
    if (running != null) {
      // It would go on to lead, with a member that refuses each change.
      running.failed(sentence);
    }
  }

  /** Returns why the member has stopped; null if it has not. */
  synchronized @Nullable String failure() {
    return failure;
  }

  /** Returns the term that the member leads in; -1 if it does not, or may not propose. */
  synchronized long leadingTerm() {
    return doubted == null ? leads : NO_TERM;
  }

  /** Returns the term of a transaction that changes the store, or refuses it. */
  synchronized long requireLeading() {
    if (failure != null) {
      throw StoreUnavailableException.ofTransaction(
          "this member of the cluster has stopped: " + failure);
    }
    if (doubted != null) {
      throw StoreUnavailableException.ofTransaction(NotMade.DOUBTED);
    }
    if (leads == NO_TERM) {
      throw StoreUnavailableException.ofTransaction(NotMade.NOT_LEADING);
    }
    return leads;
  }

  /** Opens the proposal of a batch; one at a time. On the writer's thread. */
  synchronized Proposal open(BatchId id, long term) {
    if (requireLeading() != term) {
      throw notDone();
    }
    Proposal proposal = new Proposal(id, term, Thread.currentThread());
    open = proposal;
    return proposal;
  }

  static StoreUnavailableException notDone() {
    return StoreUnavailableException.ofTransaction(NotMade.LOST);
  }

  /** Passes an entry on to the log. */
  void propose(Proposal proposal, ByteBuffer entry) {
    ReplicatedLog current = requireLog();
    current
        .propose(proposal.term, entry)
        .whenComplete(
            (outcome, failed) ->
                learn(proposal, failed == null ? outcome : ReplicatedLog.Outcome.UNKNOWN));
  }

  int mostBytes() {
    return requireLog().mostBytes();
  }

  private synchronized ReplicatedLog requireLog() {
    ReplicatedLog current = log;
    if (current == null) {
      throw StoreUnavailableException.ofTransaction("the log of the cluster has not started");
    }
    return current;
  }

  private synchronized void learn(Proposal proposal, ReplicatedLog.Outcome outcome) {
    switch (outcome) {
      case COMMITTED -> {
        // Its delivery says so, with the place.
      }
      case UNKNOWN -> {
        if (proposal == open && proposal.isUndecided()) {
          decide(proposal, Verdict.LOST);
        }
      }
      case REFUSED -> {
        if (proposal == doubted) {
          doubted = null;
        } else if (proposal == open && proposal.isUndecided()) {
          decide(proposal, Verdict.NOT_DONE);
        }
      }
    }
  }

  private void decide(Proposal proposal, Verdict verdict) {
    if (proposal.verdict != verdict) {
      proposal.verdict = verdict;
      settings.waiting().wake(proposal.writer);
    }
  }

  synchronized Verdict verdict(Proposal proposal) {
    return proposal.verdict;
  }

  /**
   * Gives up waiting for a proposal.
   *
   * @return false if it is decided now
   */
  synchronized boolean doubt(Proposal proposal) {
    if (!proposal.isUndecided()) {
      return false;
    }
    doubted = proposal;
    open = null;
    settle();
    return true;
  }

  /** Ends a proposal that is not done. */
  synchronized void end(Proposal proposal) {
    if (open == proposal) {
      open = null;
      settle();
    }
  }

  /** Ends a proposal whose changes the store has. */
  void applied(Proposal proposal, Delivered delivered) {
    synchronized (this) {
      open = null;
      applied = delivered.at();
      reach(delivered.at());
      settle();
    }
    delivered.done().complete(null);
    requireLog().kept(delivered.at());
  }

  /** Returns the entries that are to be applied next, in one transaction, at least one if any. */
  synchronized List<Delivered> next(int mostEntries) {
    List<Delivered> group = new ArrayList<>();
    long bytes = 0;
    for (Event event : events) {
      if (!(event instanceof Event.Entry entry)) {
        continue;
      }
      bytes += entry.delivered.entry().remaining();
      if (!group.isEmpty() && (group.size() >= mostEntries || bytes > settings.groupBytes())) {
        break;
      }
      group.add(entry.delivered);
    }
    return group;
  }

  /** Takes entries as applied, the first ones of those that were delivered. */
  void applied(List<Delivered> group) {
    if (group.isEmpty()) {
      return;
    }
    LogPosition last = group.getLast().at();
    synchronized (this) {
      applied = last.compareTo(applied) > 0 ? last : applied;
      int left = group.size();
      while (left > 0 && !events.isEmpty()) {
        switch (events.removeFirst()) {
          case Event.Entry entry -> {
            left--;
            reach(entry.delivered.at());
            Proposal uncertain = doubted;
            if (uncertain != null && uncertain.id.equals(BatchReader.id(entry.delivered.entry()))) {
              doubted = null;
            }
          }
          case Event.Passed passed -> reach(passed.at);
          case Event.Leads led -> lead(led.term);
        }
      }
    }
    group.forEach(each -> each.done().complete(null));
    requireLog().kept(last);
  }

  /** Has the writer take another turn. */
  synchronized void again(EntryUpdate next) {
    isFollowing = failure == null && writer.test(next);
  }

  /** Ends the turn of the writer; goes on if there is more to apply. */
  synchronized void followed() {
    isFollowing = false;
    settle();
  }

  /** Acts upon what waits for no entry, and has the writer apply entries. */
  private void settle() {
    Proposal waiting = open;
    if (waiting != null && waiting.delivered != null) {
      return;
    }
    while (!events.isEmpty() && !(events.getFirst() instanceof Event.Entry)) {
      switch (events.removeFirst()) {
        case Event.Passed passed -> reach(passed.at);
        case Event.Leads led -> lead(led.term);
        case Event.Entry _ -> throw new IllegalStateException("an entry waits for the writer");
      }
    }
    follow();
  }

  private void lead(long term) {
    leads = term;
    Proposal uncertain = doubted;
    if (uncertain != null && uncertain.term < term) {
      doubted = null;
    }
  }

  private void follow() {
    if (!isFollowing && open == null && failure == null && !events.isEmpty()) {
      isFollowing = writer.test(new EntryUpdate(store, this, settings));
    }
  }

  private void reach(LogPosition at) {
    if (at.compareTo(reached) > 0) {
      reached = at;
      for (Reader reader : List.copyOf(readers)) {
        if (reader.at.compareTo(at) <= 0) {
          readers.remove(reader);
          reader.reached.complete(null);
        }
      }
    }
  }

  /** Returns a stage that completes once the store has all that was answered before this call. */
  CompletionStage<Void> current() {
    ReplicatedLog started;
    synchronized (this) {
      started = log;
    }
    if (started == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("the log of the cluster has not started"));
    }
    long millis = settings.answerMillis();
    return started
        .barrier()
        .thenCompose(at -> reaching(at).orTimeout(millis, TimeUnit.MILLISECONDS));
  }

  /** Returns a stage that completes once the store has everything up to a place. */
  synchronized CompletableFuture<Void> reaching(LogPosition at) {
    // Some may have given up.
    readers.removeIf(reader -> reader.reached.isDone());
    CompletableFuture<Void> stage = new CompletableFuture<>();
    if (failure != null) {
      stage.completeExceptionally(new IllegalStateException(failure));
    } else if (at.compareTo(reached) <= 0) {
      stage.complete(null);
    } else {
      readers.add(new Reader(at, stage));
    }
    return stage;
  }

  /** Returns the place up to which the store has everything. */
  synchronized LogPosition reached() {
    return reached;
  }
}
