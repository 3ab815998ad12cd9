package org.nyala.loadtest.failover;

import java.util.Random;

/** A client that reads registers of one server, again and again. Confined to its thread. */
final class Reader implements Runnable {
  /** The wait after a failure, which bounds the error of the time at which a server answers. */
  private static final long RETRY_NANOS = 20_000_000;

  private final Course course;
  private final Client client;
  private final int registers;
  private final Random random;
  private final long paceNanos;

  /**
   * Creates a reader.
   *
   * @param registers their number, at least 1
   * @param paceNanos the time from one read to the next one; 0 for as fast as answers come
   */
  Reader(Course course, Client client, int registers, Random random, long paceNanos) {
    this.course = course;
    this.client = client;
    this.registers = registers;
    this.random = random;
    this.paceNanos = paceNanos;
  }

  @Override
  public void run() {
    long due = course.nanos();
    try (client) {
      while (course.isOpen()) {
        boolean isAnswered =
            client.isConnected()
                && client.read(random.nextInt(registers)) == Operations.Outcome.DONE;
        if (!isAnswered) {
          course.await(course.nanos() + RETRY_NANOS);
        }
        due = Math.max(due + paceNanos, course.nanos() - paceNanos);
        course.await(due);
      }
    }
  }
}
