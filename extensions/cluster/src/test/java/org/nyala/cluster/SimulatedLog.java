package org.nyala.cluster;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A log that is Raft in its shortest form (Ongaro, Ousterhout 2014), between members in one thread,
 * with a virtual network and clock. What it appends is durable at once.
 *
 * <p>Confined to one thread at a time: the simulation's, or a writer's in its turn.
 */
final class SimulatedLog implements ReplicatedLog {
  private static final int MOST_BYTES = 1 << 20;

  /** An entry; one without bytes is the log's own. */
  private record Kept(long term, @Nullable ByteBuffer bytes) {}

  /** The part of a member's log that survives a crash. */
  static final class Disk {
    private long term;
    private int vote = -1;
    private final List<Kept> entries = new ArrayList<>();

    private long lastTerm() {
      return entries.isEmpty() ? 0 : entries.getLast().term;
    }

    /** Returns the number of entries: the index of the next one. */
    int size() {
      return entries.size();
    }
  }

  /** The network between the logs. */
  interface Network {
    /**
     * Has something happen at a member after a delay, or never; not if it has crashed meanwhile.
     */
    void send(int from, int to, Consumer<SimulatedLog> message);

    int members();

    /** Returns whether nothing fails or is late any more. */
    boolean isHealed();
  }

  private record Pending(long term, CompletableFuture<Outcome> outcome) {}

  private final int me;
  private final Disk disk;
  private final Network network;
  private final VirtualTime time;
  private final Member member;
  private final BooleanSupplier isAlive;
  private final Map<Integer, Pending> pending = new HashMap<>();
  private final Set<Integer> votes = new HashSet<>();
  private final SimulatedFault fault;

  /** True if the member is not told of every entry of the log's own. */
  private final boolean isTerse;

  private final int[] next;
  private final int[] match;
  private boolean isLeader;
  private boolean isDelivering;
  private long toldTerm = -1;
  private long lastHeard;
  private int commit = -1;
  private int delivered;

  /**
   * Starts a member's log.
   *
   * @param delivered the index of the last entry that is not delivered again
   */
  SimulatedLog(
      int me,
      Disk disk,
      Network network,
      VirtualTime time,
      Member member,
      BooleanSupplier isAlive,
      SimulatedFault fault,
      int delivered) {
    this.me = me;
    this.disk = disk;
    this.network = network;
    this.time = time;
    this.member = member;
    this.isAlive = isAlive;
    this.delivered = delivered;
    this.fault = fault;
    this.isTerse = time.random.nextInt(3) == 0;
    this.next = new int[network.members()];
    this.match = new int[network.members()];
  }

  void start() {
    lastHeard = time.millis();
    tick();
  }

  boolean isLeader() {
    return isLeader;
  }

  private void tick() {
    int timeout = 150 + time.random.nextInt(150);
    time.after(
        isLeader ? 40 : timeout,
        () -> {
          if (!isAlive.getAsBoolean()) {
            return;
          }
          if (isLeader) {
            replicate();
          } else if (time.millis() - lastHeard >= timeout) {
            elect();
          }
          tick();
        });
  }

  private int quorum() {
    return fault == SimulatedFault.NO_MAJORITY ? 1 : network.members() / 2 + 1;
  }

  private void elect() {
    disk.term++;
    disk.vote = me;
    votes.clear();
    votes.add(me);
    lastHeard = time.millis();
    long term = disk.term;
    int last = disk.size() - 1;
    long lastTerm = disk.lastTerm();
    others(to -> network.send(me, to, log -> log.askedForVote(me, term, last, lastTerm)));
    countVotes();
  }

  private void others(IntConsumer action) {
    for (int i = 0; i < network.members(); i++) {
      if (i != me) {
        action.accept(i);
      }
    }
  }

  private void askedForVote(int candidate, long term, int last, long lastTerm) {
    see(term);
    boolean isComplete =
        lastTerm > disk.lastTerm() || lastTerm == disk.lastTerm() && last >= disk.size() - 1;
    boolean isGranted =
        term == disk.term && isComplete && (disk.vote == -1 || disk.vote == candidate);
    if (isGranted) {
      disk.vote = candidate;
      lastHeard = time.millis();
    }
    long mine = disk.term;
    network.send(
        me,
        candidate,
        log -> {
          log.see(mine);
          if (isGranted && mine == log.disk.term && mine == term) {
            log.votes.add(me);
            log.countVotes();
          }
        });
  }

  private void countVotes() {
    if (isLeader || votes.size() < network.members() / 2 + 1 || disk.vote != me) {
      return;
    }
    isLeader = true;
    for (int i = 0; i < next.length; i++) {
      next[i] = disk.size();
      match[i] = -1;
    }
    // An entry of its own term lets it commit those before.
    disk.entries.add(new Kept(disk.term, null));
    match[me] = disk.size() - 1;
    replicate();
    advance();
  }

  /** Learns of a term; a newer one ends leadership. */
  private void see(long term) {
    if (term > disk.term) {
      stepDown();
      disk.term = term;
      disk.vote = -1;
      votes.clear();
    }
  }

  private void stepDown() {
    if (!isLeader) {
      return;
    }
    isLeader = false;
    toldTerm = -1;
    boolean isOutcomeFirst = time.random.nextBoolean();
    if (isOutcomeFirst) {
      loseProposals();
    }
    member.follows();
    loseProposals();
  }

  private void loseProposals() {
    List<Pending> lost = List.copyOf(pending.values());
    pending.clear();
    lost.forEach(each -> each.outcome.complete(Outcome.UNKNOWN));
  }

  private void replicate() {
    others(this::replicate);
  }

  private void replicate(int to) {
    long term = disk.term;
    int previous = next[to] - 1;
    long previousTerm = previous < 0 ? 0 : disk.entries.get(previous).term;
    int most = Math.min(disk.size(), previous + 1 + 1 + time.random.nextInt(8));
    List<Kept> entries = List.copyOf(disk.entries.subList(previous + 1, most));
    int committed = commit;
    network.send(me, to, log -> log.appended(me, term, previous, previousTerm, entries, committed));
  }

  private void appended(
      int leader, long term, int previous, long previousTerm, List<Kept> entries, int committed) {
    see(term);
    boolean isCurrent = term == disk.term;
    boolean isFitting =
        isCurrent
            && previous < disk.size()
            && (previous < 0 || disk.entries.get(previous).term == previousTerm);
    int last = previous + entries.size();
    if (isCurrent) {
      lastHeard = time.millis();
    }
    if (isFitting) {
      for (int i = 0; i < entries.size(); i++) {
        int at = previous + 1 + i;
        if (at < disk.size() && disk.entries.get(at).term != entries.get(i).term) {
          disk.entries.subList(at, disk.size()).clear();
        }
        if (at == disk.size()) {
          disk.entries.add(entries.get(i));
        }
      }
      commit = Math.max(commit, Math.min(committed, last));
      deliver();
    }
    long mine = disk.term;
    int end = disk.size();
    network.send(me, leader, log -> log.answered(me, mine, isFitting, isFitting ? last : end));
  }

  private void answered(int from, long term, boolean isFitting, int at) {
    see(term);
    if (!isLeader || term != disk.term) {
      return;
    }
    if (isFitting) {
      match[from] = Math.max(match[from], at);
      next[from] = Math.max(next[from], match[from] + 1);
      advance();
      if (next[from] < disk.size()) {
        replicate(from);
      }
    } else {
      next[from] = Math.clamp(Math.min(next[from] - 1, at), match[from] + 1, disk.size());
      replicate(from);
    }
  }

  private void advance() {
    for (int at = disk.size() - 1; at > commit && disk.entries.get(at).term == disk.term; at--) {
      int have = 0;
      for (int matched : match) {
        have += matched >= at ? 1 : 0;
      }
      if (have >= quorum()) {
        commit = at;
        break;
      }
    }
    deliver();
  }

  /** Has what is committed delivered, one entry after the other. */
  private void deliver() {
    if (isDelivering || delivered >= commit) {
      return;
    }
    isDelivering = true;
    time.after(
        time.random.nextInt(3),
        () -> {
          isDelivering = false;
          if (isAlive.getAsBoolean()) {
            deliverNext();
            deliver();
          }
        });
  }

  private void deliverNext() {
    if (delivered >= commit) {
      return;
    }
    delivered++;
    Kept entry = disk.entries.get(delivered);
    LogPosition at = new LogPosition(entry.term, delivered);
    ByteBuffer bytes = entry.bytes;
    Pending mine = pending.remove(delivered);
    if (bytes == null) {
      if (!isTerse || isLeader) {
        member.passed(at);
      }
      if (isLeader && entry.term == disk.term && toldTerm != entry.term) {
        toldTerm = entry.term;
        member.leads(entry.term);
      }
    } else {
      CompletionStage<Void> _ = member.committed(at, bytes.duplicate());
    }
    if (mine != null) {
      mine.outcome.complete(Outcome.COMMITTED);
    }
  }

  @Override
  public CompletionStage<Outcome> propose(long term, ByteBuffer entry) {
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    boolean isDelayed = !network.isHealed() && time.random.nextInt(30) == 0;
    time.after(
        time.random.nextInt(isDelayed ? 1500 : 4),
        () -> {
          boolean isFenced = disk.term != term && fault != SimulatedFault.NO_FENCE;
          if (!isAlive.getAsBoolean() || !isLeader || isFenced) {
            outcome.complete(Outcome.REFUSED);
            return;
          }
          disk.entries.add(new Kept(disk.term, entry));
          match[me] = disk.size() - 1;
          pending.put(disk.size() - 1, new Pending(term, outcome));
          replicate();
          advance();
        });
    return outcome;
  }

  @Override
  public int mostBytes() {
    return MOST_BYTES;
  }

  @Override
  public CompletionStage<LogPosition> barrier() {
    return CompletableFuture.failedFuture(new UnsupportedOperationException());
  }

  @Override
  public void kept(LogPosition upTo) {
    // Nothing is dropped.
  }

  @Override
  public void failed(String reason) {
    // A member that has stopped is found in the end.
  }

  @Override
  public void close() {
    stepDown();
  }
}
