package org.nyala.core.metrics;

/** The parts of the time between the first byte of a decoded request and its answer. */
public enum Phase {
  /** From bytes to a request. */
  DECODE("decode"),
  /** Waiting for a permit. */
  ADMISSION("admission"),
  /** Waiting for a thread, before the first slice and between slices. */
  QUEUE("queue"),
  /** Running, on any thread. */
  EXECUTE("execute"),
  /** Running on the threads for slow password hashes. */
  HASH("hash"),
  /** With the writer of a store: from the queue to the answer that it is on disk. */
  COMMIT("commit"),
  /** Waiting for the client to read, and handing the answer from a worker to the connection. */
  WRITE("write");

  private final String label;

  Phase(String label) {
    this.label = label;
  }

  /** The name in tags and logs. */
  public String label() {
    return label;
  }
}
