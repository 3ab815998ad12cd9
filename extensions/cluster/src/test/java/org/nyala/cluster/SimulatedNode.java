package org.nyala.cluster;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.batch.BatchId;
import org.nyala.core.backend.Backend;
import org.nyala.core.contention.Contention;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ChangePolicy;
import org.nyala.core.update.ChangeWriter;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.OperationalAttributes;
import org.nyala.core.update.Update;

/** A member of a simulated cluster: a process that crashes and starts, with its store and log. */
final class SimulatedNode {
  /** The places of a commit at which a process may crash. */
  static final int BEFORE_COMMIT = 0;

  static final int AFTER_COMMIT = 1;

  /** The data of a member that survives a crash. */
  interface Storage extends AutoCloseable {
    Backend open();

    /** Keeps what was committed; the process is gone. */
    void crash(Backend opened);

    /** Ends the use of a store after a crash, when nothing of the process runs any more. */
    void release(Backend opened);

    @Override
    void close();
  }

  /** Thrown on the writer's thread when the process crashes in its turn. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  private final int number;
  private final Schema schema;
  private final VirtualTime time;
  private final SimulatedLog.Network network;
  private final SimulatedLog.Disk disk = new SimulatedLog.Disk();
  private final Storage storage;
  private final IntPredicate crashes;
  private final long skewMillis;
  private final SimulatedFault fault;
  private @Nullable Backend inner;
  private @Nullable ReplicatedBackend store;
  private @Nullable ChangeWriter writer;
  private @Nullable SimulatedLog log;
  private @Nullable Fiber fiber;
  private int starts;
  private boolean isAlive;
  private @Nullable String failure;

  /**
   * Creates a member that does not run.
   *
   * @param crashes tells if the process crashes at a place of a commit
   * @param skewMillis the error of its clock
   */
  SimulatedNode(
      int number,
      Schema schema,
      VirtualTime time,
      SimulatedLog.Network network,
      Storage storage,
      IntPredicate crashes,
      long skewMillis,
      SimulatedFault fault) {
    this.number = number;
    this.schema = schema;
    this.time = time;
    this.network = network;
    this.storage = storage;
    this.crashes = crashes;
    this.skewMillis = skewMillis;
    this.fault = fault;
  }

  boolean isAlive() {
    return isAlive;
  }

  int starts() {
    return starts;
  }

  boolean isLeading() {
    ReplicatedBackend open = store;
    return isAlive && open != null && open.leadingTerm() >= 0;
  }

  /** Returns why the member has stopped by itself. */
  @Nullable String failure() {
    return failure;
  }

  @Nullable SimulatedLog log() {
    return isAlive ? log : null;
  }

  Backend inner() {
    Backend open = inner;
    if (open == null) {
      throw new IllegalStateException("member " + number + " does not run");
    }
    return open;
  }

  private final class FiberWaiting implements Waiting {
    private final Fiber mine;
    private final int start;

    FiberWaiting(Fiber mine, int start) {
      this.mine = mine;
      this.start = start;
    }

    @Override
    public long nanoTime() {
      return time.nanos();
    }

    @Override
    public void await(long untilNanos) {
      long wait = mine.waits() + 1;
      long millis = Math.max(0, (untilNanos - time.nanos()) / 1_000_000);
      time.after(millis + 1, () -> wakeAt(wait));
      mine.await();
    }

    private void wakeAt(long wait) {
      if (start == starts && mine.state() == Fiber.State.WAITING && mine.waits() == wait) {
        mine.resume();
      }
    }

    @Override
    public void wake(Thread waiter) {
      time.after(
          time.random.nextInt(2),
          () -> {
            if (start == starts && mine.state() == Fiber.State.WAITING) {
              mine.resume();
            }
          });
    }
  }

  void start() {
    starts++;
    int run = starts;
    isAlive = true;
    Backend opened = storage.open();
    inner = opened;
    Fiber own = new Fiber(this::write);
    fiber = own;
    Random random = time.random;
    ClusterSettings settings =
        new ClusterSettings(
            1000,
            2000,
            1 + random.nextInt(6),
            1 << 16,
            new FiberWaiting(own, run),
            () -> new BatchId(random.nextLong(), random.nextLong()),
            ClusterSettings.Copying.NONE,
            _ -> {},
            _ -> {},
            sentence -> failed(run, sentence));
    ReplicatedBackend made =
        new ReplicatedBackend(new CrashingBackend(opened, this::at, fault), schema, settings);
    store = made;
    ChangePolicy policy =
        new ChangePolicy(List.of(), new OperationalAttributes(schema), 100, new ConsumedContexts());
    InstantSource clock =
        () -> Instant.EPOCH.plus(1_000_000_000L + skewMillis + time.millis(), ChronoUnit.MILLIS);
    ChangeWriter started =
        ChangeWriter.start(
            made,
            new ChangeWriter.Settings(
                64,
                1 + random.nextInt(8),
                1,
                clock,
                null,
                random,
                _ -> null,
                () -> policy,
                List.of(made),
                CommitPacer.Source.UNPACED,
                Contention.UNMEASURED));
    writer = started;
    int applied = (int) made.member().applied().index();
    // Entries that the store has may come again.
    int again = random.nextInt(3) == 0 ? random.nextInt(4) : 0;
    SimulatedLog opening =
        new SimulatedLog(
            number,
            disk,
            network,
            time,
            made.member(),
            () -> isAlive && run == starts,
            fault,
            Math.max(-1, applied - again));
    log = opening;
    made.start(opening, update -> submitAhead(started, update));
    opening.start();
  }

  private void failed(int run, String sentence) {
    if (isAlive && run == starts) {
      failure = sentence;
    }
  }

  private void write() {
    ChangeWriter current = writer;
    if (current != null) {
      current.writeInTurn();
    }
  }

  private boolean submitAhead(ChangeWriter current, Update update) {
    boolean isTaken = current.submitAhead(update);
    nudge();
    return isTaken;
  }

  /** Takes an update; false if there is no room for it. */
  boolean submit(Update update) {
    ChangeWriter current = writer;
    if (!isAlive || current == null || !current.submit(update)) {
      return false;
    }
    nudge();
    return true;
  }

  private void nudge() {
    int run = starts;
    time.after(
        0,
        () -> {
          Fiber own = fiber;
          if (run == starts && isAlive && own != null && own.state() == Fiber.State.IDLE) {
            own.resume();
          }
        });
  }

  /** Crashes the process at a place of a commit, if its time has come. On the writer's thread. */
  private void at(int place) {
    if (!isAlive) {
      throw new Killed();
    }
    if (crashes.test(place)) {
      die();
      throw new Killed();
    }
  }

  private void die() {
    isAlive = false;
    storage.crash(inner());
    ReplicatedBackend gone = store;
    if (gone != null) {
      gone.member().failed(new Killed());
    }
  }

  /** Kills the process. */
  void kill() {
    if (isAlive) {
      die();
    }
  }

  /** Ends what is left of a process that was killed. */
  void bury() {
    Fiber own = fiber;
    while (own != null && own.state() == Fiber.State.WAITING) {
      own.resume();
    }
    if (own != null) {
      own.end();
      fiber = null;
      storage.release(inner());
    }
  }

  void close() {
    kill();
    bury();
    storage.close();
  }
}
