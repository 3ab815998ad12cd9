package org.nyala.core.ber;

import org.jspecify.annotations.Nullable;

/**
 * The elements that one request may still make the server build: those of its message and of all
 * opaque values in it together. Memory for so many was reserved before.
 *
 * <p>Confined to one thread at a time: to the decoding of one message, then to one running
 * operation. Hot.
 */
public final class ElementBudget {
  private final @Nullable ElementBudget whole;
  private int most;
  private int left;

  /** Creates a budget of at most the given number of elements. */
  public ElementBudget(int most) {
    this(null, most);
  }

  private ElementBudget(@Nullable ElementBudget whole, int most) {
    this.whole = whole;
    this.most = most;
    this.left = most;
  }

  /**
   * Creates a budget for a value that belongs to no request: as many elements as it can hold.
   *
   * @param value the value; null for none, which has no budget
   */
  public static @Nullable ElementBudget of(byte @Nullable [] value) {
    return value == null ? null : new ElementBudget(value.length);
  }

  /** Returns a budget for one value of a request; what is taken of it is taken of this one too. */
  public ElementBudget part() {
    return new ElementBudget(this, Integer.MAX_VALUE);
  }

  /** Begins anew with the given number of elements. */
  public void renew(int elements) {
    most = elements;
    left = elements;
  }

  /** Gives back all that was taken: the value is read again, and what was built before is gone. */
  public void renew() {
    ElementBudget of = whole;
    if (of != null) {
      of.left += most - left;
    }
    left = most;
  }

  /** Returns the number of elements that may still be built. */
  public int left() {
    ElementBudget of = whole;
    return of == null ? left : of.left();
  }

  /** Takes one element, which is built next. */
  void take() throws BerLimitException {
    ElementBudget of = whole;
    if (of != null) {
      of.take();
    }
    if (left == 0) {
      throw new BerLimitException("more elements than the request may have");
    }
    left--;
  }
}
