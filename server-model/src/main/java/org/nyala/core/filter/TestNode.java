package org.nyala.core.filter;

import org.jspecify.annotations.Nullable;

/**
 * A part of a filter in the form in which entries that are much work are tested: keeps how far the
 * test came.
 *
 * <p>Confined to one running operation.
 */
abstract sealed class TestNode permits JoinNode, LeafNode, NotNode, ValuesNode {
  /**
   * Goes on with the test of the entry at hand.
   *
   * @return null if the slice is over and the test is not; else the value, and the next call begins
   *     another test
   */
  abstract @Nullable Ternary go(TestRun run);

  /** Returns whether references among entries other than the current one are looked up. */
  abstract boolean looksFurther();

  /**
   * Discards the progress of the test, and all findings about the entry; costs no more than the
   * work done.
   */
  abstract void restart();

  /**
   * Discards findings about other entries, and keeps those about the entry itself.
   *
   * @return true if there was anything to discard
   */
  abstract boolean renew();
}
