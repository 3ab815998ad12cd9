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
   * @return null where the slice is over and the test is not; else the value, and the next call
   *     begins another test
   */
  abstract @Nullable Ternary go(TestRun run);

  /** Whether entries other than the one at hand are asked for what refers to what. */
  abstract boolean looksFurther();

  /**
   * Forgets how far the test came, and what is known of the entry; costs no more than what was
   * done.
   */
  abstract void restart();

  /**
   * Forgets what was found of other entries, and keeps what was found of the entry itself.
   *
   * @return whether there was anything to forget
   */
  abstract boolean renew();
}
