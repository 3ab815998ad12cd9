package org.nyala.core.search;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least or the greatest of its nodes' values, tested one after the other until one settles it.
 *
 * <p>Confined to one running operation.
 */
final class JoinNode extends TestNode {
  private final TestNode[] nodes;
  private final boolean isAll;
  private int at;
  private boolean isUndefined;

  JoinNode(List<TestNode> nodes, boolean isAll) {
    this.nodes = nodes.toArray(new TestNode[0]);
    this.isAll = isAll;
  }

  @Override
  @Nullable Ternary go(TestRun run) {
    while (at < nodes.length) {
      Ternary value = nodes[at].go(run);
      if (value == null) {
        return null;
      }
      at++;
      if (value == (isAll ? Ternary.FALSE : Ternary.TRUE)) {
        forget();
        return value;
      }
      isUndefined |= value == Ternary.UNDEFINED;
      if (at < nodes.length && !run.goesOn()) {
        return null;
      }
    }
    Ternary value = isUndefined ? Ternary.UNDEFINED : Ternary.of(isAll);
    forget();
    return value;
  }

  private void forget() {
    at = 0;
    isUndefined = false;
  }

  @Override
  void restart() {
    forget();
    for (TestNode node : nodes) {
      node.restart();
    }
  }
}
