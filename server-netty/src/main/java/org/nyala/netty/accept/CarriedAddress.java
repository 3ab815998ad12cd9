package org.nyala.netty.accept;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The addresses at the ends of a client's connection to a proxy, as the proxy has told them.
 *
 * <p>Immutable.
 *
 * @param client the client's
 * @param proxy that to which it has connected
 */
record CarriedAddress(InetSocketAddress client, InetSocketAddress proxy) {
  private static final AttributeKey<CarriedAddress> KEY =
      AttributeKey.valueOf(CarriedAddress.class, "carried");

  /** Returns those of a channel; null if it does not come from a proxy. Any thread. */
  static @Nullable CarriedAddress of(Channel channel) {
    return channel.hasAttr(KEY) ? channel.attr(KEY).get() : null;
  }

  /** Sets them as those of a channel; on its event loop, before it is served. */
  void attachTo(Channel channel) {
    channel.attr(KEY).set(this);
  }
}
