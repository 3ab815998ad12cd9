package org.nyala.core.session;

import org.nyala.core.message.LdapResult;

/**
 * A look at the result of a parked operation before its client learns it. Thread-safe; quick, for
 * the writer's thread may call it.
 */
@FunctionalInterface
public interface AnswerGate {
  /**
   * Takes over the end of an operation, or leaves it as it is.
   *
   * @param result the result that it is about to end with
   * @param answer ends it with that result; any thread
   * @return true if {@code answer} is run later, or the operation is finished in another way: once;
   *     false to have it end now
   */
  boolean holds(LdapResult result, Runnable answer);
}
