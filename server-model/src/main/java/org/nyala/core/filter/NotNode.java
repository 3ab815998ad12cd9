package org.nyala.core.filter;

import org.jspecify.annotations.Nullable;

/** The opposite of a node. Confined to one running operation. */
final class NotNode extends TestNode {
  private final TestNode node;

  NotNode(TestNode node) {
    this.node = node;
  }

  @Override
  @Nullable Ternary go(TestRun run) {
    Ternary value = node.go(run);
    return value == null ? null : value.not();
  }

  @Override
  boolean looksFurther() {
    return node.looksFurther();
  }

  @Override
  boolean renew() {
    return node.renew();
  }

  @Override
  void restart() {
    node.restart();
  }
}
