package org.nyala.netty;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes of answers on their way from other threads to one event loop that no account is charged
 * for: enough for those of ordinary operations, which thus touch no account, and little beside all
 * that clients may hold.
 *
 * <p>Thread-safe. Hot.
 */
final class HandoverAllowance {
  /** The most bytes: four of the largest answers that may be free. */
  static final int BYTES = 256 * 1024;

  private final AtomicInteger onTheirWay = new AtomicInteger();

  /** Takes some; false if there are not as many left. */
  boolean tryTake(int bytes) {
    if (onTheirWay.addAndGet(bytes) <= BYTES) {
      return true;
    }
    onTheirWay.addAndGet(-bytes);
    return false;
  }

  /** Gives back some. */
  void giveBack(int bytes) {
    onTheirWay.addAndGet(-bytes);
  }
}
