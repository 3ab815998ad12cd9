package org.nyala.management.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The events of open pages: one look a second, encoded once, for all of them. The thread that looks
 * ends when the last page is closed.
 *
 * <p>Thread-safe. A page that does not read waits by itself: it skips the events meanwhile.
 */
public final class PageFeed implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(PageFeed.class.getName());
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time after which a page is told that there is nothing new. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Proxies and browsers may hold the first bytes back until there are so many. */
  private static final int PADDING = 2048;

  private static final byte[] HEAD =
      (": " + ".".repeat(PADDING) + "\nretry: 3000\n\n").getBytes(UTF_8);
  private static final byte[] WAITING = ": waiting\n\n".getBytes(UTF_8);
  private static final byte[] BYE =
      "event: bye\ndata: {\"sentence\":\"the server is stopping\"}\n\n".getBytes(UTF_8);

  private final Supplier<Sample> look;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private byte[] event = WAITING;
  private long number;
  private int open;
  private boolean isLooking;
  private boolean isOver;

  /**
   * A look at the server.
   *
   * @param number counts the looks
   * @param json what was seen, on one line
   */
  public record Sample(long number, String json) {}

  /** Creates events that nobody reads yet. */
  PageFeed(Supplier<Sample> look) {
    this.look = look;
  }

  /** The events of one page. Confined to its thread. */
  public final class Reader implements AutoCloseable {
    private long seen = -1;
    private boolean hasHead;
    private boolean isLast;
    private boolean isClosed;

    private Reader() {}

    /**
     * Waits for the next bytes.
     *
     * @return null at the end
     */
    public byte @Nullable [] next() throws InterruptedException {
      if (!hasHead) {
        hasHead = true;
        return HEAD;
      }
      if (isLast) {
        return null;
      }
      lock.lock();
      try {
        long left = PATIENCE_NANOS;
        while (number <= seen && !isOver && left > 0) {
          left = changed.awaitNanos(left);
        }
        if (isOver) {
          isLast = true;
          return BYE;
        }
        boolean isNew = number > seen;
        seen = Math.max(seen, number);
        return isNew ? event : WAITING;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        open -= isClosed ? 0 : 1;
        isClosed = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Opens the events of one more page, which is to close them. */
  public Reader open() {
    Reader reader = new Reader();
    lock.lock();
    try {
      // The event that others see already is not older than a second.
      reader.seen = isLooking ? Math.max(0, number - 1) : number;
      if (!isLooking && !isOver) {
        // It waits for the lock before it asks whether a page is open.
        Thread.ofPlatform().daemon().name("nyala-page").start(this::lookOn);
        isLooking = true;
      }
      open++;
    } finally {
      lock.unlock();
    }
    return reader;
  }

  /** Returns the number of open pages. */
  public int count() {
    lock.lock();
    try {
      return open;
    } finally {
      lock.unlock();
    }
  }

  /** Looks once a second until no page is open. */
  private void lookOn() {
    boolean goesOn = true;
    while (goesOn) {
      long began = System.nanoTime();
      byte @Nullable [] made = make();
      lock.lock();
      try {
        if (made != null) {
          event = made;
          number++;
          changed.signalAll();
        }
        goesOn = rest(LOOK_NANOS - (System.nanoTime() - began));
        isLooking = goesOn;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        isLooking = false;
        goesOn = false;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits until it is time for the next look; false if none is needed. Under the lock. */
  private boolean rest(long nanos) throws InterruptedException {
    long left = nanos;
    while (left > 0 && open > 0 && !isOver) {
      left = changed.awaitNanos(left);
    }
    return open > 0 && !isOver;
  }

  /** Returns an event; null if the look has failed, such as of a store that is closed. */
  private byte @Nullable [] make() {
    try {
      Sample sample = look.get();
      return ("id: " + sample.number() + "\nevent: sample\ndata: " + sample.json() + "\n\n")
          .getBytes(UTF_8);
    } catch (RuntimeException | Error e) {
      // The latter if a mapped file has lost its blocks on the disk, for one.
      LOG.log(Level.DEBUG, "a look for the live page has failed", e);
      return null;
    }
  }

  /** Ends all pages with a word about it, for which they have a second. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      isOver = true;
      changed.signalAll();
      long left = LOOK_NANOS;
      while (open > 0 && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
