package org.nyala.replica;

/** The reason why a connection has ended. */
final class EndedException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient MessageQueue.End end;
  private final boolean isOlder;

  /**
   * Creates the reason.
   *
   * @param isOlder true if the provider lacks changes that the copy has
   */
  EndedException(MessageQueue.End end, boolean isOlder) {
    super(end.message());
    this.end = end;
    this.isOlder = isOlder;
  }

  /** Returns the end of the search. */
  MessageQueue.End end() {
    return end;
  }

  /** Returns whether the provider lacks changes that the copy has. */
  boolean isOlder() {
    return isOlder;
  }
}
