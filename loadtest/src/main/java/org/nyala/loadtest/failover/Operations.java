package org.nyala.loadtest.failover;

import java.util.Arrays;

/**
 * Operations with their times, one after the other, in arrays of primitives: 30 bytes each.
 *
 * <p>Confined to one thread: each client has its own ones while it works.
 */
final class Operations {
  /** The kinds of operations. */
  enum Kind {
    ADD('A'),
    /** Replaces the number in all attributes of an entry. */
    WRITE('W'),
    DELETE('D'),
    READ('R'),
    /** Opens a connection; recorded only if that fails. */
    CONNECT('C');

    private final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    /** The letter in records. */
    char letter() {
      return letter;
    }

    /** Returns the kind with a letter; throws {@link IllegalArgumentException} if there is none. */
    static Kind of(int letter) {
      return switch (letter) {
        case 'A' -> ADD;
        case 'W' -> WRITE;
        case 'D' -> DELETE;
        case 'R' -> READ;
        case 'C' -> CONNECT;
        default -> throw new IllegalArgumentException("no kind: " + letter);
      };
    }
  }

  /** The outcomes of operations. */
  enum Outcome {
    /** The server has answered success. */
    DONE('='),
    /** The server has answered that it did nothing. */
    REFUSED('!'),
    /** No answer, or one that does not tell: it may take effect at any later time, or never. */
    UNKNOWN('?');

    private final char letter;

    Outcome(char letter) {
      this.letter = letter;
    }

    /** The letter in records. */
    char letter() {
      return letter;
    }

    /**
     * Returns the outcome with a letter; throws {@link IllegalArgumentException} if there is none.
     */
    static Outcome of(int letter) {
      return switch (letter) {
        case '=' -> DONE;
        case '!' -> REFUSED;
        case '?' -> UNKNOWN;
        default -> throw new IllegalArgumentException("no outcome: " + letter);
      };
    }
  }

  /** The number of an entry that is not there. */
  static final int ABSENT = -1;

  /** The number of an entry whose attributes do not have one and the same number. */
  static final int HALF = -2;

  /** The place of an entry that an operation is not about. */
  static final int NO_ENTRY = -1;

  private static final int FIRST_SIZE = 1024;

  private int size;
  private long[] starts;
  private long[] ends;
  private int[] entries;
  private int[] numbers;
  private short[] codes;
  private byte[] servers;
  private byte[] kinds;
  private byte[] outcomes;

  Operations() {
    this(FIRST_SIZE);
  }

  private Operations(int room) {
    starts = new long[room];
    ends = new long[room];
    entries = new int[room];
    numbers = new int[room];
    codes = new short[room];
    servers = new byte[room];
    kinds = new byte[room];
    outcomes = new byte[room];
  }

  /**
   * Begins an operation.
   *
   * @param entry the number in the entry's name; {@link #NO_ENTRY} for none
   * @param number what is written; of a deletion its own number
   * @param startNanos the time before the request, since the beginning
   */
  void begin(Kind kind, int server, int entry, int number, long startNanos) {
    if (size == starts.length) {
      grow(size * 2);
    }
    starts[size] = startNanos;
    entries[size] = entry;
    numbers[size] = number;
    servers[size] = (byte) server;
    kinds[size] = (byte) kind.letter;
    size++;
  }

  /**
   * Ends the operation that was begun last.
   *
   * @param endNanos the time after the answer, or when it was given up
   * @param code the result code; 0 if there was no answer
   */
  void end(long endNanos, Outcome outcome, int code) {
    ends[size - 1] = endNanos;
    codes[size - 1] = (short) code;
    outcomes[size - 1] = (byte) outcome.letter;
  }

  /** Sets what the read has returned that was begun last. */
  void found(int number) {
    numbers[size - 1] = number;
  }

  private void grow(int room) {
    starts = Arrays.copyOf(starts, room);
    ends = Arrays.copyOf(ends, room);
    entries = Arrays.copyOf(entries, room);
    numbers = Arrays.copyOf(numbers, room);
    codes = Arrays.copyOf(codes, room);
    servers = Arrays.copyOf(servers, room);
    kinds = Arrays.copyOf(kinds, room);
    outcomes = Arrays.copyOf(outcomes, room);
  }

  /** Appends all operations of others, which lose them. */
  void take(Operations others) {
    int room = Math.max(FIRST_SIZE, size + others.size);
    if (room > starts.length) {
      grow(room);
    }
    System.arraycopy(others.starts, 0, starts, size, others.size);
    System.arraycopy(others.ends, 0, ends, size, others.size);
    System.arraycopy(others.entries, 0, entries, size, others.size);
    System.arraycopy(others.numbers, 0, numbers, size, others.size);
    System.arraycopy(others.codes, 0, codes, size, others.size);
    System.arraycopy(others.servers, 0, servers, size, others.size);
    System.arraycopy(others.kinds, 0, kinds, size, others.size);
    System.arraycopy(others.outcomes, 0, outcomes, size, others.size);
    size = size + others.size;
    others.size = 0;
    others.grow(0);
  }

  int size() {
    return size;
  }

  long start(int at) {
    return starts[at];
  }

  /** The time of the answer; the greatest one if the outcome is unknown. */
  long end(int at) {
    return outcome(at) == Outcome.UNKNOWN ? Long.MAX_VALUE : ends[at];
  }

  /** The time at which the client went on. */
  long left(int at) {
    return ends[at];
  }

  int entry(int at) {
    return entries[at];
  }

  int number(int at) {
    return numbers[at];
  }

  int code(int at) {
    return codes[at];
  }

  int server(int at) {
    return servers[at];
  }

  Kind kind(int at) {
    return Kind.of(kinds[at]);
  }

  Outcome outcome(int at) {
    return Outcome.of(outcomes[at]);
  }

  /** Returns whether an operation changes an entry. */
  boolean isChange(int at) {
    Kind kind = kind(at);
    return kind == Kind.ADD || kind == Kind.WRITE || kind == Kind.DELETE;
  }

  /** Returns whether an operation is a change that the server has acknowledged. */
  boolean isAcknowledged(int at) {
    return isChange(at) && outcome(at) == Outcome.DONE;
  }

  /** Returns what an entry has after a change: a number, or that it is not there. */
  int effect(int at) {
    return kind(at) == Kind.DELETE ? ABSENT : numbers[at];
  }
}
