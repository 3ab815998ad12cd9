package org.nyala.netty.accept;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SelectStrategyFactory;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts how often event loops ask the kernel for ready connections: each round of a loop asks its
 * strategy once, and calls epoll_wait or select once as that decides. The number of connections
 * found each time distinguishes a good dispatch from a bad one.
 *
 * <p>Thread-safe; each strategy that it creates is confined to one event loop.
 */
public record CountedPolls(LongAdder polls) implements SelectStrategyFactory {
  @Override
  public SelectStrategy newSelectStrategy() {
    SelectStrategy usual = DefaultSelectStrategyFactory.INSTANCE.newSelectStrategy();
    return (supplier, hasTasks) -> {
      polls.increment();
      return usual.calculateStrategy(supplier, hasTasks);
    };
  }
}
