package org.nyala.core.budget;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The memory that clients make the server hold, all in one account: requests that wait, messages
 * that have come in part, answers that nobody has read, searches that stand. Knows what each
 * connection holds, each identity (all clients of one address that have not bound being one), and
 * all together.
 *
 * <p>Thread-safe. What is small and soon over, as ordinary requests and their answers are, is taken
 * from no account, so they cost nothing here.
 */
public final class MemoryBudget {
  /*
   * There are two ways to take. tryTake() is for what can be refused: the caller answers busy or adminLimitExceeded. take() is for
   * what is there already, such as bytes that were read; hasRoom() then says whether more may be let come. A wait for room must not
   * last for ever, as everything may be held by messages of which none can be completed: who holds little may go on into a reserve, and
   * the wire ends connections of those who hold the most.
   */

  /** What one connection may hold even where its owner has its share, until the reserve is used. */
  public static final int SMALL_BYTES = 64 * 1024;

  /** Part of the whole that is only for those who hold little. */
  private static final int RESERVE_PART = 8;

  private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final System.Logger LOG = System.getLogger(MemoryBudget.class.getName());

  private final LongSupplier nanoClock;
  private final AtomicLong saidNanos;
  private final AtomicLong held = new AtomicLong();
  private final ConcurrentMap<Object, MemoryOwner> owners = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();
  private final LongAdder disconnected = new LongAdder();
  private volatile MemoryBounds bounds;
  private volatile Runnable relief = () -> {};
  private volatile Runnable room = () -> {};

  /** Creates a budget of which nothing is held. */
  public MemoryBudget(MemoryBounds bounds, LongSupplier nanoClock) {
    this.bounds = bounds;
    this.nanoClock = nanoClock;
    this.saidNanos = new AtomicLong(nanoClock.getAsLong() - SAY_NANOS);
  }

  /** A budget that follows from the heap that there is. */
  public static MemoryBudget ofHeap(LongSupplier nanoClock) {
    long heap = Runtime.getRuntime().maxMemory();
    return new MemoryBudget(MemoryBounds.derived(heap, heap), nanoClock);
  }

  /** Opens the account of a connection. */
  public MemoryAccount open(Object owner) {
    return new MemoryAccount(this, owner);
  }

  /** Bounds what is taken from now on otherwise. */
  public void reconfigure(MemoryBounds other) {
    bounds = other;
  }

  /** Names what is to be done at once when more than the whole is held; quick, any thread. */
  public void relieveBy(Runnable action) {
    relief = action;
  }

  /**
   * Names what is to be done at once when there is room again for everybody, or for an owner that
   * had its share; quick, any thread.
   */
  public void wakeBy(Runnable action) {
    room = action;
  }

  /** The bounds of the moment. */
  public MemoryBounds bounds() {
    return bounds;
  }

  /** The bytes that are held. */
  public long held() {
    return held.get();
  }

  /** Whether only those who hold little find room. */
  public boolean isTight() {
    return held.get() > common();
  }

  /**
   * Notes that there was no memory for something in spite of all bounds: one line in the log for
   * many, as each line takes memory, too.
   */
  void ranOut(Throwable cause) {
    refused.increment();
    long now = nanoClock.getAsLong();
    long last = saidNanos.get();
    if (now - last >= SAY_NANOS && saidNanos.compareAndSet(last, now)) {
      LOG.log(
          System.Logger.Level.ERROR,
          "out of memory, with {0} of {1} bytes held for clients (limits.memory): {2}",
          held(),
          bounds.wholeBytes(),
          cause.toString());
    }
  }

  /** How often something was refused for want of room. */
  public LongAdder refused() {
    return refused;
  }

  /** How many connections were ended to make room. */
  public LongAdder disconnected() {
    return disconnected;
  }

  /** What everybody may take of the whole. */
  private long common() {
    long whole = bounds.wholeBytes();
    return whole - whole / RESERVE_PART;
  }

  /** Whether as much may be held, by somebody who holds little or not. */
  private boolean allows(long bytes, boolean isSmall) {
    return bytes <= (isSmall ? bounds.wholeBytes() : common());
  }

  boolean tryTake(long bytes, boolean isSmall) {
    if (allows(held.addAndGet(bytes), isSmall)) {
      return true;
    }
    held.addAndGet(-bytes);
    return false;
  }

  void take(long bytes) {
    if (held.addAndGet(bytes) > bounds.wholeBytes()) {
      relief.run();
    }
  }

  /**
   * Gives back.
   *
   * @param isOwnerFree whether an owner that had its share has room again
   */
  void giveBack(long bytes, boolean isOwnerFree) {
    long left = held.addAndGet(-bytes);
    assert left >= 0 : "more was given back than taken";
    long common = common();
    if (isOwnerFree || left <= common && left + bytes > common) {
      room.run();
    }
  }

  boolean hasRoom(boolean isSmall) {
    return allows(held.get() + 1, isSmall);
  }

  /** The total of an owner, for one more account. */
  MemoryOwner join(Object key) {
    return owners.compute(
        key,
        (_, known) -> {
          MemoryOwner owner = known == null ? new MemoryOwner(key) : known;
          owner.accounts++;
          return owner;
        });
  }

  /** One account less has something of an owner. */
  void leave(MemoryOwner owner) {
    owners.computeIfPresent(owner.key(), (_, known) -> --known.accounts == 0 ? null : known);
  }

  /** How many owners hold something or have an account that did. */
  int owners() {
    return owners.size();
  }
}
