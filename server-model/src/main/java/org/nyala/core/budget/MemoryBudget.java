package org.nyala.core.budget;

import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The budget of the memory that clients occupy in the server, in one account: waiting requests,
 * partly received messages, unread answers, standing searches. Tracks the memory of each
 * connection, of each identity (all anonymous clients of one address count as one), and the total.
 *
 * <p>Thread-safe. Small and short-lived memory, such as that of ordinary requests and their
 * answers, is not accounted, so they cost nothing here.
 */
public final class MemoryBudget {
  /*
   * There are three ways to take. tryTake() is for requests that can be refused: the caller answers
   * busy or adminLimitExceeded. roomToOpen() is for connections that can be refused, whose memory
   * nothing but their end gives back: they have slots. take() is for memory that is occupied already, such as bytes
   * that were read; hasRoom() then returns whether more may be read. A wait for room must not last
   * for ever, as everything may be held by messages of which none can be completed: small accounts
   * may go on into a reserve, and the wire ends the connections that hold the most.
   */

  /**
   * The bytes that one connection may hold even if its owner's share is used up, until the reserve
   * is exhausted.
   */
  public static final int SMALL_BYTES = 64 * 1024;

  /** The part of the whole that is reserved for small accounts. */
  private static final int RESERVE_PART = 8;

  /** The part of the whole that is left to what connections ask for once they are open. */
  private static final int ASKED_PART = 4;

  private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final System.Logger LOG = System.getLogger(MemoryBudget.class.getName());

  private final LongSupplier nanoClock;
  private final AtomicLong saidNanos;
  private final AtomicLong saidEndedNanos;
  private final AtomicLong saidFullNanos;
  private final AtomicLong held = new AtomicLong();

  /** The most bytes held since it was reset. */
  private final AtomicLong mostHeld = new AtomicLong();

  private final ConcurrentMap<Object, MemoryOwner> owners = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();
  private final LongAdder disconnected = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final Set<AllocationAccount> allocations = ConcurrentHashMap.newKeySet();
  private volatile MemoryBounds bounds;
  private volatile Runnable relief = () -> {};
  private volatile Runnable room = () -> {};
  private volatile boolean isRoomAwaited;
  private volatile LongConsumer heapRelief = _ -> {};
  private volatile LongSupplier reserve = () -> 0;
  private final LongAdder full = new LongAdder();

  /** Creates a budget of which nothing is held. */
  public MemoryBudget(MemoryBounds bounds, LongSupplier nanoClock) {
    this.bounds = bounds;
    this.nanoClock = nanoClock;
    this.saidNanos = new AtomicLong(nanoClock.getAsLong() - SAY_NANOS);
    this.saidEndedNanos = new AtomicLong(saidNanos.get());
    this.saidFullNanos = new AtomicLong(saidNanos.get());
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

  /** Sets the bounds for memory taken from now on. */
  public void reconfigure(MemoryBounds other) {
    bounds = other;
  }

  /** Sets the action to run at once when more than the whole is held; quick, any thread. */
  public void relieveBy(Runnable action) {
    relief = action;
  }

  /**
   * Sets the action to run when too much of the heap is in use after a collection: it ends what
   * holds the most, by the number of bytes that should be freed.
   */
  public void relieveHeapBy(LongConsumer action) {
    heapRelief = action;
  }

  /** Sets the source of {@link #reserveBytes}; any thread. */
  void reserveFrom(LongSupplier bytes) {
    reserve = bytes;
  }

  /**
   * Returns the bytes of the heap that are filled only for the JVM to free them before memory ends:
   * in use after each collection, and held for nobody.
   */
  public long reserveBytes() {
    return reserve.getAsLong();
  }

  /**
   * Counts that memory is full, of this kind or that, in spite of all bounds.
   *
   * @param used the bytes in use
   * @param maximum the bytes that there are
   */
  public void memoryFull(String kind, long used, long maximum) {
    full.increment();
    if (isDue(saidFullNanos)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} is nearly full, {1} of {2} bytes are in use (limits.memory.fullPercent), with {3}"
              + " held for clients: the largest operations and connections are ended",
          kind,
          used,
          maximum,
          held());
    }
  }

  /**
   * Has bytes of the heap freed, of which more are in use after a collection than may be.
   *
   * @param used the bytes in use
   * @param maximum the bytes of the heap
   * @param wanted the bytes to free
   */
  public void heapFull(long used, long maximum, long wanted) {
    // First: a line in the log takes time and memory, of which there is little left.
    heapRelief.accept(wanted);
    memoryFull("the heap", used, maximum);
  }

  /** Returns the counter of collections after which too much was in use. */
  public LongAdder full() {
    return full;
  }

  /**
   * Sets the action to run at once when there is room again for all accounts, for an owner that had
   * used up its share, or maybe for an answer that waits for it; quick, any thread.
   */
  public void wakeBy(Runnable action) {
    room = action;
  }

  /** The bounds of the moment. */
  public MemoryBounds bounds() {
    return bounds;
  }

  public long held() {
    return held.get();
  }

  /**
   * Returns the most bytes that were held at one time since {@link #takeMostHeld}, or the start.
   */
  public long mostHeld() {
    return mostHeld.get();
  }

  /** Returns {@link #mostHeld}, and begins it anew at what is held now. */
  public long takeMostHeld() {
    long most = mostHeld.getAndSet(0);
    noteMost(held.get());
    return most;
  }

  private void noteMost(long bytes) {
    if (bytes > mostHeld.get()) {
      mostHeld.accumulateAndGet(bytes, Math::max);
    }
  }

  /**
   * Returns whether only small accounts get memory now, or answers find no room for their next
   * step: these are charged before, so that nothing goes beyond the bound.
   */
  public boolean isTight() {
    return held.get() > common() - SteppedCharge.STEP_BYTES;
  }

  /** Returns the time on the clock of the budget. */
  long nanoTime() {
    return nanoClock.getAsLong();
  }

  /** Returns whether the reserve for small accounts is in use. */
  public boolean isReserveInUse() {
    return held.get() > common();
  }

  /**
   * Records that there was no memory for something in spite of all bounds: one line in the log for
   * many such events, as each line takes memory, too.
   */
  void ranOut(Throwable cause) {
    refused.increment();
    if (isDue(saidNanos)) {
      LOG.log(
          System.Logger.Level.ERROR,
          "out of memory, with {0} of {1} bytes held for clients (limits.memory): {2}",
          held(),
          bounds.wholeBytes(),
          cause.toString());
    }
  }

  /** Returns whether a line may be written again, and notes that it is. */
  private boolean isDue(AtomicLong saidBefore) {
    long now = nanoClock.getAsLong();
    long last = saidBefore.get();
    return now - last >= SAY_NANOS && saidBefore.compareAndSet(last, now);
  }

  /**
   * Opens an account of what an operation allocates.
   *
   * @param ending asks the operation to end; quick, any thread
   */
  public AllocationAccount openAllocation(Runnable ending) {
    AllocationAccount opened = new AllocationAccount(this, ending);
    allocations.add(opened);
    return opened;
  }

  void close(AllocationAccount account) {
    allocations.remove(account);
  }

  /** Returns the accounts of the operations that allocate much and have not ended, in no order. */
  public Set<AllocationAccount> allocations() {
    return Collections.unmodifiableSet(allocations);
  }

  /**
   * Counts an operation that is ended because it takes too much memory, with one line in the log
   * for many.
   *
   * @param operation describes it
   * @param connection the number of its connection
   * @param bytes the number that it has allocated
   */
  void operationEnded(Supplier<String> operation, int connection, long bytes) {
    ended.increment();
    if (isDue(saidEndedNanos)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "operations are ended because they allocate too much memory, {0} so far"
              + " (limits.memory.operationMebibytes); this one of connection {3} has allocated"
              + " {1} bytes: {2}",
          ended.sum(),
          bytes,
          operation.get(),
          String.valueOf(connection));
    }
  }

  /** Returns the counter of operations that were ended because they took too much memory. */
  public LongAdder operationsEnded() {
    return ended;
  }

  /** Returns the counter of refusals for want of room. */
  public LongAdder refused() {
    return refused;
  }

  /** Returns the counter of connections that were ended to make room. */
  public LongAdder disconnected() {
    return disconnected;
  }

  /** Returns the part of the whole that is open to every account. */
  long common() {
    long whole = bounds.wholeBytes();
    return whole - whole / RESERVE_PART;
  }

  /** Returns whether the given total may be held, by a small account or a larger one. */
  private boolean allows(long bytes, boolean isSmall) {
    return bytes <= (isSmall ? bounds.wholeBytes() : common());
  }

  boolean tryTake(long bytes, boolean isSmall) {
    return tryTakeWithin(isSmall ? bounds.wholeBytes() : common(), bytes);
  }

  /** Returns whether a number of bytes could be taken now. */
  boolean couldTake(long bytes, boolean isSmall) {
    return allows(held.get() + bytes, isSmall);
  }

  /**
   * Takes a number of bytes if no more than a bound are held then. What does not fit is never taken
   * for a moment, or others that fit would be refused meanwhile.
   */
  private boolean tryTakeWithin(long bound, long bytes) {
    long before;
    do {
      before = held.get();
      if (before + bytes > bound) {
        return false;
      }
    } while (!held.compareAndSet(before, before + bytes));
    noteMost(before + bytes);
    return true;
  }

  /**
   * Returns the room for slots of connections, each of which needs the given number of bytes to be
   * open at all. They count in the whole alone, of which three quarters may be held then: neither
   * account nor owner asks for less because of them.
   */
  public OwnedSlots.Room roomToOpen(long bytes) {
    return new OwnedSlots.Room() {
      @Override
      public boolean tryTake() {
        return tryTakeToOpen(bytes);
      }

      @Override
      public void take() {
        noteMost(held.addAndGet(bytes));
      }

      @Override
      public void giveBack() {
        MemoryBudget.this.giveBack(bytes, false);
      }
    };
  }

  private boolean tryTakeToOpen(long bytes) {
    long whole = bounds.wholeBytes();
    return tryTakeWithin(whole - whole / ASKED_PART, bytes);
  }

  void take(long bytes) {
    long after = held.addAndGet(bytes);
    noteMost(after);
    if (after > bounds.wholeBytes()) {
      relief.run();
    }
  }

  /**
   * Gives back the given number of bytes.
   *
   * @param isOwnerFree true if an owner that had used up its share has room again
   */
  void giveBack(long bytes, boolean isOwnerFree) {
    long left = held.addAndGet(-bytes);
    assert left >= 0 : "more was given back than taken";
    long common = common();
    if (isRoomAwaited) {
      isRoomAwaited = false;
      room.run();
    } else if (isOwnerFree || left <= common && left + bytes > common) {
      room.run();
    }
  }

  /**
   * Notes that someone waits for room, who is woken by whatever is given back next. What was given
   * back before wakes nobody, so the caller looks for room once more.
   */
  void awaitRoom() {
    isRoomAwaited = true;
  }

  boolean hasRoom(boolean isSmall) {
    return couldTake(1, isSmall);
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

  /** Returns the number of owners that hold something or have an account that did. */
  int owners() {
    return owners.size();
  }
}
