package org.nyala.loadtest.failover;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;

/**
 * A client: its connection to one server at a time, and the record of what it did. A lost
 * connection leaves the outcome of the request unknown. Confined to one thread.
 */
final class Client implements AutoCloseable {
  private static final int OPERATIONS_ERROR = 1;
  private static final int TIME_LIMIT_EXCEEDED = 3;
  private static final int UNAVAILABLE = 52;
  private static final int OTHER = 80;
  private static final int NO_SUCH_OBJECT = 32;

  private final Course course;
  private final Tree tree;
  private final Operations record = new Operations();
  private @Nullable Line line;
  private Server server;
  private int code;
  private int found;

  Client(Course course, Tree tree, Server first) {
    this.course = course;
    this.tree = tree;
    this.server = first;
  }

  Operations record() {
    return record;
  }

  Server server() {
    return server;
  }

  /** The result code of the last operation; 0 if it had no answer. */
  int code() {
    return code;
  }

  /** The number that the last read has returned. */
  int found() {
    return found;
  }

  /** Leaves the server for another one. */
  void move(Server other) {
    close();
    server = other;
  }

  /** Opens a connection unless there is one; returns whether there is one now. */
  boolean isConnected() {
    if (line != null) {
      return true;
    }
    long start = course.nanos();
    try {
      line = server.open();
      return true;
    } catch (IOException _) {
      record.begin(Kind.CONNECT, server.place(), Operations.NO_ENTRY, 0, start);
      end(Outcome.REFUSED, 0);
      return false;
    }
  }

  /** Sends a change. */
  Outcome change(Kind kind, int entry, int number, byte[] request) {
    record.begin(kind, server.place(), entry, number, course.nanos());
    try {
      int answer = open().ask(request).code();
      if (answer == 0) {
        course.changed();
      }
      return end(outcome(answer), answer);
    } catch (IOException _) {
      close();
      return end(Outcome.UNKNOWN, 0);
    }
  }

  /** Returns what an answer tells: some errors do not tell whether the change was made. */
  static Outcome outcome(int code) {
    return switch (code) {
      case 0 -> Outcome.DONE;
      case OPERATIONS_ERROR, TIME_LIMIT_EXCEEDED, UNAVAILABLE, OTHER -> Outcome.UNKNOWN;
      default -> Outcome.REFUSED;
    };
  }

  /** Reads the number of an entry. */
  Outcome read(int entry) {
    int[] number = {Operations.ABSENT};
    record.begin(Kind.READ, server.place(), entry, Operations.ABSENT, course.nanos());
    try {
      int answer =
          open()
              .ask(tree.read(entry), (_, attributes) -> number[0] = Tree.state(attributes).number())
              .code();
      boolean isRead = answer == 0 || answer == NO_SUCH_OBJECT;
      record.found(number[0]);
      found = number[0];
      return end(isRead ? Outcome.DONE : Outcome.REFUSED, answer);
    } catch (IOException _) {
      close();
      return end(Outcome.UNKNOWN, 0);
    }
  }

  private Line open() throws IOException {
    Line now = line;
    if (now == null) {
      throw new IOException("not connected");
    }
    return now;
  }

  private Outcome end(Outcome outcome, int answer) {
    code = answer;
    record.end(course.nanos(), outcome, answer);
    course.recorded();
    return outcome;
  }

  @Override
  public void close() {
    if (line != null) {
      line.close();
      line = null;
    }
  }
}
