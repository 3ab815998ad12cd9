package org.nyala.core.filter;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least or the greatest of its nodes' values, tested one after the other until one settles it:
 * tests of the entry itself come before those that look further, so that their results stay valid
 * when other entries change.
 *
 * <p>Confined to one running operation.
 */
final class JoinNode extends TestNode {
  private final TestNode[] nodes;

  /** The number of nodes that concern the entry itself. */
  private final int own;

  private final boolean isAll;
  private int at;
  private boolean isUndefined;
  private boolean isOwnUndefined;

  /** The value, if the nodes that look further were not needed or not evaluated. */
  private @Nullable Ternary settled;

  /** The number of nodes evaluated since the restart. */
  private int asked;

  /**
   * Joins nodes.
   *
   * @param own nodes that concern the entry itself
   * @param further nodes that look further
   * @param isAll true for the least value
   */
  JoinNode(List<TestNode> own, List<TestNode> further, boolean isAll) {
    List<TestNode> ordered = new ArrayList<>(own.size() + further.size());
    ordered.addAll(own);
    ordered.addAll(further);
    this.own = own.size();
    this.nodes = ordered.toArray(new TestNode[0]);
    this.isAll = isAll;
  }

  @Override
  @Nullable Ternary go(TestRun run) {
    if (settled != null) {
      return settled;
    }
    while (at < nodes.length) {
      asked = Math.max(asked, at + 1);
      Ternary value = nodes[at].go(run);
      if (value == null) {
        return null;
      }
      at++;
      if (value == (isAll ? Ternary.FALSE : Ternary.TRUE)) {
        return done(value, at <= own);
      }
      isUndefined |= value == Ternary.UNDEFINED;
      isOwnUndefined |= at <= own && isUndefined;
      if (at < nodes.length && !run.goesOn()) {
        return null;
      }
    }
    return done(isUndefined ? Ternary.UNDEFINED : Ternary.of(isAll), false);
  }

  /** Keeps the value if it depends on the entry itself alone while other nodes look further. */
  private Ternary done(Ternary value, boolean isOwn) {
    if (!looksFurther()) {
      forget();
    } else if (isOwn) {
      settled = value;
    } else {
      rewind();
    }
    return value;
  }

  @Override
  boolean looksFurther() {
    return own < nodes.length;
  }

  private void forget() {
    at = 0;
    isUndefined = false;
    isOwnUndefined = false;
  }

  /** Goes back to the first node that looks further. */
  private void rewind() {
    if (at > own) {
      at = own;
      isUndefined = isOwnUndefined;
    }
  }

  @Override
  boolean renew() {
    boolean isForgotten = false;
    for (int i = own; i < asked; i++) {
      isForgotten |= nodes[i].renew();
    }
    rewind();
    return isForgotten;
  }

  @Override
  void restart() {
    forget();
    settled = null;
    for (int i = 0; i < asked; i++) {
      nodes[i].restart();
    }
    asked = 0;
  }
}
