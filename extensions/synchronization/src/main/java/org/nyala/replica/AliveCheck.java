package org.nyala.replica;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.util.concurrent.TimeUnit;

/**
 * The question to a silent provider for a sign of life; any message is one, too.
 *
 * <p>Confined to one thread, but for the answer, which comes on another one.
 */
final class AliveCheck {
  private final long idleNanos;
  private final long answerNanos;
  private long last;
  private boolean isAsked;
  private volatile boolean isAnswered;

  /** Puts the question. */
  @FunctionalInterface
  interface Question {
    /**
     * Puts it, without waiting.
     *
     * @param answered called when the answer comes, on any thread
     */
    void ask(Runnable answered) throws LDAPException;
  }

  /**
   * Creates a check.
   *
   * @param idleMillis the silence after which to ask; 0 for never
   * @param answerMillis the time for the answer
   * @param now the time of the last sign
   */
  AliveCheck(long idleMillis, long answerMillis, long now) {
    this.idleNanos = TimeUnit.MILLISECONDS.toNanos(idleMillis);
    this.answerNanos = TimeUnit.MILLISECONDS.toNanos(answerMillis);
    this.last = now;
  }

  /** Notes a message. */
  void message(long now) {
    last = now;
  }

  /**
   * Called when no message waits.
   *
   * @return whether an answer has come since the last call
   * @throws LDAPException if there is no sign of life in time
   */
  boolean look(Question question, long now) throws LDAPException {
    if (isAnswered) {
      isAnswered = false;
      isAsked = false;
      last = now;
      return true;
    }
    long silent = now - last;
    if (isAsked && silent >= answerNanos) {
      throw new LDAPException(
          ResultCode.TIMEOUT,
          "the provider gives no sign of life (replication.idleCheckSeconds,"
              + " answerTimeoutSeconds)");
    }
    if (!isAsked && idleNanos > 0 && silent >= idleNanos) {
      isAsked = true;
      last = now;
      question.ask(() -> isAnswered = true);
    }
    return false;
  }
}
