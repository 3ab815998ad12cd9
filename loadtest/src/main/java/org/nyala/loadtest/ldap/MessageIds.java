package org.nyala.loadtest.ldap;

import java.util.Arrays;

/**
 * The message ids of a connection, and which of them are to be answered yet.
 *
 * <p>A message id tells the conversation: ids count up by the number of conversations, each of
 * which has those that leave its own remainder. So an answer is led to the one that waits for it
 * without a table to search, and nothing is allocated.
 *
 * <p>Confined to the channel's event loop. Hot.
 */
public final class MessageIds {
  private static final int NONE = 0;

  /** What notices of the server have instead (RFC 4511, section 4.4). */
  private static final int NOTICE = 0;

  private final int[] awaited;
  private int sequence;
  private int setUp;
  private int late;

  /**
   * Begins with none to be answered.
   *
   * @param depth how many conversations there are
   */
  public MessageIds(int depth) {
    this.awaited = new int[depth];
  }

  /** The id of the next request of a conversation, which awaits its answer from now on. */
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

  /** The id of a request that is sent before any conversation may send one. */
  public int nextForSetUp() {
    setUp = next(0);
    awaited[0] = NONE;
    return setUp;
  }

  /** The conversation that awaits the answer with an id; -1 where none does. */
  public int slotOf(int messageId) {
    int offset = messageId - Pdu.FIRST_MESSAGE_ID;
    if (offset < 0) {
      return -1;
    }
    int slot = offset % awaited.length;
    return awaited[slot] == messageId ? slot : -1;
  }

  /** Whether something with an id may come that no conversation awaits. */
  public boolean isExpectedByNone(int messageId) {
    // A notice is not heeded: that the server closes the connection is seen.
    return messageId == NOTICE
        || messageId == setUp
        || (messageId >= Pdu.FIRST_MESSAGE_ID && late > 0);
  }

  /** Whether an id is that of the last request before the conversations', if it is unanswered. */
  public boolean isSetUp(int messageId) {
    return setUp != NONE && messageId == setUp;
  }

  /** The request before the conversations' was answered. */
  public void setUpAnswered() {
    setUp = NONE;
  }

  /** A conversation has got its answer. */
  public void answered(int slot) {
    awaited[slot] = NONE;
  }

  /** An answer has come, or a notice, that nobody awaited any longer. */
  public void answeredToNone(int messageId) {
    if (messageId != NOTICE) {
      late--;
    }
  }

  /** A conversation does not await its answer any longer; it may still come. */
  public void forget(int slot) {
    if (awaited[slot] != NONE) {
      awaited[slot] = NONE;
      late++;
    }
  }

  /** Nothing is to be answered any more: the channel is another one. */
  public void clear() {
    Arrays.fill(awaited, NONE);
    setUp = NONE;
    late = 0;
  }
}
