package org.nyala.loadtest.ldap;

import java.util.Arrays;

/**
 * The message ids of a connection, and those of them that await an answer.
 *
 * <p>A message id identifies the client: ids count up by the number of clients, each of which has
 * those that leave its own remainder. So an answer reaches the client that waits for it without a
 * table to search, and nothing is allocated.
 *
 * <p>Confined to the channel's event loop. Hot.
 */
public final class MessageIds {
  private static final int NONE = 0;

  /** The message id of notices of the server (RFC 4511, section 4.4). */
  private static final int NOTICE = 0;

  private final int[] awaited;
  private int sequence;
  private int setUp;
  private int late;

  /**
   * Begins without outstanding requests.
   *
   * @param depth the number of clients
   */
  public MessageIds(int depth) {
    this.awaited = new int[depth];
  }

  /** The id of the next request of a client, which awaits its answer from now on. */
  public int next(int slot) {
    int depth = awaited.length;
    int id = Pdu.FIRST_MESSAGE_ID + sequence * depth + slot;
    sequence++;
    if (Pdu.FIRST_MESSAGE_ID + (sequence + 1) * depth > Pdu.LAST_MESSAGE_ID) {
      sequence = 0;
    }
    awaited[slot] = id;
    return id;
  }

  /** The id of a request that is sent before any client may send one. */
  public int nextForSetUp() {
    setUp = next(0);
    awaited[0] = NONE;
    return setUp;
  }

  /** The slot of the client that awaits the answer with an id; -1 if none does. */
  public int slotOf(int messageId) {
    int offset = messageId - Pdu.FIRST_MESSAGE_ID;
    if (offset < 0) {
      return -1;
    }
    int slot = offset % awaited.length;
    return awaited[slot] == messageId ? slot : -1;
  }

  /** Returns whether a message with an id may come that no client awaits. */
  public boolean isExpectedByNone(int messageId) {
    // A notice needs no handling: the close of the connection is noticed anyway.
    return messageId == NOTICE
        || messageId == setUp
        || (messageId >= Pdu.FIRST_MESSAGE_ID && late > 0);
  }

  /** Returns whether an id is that of the last request of the set-up, if it is unanswered. */
  public boolean isSetUp(int messageId) {
    return setUp != NONE && messageId == setUp;
  }

  /** Notes that the request of the set-up was answered. */
  public void setUpAnswered() {
    setUp = NONE;
  }

  /** Notes that a client has got its answer. */
  public void answered(int slot) {
    awaited[slot] = NONE;
  }

  /** Notes that an answer or a notice has come that no client awaited any longer. */
  public void answeredToNone(int messageId) {
    if (messageId != NOTICE) {
      late--;
    }
  }

  /** Notes that a client does not await its answer any longer; it may still come. */
  public void forget(int slot) {
    if (awaited[slot] != NONE) {
      awaited[slot] = NONE;
      late++;
    }
  }

  /** Forgets all outstanding requests: the channel is a new one. */
  public void clear() {
    Arrays.fill(awaited, NONE);
    setUp = NONE;
    late = 0;
  }
}
