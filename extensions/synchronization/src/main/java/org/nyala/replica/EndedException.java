package org.nyala.replica;

/** The reason why a connection has ended. */
final class EndedException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient MessageQueue.End end;

  EndedException(MessageQueue.End end) {
    super(end.message());
    this.end = end;
  }

  MessageQueue.End end() {
    return end;
  }
}
